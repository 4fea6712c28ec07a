package consume

import (
	"context"
	"encoding/json"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// action is an operation of an install manifest. A local one is the installed artifact
// in the sandbox; an http one is a request that this process makes itself, and nothing
// runs here for it.
type action struct {
	client *Client
	tool   *spec.Tool // the whole of it
	op     *spec.Operation
	check  *manifest.Operation
	// deployed finds what is installed for the tool, and what a person gave for it.
	deployed func(context.Context) (deployed, error)
}

// deployed is what the calls of an installed tool need.
type deployed struct {
	artifact artifact          // nil where the tool is reached by its endpoint alone
	env      map[string]string // the collected values by their names, secrets too; one that was skipped is absent
	install  spec.Digest       // of what was acquired, zero where nothing was
}

// artifact is what was acquired for a tool, and how it is started.
type artifact interface {
	// Argv is its command with more arguments.
	Argv(more ...string) []string
	// Job runs an argument vector with what the artifact needs of this machine in
	// sight; env are NAME=value beyond what it needs to find itself.
	Job(argv, env []string, stdin []byte) (sandbox.Job, error)
}

func newAction(c *Client, s *Subject, op *spec.Operation) *action {
	return &action{client: c, tool: s.Tool, op: op, check: manifest.NewOperation(s.Tool.Name, op), deployed: s.deployed}
}

func (a *action) name() string { return a.tool.Name.String() + " " + a.op.Name }

func (a *action) arguments(_ *Subject, raw json.RawMessage) (json.RawMessage, error) {
	return a.check.Arguments(raw)
}

// prepare works out what is going to be said. Whatever is wrong with the manifest, the
// arguments or the collected values is found here, and nothing was started.
func (a *action) prepare(ctx context.Context, k *call) error {
	if a.deployed == nil {
		return fault.New(fault.Unavailable, "not_provisioned", "what %s installs is not on this machine", a.tool.Name).
			Hint("patch-git pull %s", a.tool.Name)
	}
	d, err := a.deployed(ctx)
	if err != nil {
		return err
	}
	for _, e := range a.tool.Deployment.Env {
		value, ok := d.env[e.Name]
		switch {
		case ok && e.Secret:
			k.keep(value)
		case !ok && e.Required:
			return fault.New(fault.Denied, "not_configured", "%s needs a value for %s, and has none", a.tool.Name, e.Name).
				Hint("patch-git configure %s", a.tool.Name)
		}
	}
	k.deployed = d
	k.said, err = invoke.Make(a.op, a.tool.Deployment, k.grants.args, d.env)
	return err
}

// run has it said.
func (a *action) run(ctx context.Context, k *call) error {
	switch a.op.Invocation.Kind {
	case spec.InvokeHTTP:
		return a.request(ctx, k)
	case spec.InvokeSubcommand, spec.InvokeStdinJSON:
		return a.start(ctx, k)
	case spec.InvokeMCPTool:
		return a.callMCP(ctx, k)
	}
	return fault.New(fault.Internal, "invocation", "%s cannot be invoked", a.name())
}

// answer makes the result of a reply.
func (a *action) answer(k *call, r invoke.Reply) error {
	got, err := invoke.Read(a.op, a.check, a.name(), r)
	if err != nil {
		return err
	}
	return a.ran(k, got)
}

// ran is the answer of a call that went well.
func (a *action) ran(k *call, got *invoke.Answer) error {
	out, rec := &k.out, &k.rec
	k.ran = &Ran{
		Tool: a.tool.Name.String() + "@" + a.tool.Version.String(), Operation: a.op.Name, Release: k.s.Ref.Digest, Registry: k.s.Registry,
		Result: got.Result, Format: got.Format, Bytes: got.Bytes, Driver: out.Driver, NotEnforced: out.NotEnforced, Grants: rec.Sandbox.Grants,
		Hidden: rec.Sandbox.Hidden, AllowNet: rec.Sandbox.AllowNet, Attempts: rec.Operation.Attempts, Status: rec.Operation.Status,
		DurationMS: out.Duration.Milliseconds(), Stderr: string(out.Stderr),
	}
	return nil
}
