package consume

import (
	"context"
	"encoding/json"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/provision"
	"github.com/patch-cat/patch-git/internal/toolbox"
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
	prefix *provision.Prefix // nil where the tool is reached by its endpoint alone
	env    map[string]string // the collected values by their names, secrets too; one that was skipped is absent
}

// deployedFor finds what is installed for a release, and what a person gave for it.
func (c *Client) deployedFor(t *spec.Tool, r toolbox.Receipt) func(context.Context) (deployed, error) {
	return func(ctx context.Context) (d deployed, err error) {
		if len(t.Deployment.Command) > 0 {
			if d.prefix, err = c.Artifact(r); err != nil {
				return d, err
			}
		}
		d.env, _, err = c.Environment(ctx, r)
		return d, err
	}
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
	if k.said, err = invoke.Make(a.op, a.tool.Deployment, k.grants.args, d.env); err != nil {
		return err
	}
	if d.prefix != nil {
		k.rec.Operation.Install = d.prefix.SHA256
	}
	return nil
}

// run has it said. What a stranger's server says of a failure may repeat a secret.
func (a *action) run(ctx context.Context, k *call) error {
	return k.struck(a.say(ctx, k))
}

// struck is an error without the secrets of the call.
func (k *call) struck(err error) error {
	if err == nil || len(k.secrets) == 0 {
		return err
	}
	text := k.c.Journal.Striker(k.secrets...).Text(err.Error())
	if text == err.Error() {
		return err
	}
	e := fault.New(fault.KindOf(err), fault.ReasonOf(err), "%s", text)
	e.Hints = fault.HintsOf(err)
	return e
}

func (a *action) say(ctx context.Context, k *call) error {
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

// answer makes the result of a reply. What was given to the tool as a secret is nobody
// else's to read, also where the tool repeats it [TI-P12].
func (a *action) answer(k *call, r invoke.Reply) error {
	strike := k.c.Journal.Striker(k.secrets...)
	k.out.Stderr = []byte(strike.Text(string(k.out.Stderr)))
	if body, struck := strike.Bytes(r.Body); struck {
		r.Body = body
		k.note("a secret was struck from the answer")
	}
	got, err := invoke.Read(a.op, a.check, a.name(), r)
	if err != nil {
		return err
	}
	out, rec := &k.out, &k.rec
	k.ran = &Ran{
		Tool: a.tool.Name.String() + "@" + a.tool.Version.String(), Operation: a.op.Name, Release: k.s.Ref.Digest, Registry: k.s.Registry,
		Result: got.Result, Format: got.Format, Bytes: got.Bytes, Driver: out.Driver, NotEnforced: out.NotEnforced, Grants: rec.Sandbox.Grants,
		Hidden: rec.Sandbox.Hidden, AllowNet: rec.Sandbox.AllowNet, Attempts: rec.Operation.Attempts, Status: rec.Operation.Status,
		DurationMS: out.Duration.Milliseconds(), Stderr: string(out.Stderr), Notes: k.notes,
	}
	return nil
}

// note adds a remark to the answer.
func (k *call) note(text string) { k.notes = append(k.notes, text) }
