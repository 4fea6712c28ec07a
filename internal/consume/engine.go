package consume

import (
	"context"
	"encoding/json"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/arcade"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// driverArcade is what stands in the place of a sandbox's driver where Arcade's engine
// runs the tool, elsewhere.
const driverArcade = "arcade"

// engine is an Arcade definition: nothing runs here, and the engine that the person
// configured is asked, once. What it may do with the person's accounts is between
// them and the engine; what it answers is untrusted, as all that comes from a network.
type engine struct {
	tool  *spec.Tool
	op    *spec.Operation
	check *manifest.Operation
}

func newEngine(t *spec.Tool, op *spec.Operation) *engine {
	return &engine{t, op, manifest.NewOperation(t.Name, op)}
}

func (e *engine) arguments(_ *Subject, raw json.RawMessage) (json.RawMessage, error) {
	return e.check.Arguments(raw)
}

// prepare finds the key and the address.
func (e *engine) prepare(ctx context.Context, k *call) error {
	if k.o.UnsafeNoSandbox || k.o.Driver != "" {
		return fault.New(fault.Usage, "usage", "%s runs at Arcade, and nothing runs here that a sandbox could hold", e.tool.Name)
	}
	cfg, err := k.c.settings()
	if err != nil {
		return err
	}
	key, err := k.c.arcadeKey(ctx)
	if err != nil {
		return err
	}
	if key != "" {
		k.keep(key)
	}
	k.engine, err = arcade.New(cfg.Arcade.BaseURL, cfg.Arcade.UserID, key)
	return err
}

// run asks the engine, which may repeat the key that it is given: to the tool that it
// runs, which is a stranger's, and so to us.
func (e *engine) run(ctx context.Context, k *call) (err error) {
	defer func() { err = k.struck(err) }()
	ctx, cancel := context.WithTimeoutCause(ctx, wall(k), errCallTime)
	defer cancel()
	if err := k.gate()(); err != nil {
		return err
	}
	client := arcade.NewClient(k.engine, k.c.Host.HTTP(), k.c.Host.Now)
	k.rec.Sandbox.Driver, k.out.Driver = driverArcade, driverArcade
	began := k.c.Host.Now()
	qualified, _ := manifest.ArcadeFQN(e.tool.Arcade.FQN)
	call := arcade.Call{Tool: qualified, Version: e.tool.Arcade.Toolkit.Version, Input: k.grants.args}
	answer, err := client.Execute(ctx, call)
	k.out.Duration = k.c.Host.Now().Sub(began)
	k.rec.DurationMS = k.out.Duration.Milliseconds()
	k.rec.Network = []audit.Reached{{Network: "tcp", Address: address(k.engine.Address()), Times: 1, Verdict: verdictOf(err)}}
	switch {
	case err != nil && fault.ReasonOf(err) == "arcade_forbidden" && e.tool.Arcade.Auth != nil:
		// It may be that nobody agreed yet; where the engine says so there is somewhere
		// to go, and where it does not the refusal stands.
		if a, asked := client.Authorize(ctx, call.Tool, call.Version); asked == nil && a.Status != arcade.StatusCompleted {
			return e.unauthorized(a)
		}
		return err
	case err != nil:
		return err
	}
	return e.answered(ctx, k, client, call, answer)
}

// address is host and port of an address, as the record has them.
func address(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

func verdictOf(err error) string {
	if fault.ReasonOf(err) == "arcade_unreachable" {
		return "failed"
	}
	return "reached"
}

// answered makes of an answer what a run gives back, or why it gives nothing.
func (e *engine) answered(ctx context.Context, k *call, client *arcade.Client, call arcade.Call, a *arcade.Answer) error {
	result := a.Value
	switch a.Mode {
	case arcade.ModeError:
		return e.failed(k, a.Failure)
	case arcade.ModeAuthorize:
		auth := a.Authorization
		if auth.URL == "" && auth.Status != arcade.StatusFailed {
			if asked, err := client.Authorize(ctx, call.Tool, call.Version); err == nil {
				auth = asked
			}
		}
		return e.unauthorized(auth)
	case arcade.ModeArtifact:
		text, err := json.Marshal(map[string]any{"artifact": a.Artifact})
		if err != nil {
			return fault.New(fault.Internal, "result", "write the result of %s: %w", e.tool.Name, err)
		}
		result = text
	}
	if clean, struck := k.c.Journal.Striker(k.secrets...).Bytes(result); struck {
		result = clean
		k.note("a secret was struck from the answer")
	}
	k.out.Stdout, k.rec.ExitCode = result, 0
	k.ran = &Ran{
		Tool: e.tool.Name.String() + "@" + e.tool.Version.String(), Release: k.s.Ref.Digest, Registry: k.s.Registry,
		Result: result, Driver: driverArcade, DurationMS: k.out.Duration.Milliseconds(), Notes: k.notes,
	}
	if a.Mode == arcade.ModeValue {
		if _, err := e.check.Result(result); err != nil {
			k.ran.Notes = append(k.ran.Notes, "the answer is not what the definition says: "+err.Error())
		}
	}
	return nil
}

// failed is the error of a tool that ran and failed. Its words are a stranger's.
func (e *engine) failed(k *call, f *arcade.Failure) error {
	k.out.Stderr = []byte(f.Message)
	err := fault.New(fault.ToolFailed, "arcade_error", "%s failed: %s (%s)", e.tool.Name, spec.Quote(f.Message), spec.Quote(f.Kind))
	if f.CanRetry && f.RetryAfterMS > 0 {
		return err.Hint("it says that it may be tried again in %s", min(time.Duration(min(f.RetryAfterMS, 3_600_000))*time.Millisecond, time.Hour))
	}
	return err
}

// unauthorized tells the person where to agree. The address is one that may be shown;
// the scopes are a stranger's words.
func (e *engine) unauthorized(a *arcade.Authorization) error {
	what := "an account of yours"
	if a.Provider != "" {
		what = "your account with " + spec.Quote(a.Provider)
	}
	if len(a.Scopes) > 0 {
		var scopes []string
		for _, s := range a.Scopes[:min(len(a.Scopes), 16)] {
			scopes = append(scopes, spec.Quote(s))
		}
		what += " for " + strings.Join(scopes, ", ")
	}
	err := fault.New(fault.Denied, "authorization", "%s needs your leave at Arcade to use %s", e.tool.Name, what)
	if a.URL == "" {
		return err.Hint("agree where Arcade manages your accounts, and run it again")
	}
	return err.Hint("open %s", a.URL).Hint("look whose page it is, agree there, and run it again")
}
