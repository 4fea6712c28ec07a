package consume

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/arcade"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/taint"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// The steps of the stack, in their order [AR-18].
const (
	stageValidation   = "validation"   // the arguments are what the manifest asks for
	stageSanitizer    = "sanitizer"    // nothing in them is there for a machine and not for its reader
	stageQuarantine   = "quarantine"   // the rules of this program let the release pass, and nobody withdrew it
	stageTaint        = "taint"        // nothing in them was read where nobody vouches for it
	stageConfirmation = "confirmation" // a person said yes to whatever needs that
	stageSandbox      = "sandbox"
	stageLabelling    = "labelling" // what came out is told from what is trusted
	stageAudit        = "audit"
)

// beforeStart are the steps without which nothing is started.
func beforeStart() []string {
	return []string{stageValidation, stageSanitizer, stageQuarantine, stageTaint, stageConfirmation}
}

// What a stage says.
const (
	passed  = "passed"
	held    = "held" // a person has to look; confirmation tells whether one did
	refused = "refused"
	failed  = "failed" // the tool, its limits or the machine
)

// call is one call of a tool on its way through the stack.
type call struct {
	c        *Client
	s        *Subject
	o        RunOptions
	args     json.RawMessage // canonical, as the call was made
	reasons  []approval.Reason
	verdict  taint.Verdict
	trust    Trust
	reach    reach
	grants   *grants
	rec      audit.Record
	said     *invoke.Call  // what an action says
	deployed deployed      // of an action
	engine   arcade.Config // of an Arcade definition
	notes    []string
	secrets  []string                   // that the tool is given, and nobody else
	begun    func() (*audit.Run, error) // writes the intent, once; nil before there is one
	out      sandbox.Outcome
	heard    answer // in what came of it before its end
	ran      *Ran
}

// Run runs a tool. It is the one way to do so: a command, a call of an AI host by
// whatever tool, a confirmation and a replay come through here. Arguments are
// checked against the manifest before anything starts, the intent is recorded
// before, the result after, whatever it is.
func (c *Client) Run(ctx context.Context, s *Subject, raw json.RawMessage, o RunOptions) (*Ran, error) {
	k := &call{c: c, s: s, o: o, out: sandbox.Outcome{Exit: -1}}
	defer func() { k.grants.close() }()
	if err := k.step(ctx, stageValidation, func(ctx context.Context) (string, error) { return k.validate(ctx, raw) }); err != nil {
		return nil, err // nothing to record: no call was made that the tool could answer
	}
	var err error
	for _, st := range []struct {
		name string
		do   func(context.Context) (string, error)
	}{
		{stageSanitizer, k.sanitize}, {stageQuarantine, k.quarantine}, {stageTaint, k.follow}, {stageConfirmation, k.confirm}, {stageSandbox, k.start},
	} {
		if err = k.step(ctx, st.name, st.do); err != nil {
			break
		}
	}
	if k.begun != nil { // it may have run, and said something
		failure := err
		err = cmp.Or(failure, k.step(ctx, stageLabelling, func(context.Context) (string, error) { return k.label(failure) }))
	}
	return k.record(ctx, err)
}

// step makes one step and notes what it said: a reason is why a person has to look.
func (k *call) step(ctx context.Context, name string, do func(context.Context) (string, error)) error {
	if k.o.Step != nil {
		k.o.Step(name)
	}
	reason, err := do(ctx)
	said := audit.Stage{Name: name, Verdict: passed, Reason: reason}
	switch {
	case isHeld(err):
		said.Verdict, said.Reason = held, fault.ReasonOf(err)
	case err != nil && (name != stageSandbox || declined(err)):
		said.Verdict, said.Reason = refused, fault.ReasonOf(err)
	case err != nil:
		said.Verdict, said.Reason = failed, fault.ReasonOf(err)
	case reason != "":
		said.Verdict = held
	}
	k.rec.Stages = append(k.rec.Stages, said)
	return err
}

// through refuses to start anything that did not come through every step before:
// whoever adds a way to call tools cannot leave one out.
func (k *call) through() error { return through(k.s.Tool.Name, k.rec.Stages) }

func through(tool spec.Name, said []audit.Stage) error {
	want := beforeStart()
	at := 0
	for _, s := range said {
		if at < len(want) && s.Name == want[at] && s.Verdict != refused && (s.Verdict == passed || s.Name != stageConfirmation) {
			at++
		}
	}
	if at < len(want) {
		return fault.New(fault.Internal, "stack", "%s was about to start without %s", tool, want[at])
	}
	return nil
}

// validate is the first step. What a person alone can say must not come from a
// conversation, whoever wrote the code between.
func (k *call) validate(_ context.Context, raw json.RawMessage) (string, error) {
	o := k.o
	if o.Session != nil && (o.Agree || o.Secrets || o.Confirm || o.UnsafeNoSandbox || o.UnsafeRunRevoked || len(o.Read)+len(o.Write)+len(o.Net) > 0) {
		return "", fault.New(fault.Denied, "unsafe", "a conversation gives no word and no path of its own")
	}
	if o.Session != nil && (o.Session.ID == "" || o.Session.Taint == nil) {
		return "", fault.New(fault.Internal, "session", "a conversation without an id, or that remembers nothing")
	}
	if k.s == nil || k.s.Tool == nil || k.s.program == nil {
		return "", fault.New(fault.Internal, "subject", "there is no tool to run")
	}
	args, err := k.s.program.arguments(k.s, raw)
	if err != nil {
		return "", err
	}
	k.args = args
	k.trust = k.c.trustOf(k.s.Tool, k.s.Registry)
	k.rec = audit.Record{
		Tool:      audit.Tool{Name: k.s.Tool.Name, Version: k.s.Tool.Version, Release: k.s.Ref.Digest, Source: k.s.source()},
		Registry:  string(k.s.Registry),
		Operation: k.s.operation(),
		Sandbox:   audit.Sandbox{Capabilities: k.s.Tool.Permissions(), Packages: k.s.Tool.Runtime.Packages, Limits: bounds(o.Limits)},
		Trigger:   trigger(o),
		Replay:    o.replay,
		Inputs:    args,
		ExitCode:  -1, // until a process ends by itself
	}
	return "", nil
}

// trigger says who asked, as far as anybody knows.
func trigger(o RunOptions) audit.Trigger {
	t := audit.Trigger{HostApp: o.HostApp, MCPClient: o.Claims.Client, MCPVersion: o.Claims.Version, TraceParent: o.Claims.TraceParent}
	if o.Session != nil {
		t.Session, t.MCPClient = o.Session.ID, cmp.Or(t.MCPClient, o.Session.Client)
	}
	return t
}

// quarantine holds the release against the rules of this program.
func (k *call) quarantine(ctx context.Context) (string, error) {
	if k.s.examine == nil || k.s.consent == nil {
		return "", fault.New(fault.NotVerified, "unverified", "nobody examined %s", k.s.Tool.Name)
	}
	if k.s.revoked != nil && !k.o.UnsafeRunRevoked {
		return "", k.s.revoked
	}
	if k.s.revoked != nil {
		k.c.warn(k.s.revoked.Error())
	}
	return "", k.s.examine(ctx)
}

// begin makes the intent ready, which whoever comes first writes: the gate that the
// tool waits at, or the record of a call that did not come so far. A goroutine of its
// own would have to be woken for it, which takes as long.
func (k *call) begin(ctx context.Context) {
	rec, secrets := k.intent(), k.secrets
	k.begun = sync.OnceValues(func() (*audit.Run, error) { return k.c.Journal.Begin(ctx, rec, secrets...) })
}

// intent is the record as it stands now, whatever is added to it meanwhile.
func (k *call) intent() audit.Record {
	rec := k.rec
	rec.Stages = slices.Clone(rec.Stages)
	if rec.Operation != nil {
		o := *rec.Operation
		rec.Operation = &o
	}
	return rec
}

// record writes what became of the call, and answers it.
func (k *call) record(ctx context.Context, err error) (*Ran, error) {
	if k.begun == nil {
		k.begin(ctx)
	}
	run, beginErr := k.begun()
	if beginErr != nil {
		return nil, cmp.Or(err, beginErr) // a refusal stands, recorded or not
	}
	switch {
	case err == nil:
		k.rec.Status, k.rec.Output = audit.Succeeded, k.ran.Result
	case declined(err):
		k.rec.Status, k.rec.Error = audit.Refused, audit.FailureOf(err)
	default:
		k.rec.Status, k.rec.Error = audit.Failed, audit.FailureOf(err)
	}
	k.rec.Stages = append(k.rec.Stages, audit.Stage{Name: stageAudit, Verdict: passed})
	if finishErr := run.Finish(k.rec, k.out.Stdout, k.out.Stderr); finishErr != nil && err == nil {
		// The tool has run; losing its result because of the diary would make
		// a caller run it twice.
		k.c.warn("the run could not be recorded: " + finishErr.Error())
	}
	if k.o.became != nil {
		*k.o.became = k.rec
	}
	if h := heldOf(err); h != nil {
		h.RunID = run.ID()
	}
	if err != nil {
		return nil, err
	}
	k.ran.RunID = run.ID()
	if k.s.Ref.Name != "" {
		k.o.warm.touch(ctx, k.c, k.s.Ref.Name)
	}
	return k.ran, nil
}

// declined tells whether a check said no, and not the tool or the machine.
func declined(err error) bool {
	return slices.Contains([]fault.Kind{fault.Denied, fault.NotVerified, fault.NotFound, fault.Usage, fault.Findings}, fault.KindOf(err))
}

// arguments are those of a call, checked.
func (s *Subject) arguments(raw json.RawMessage) (json.RawMessage, error) {
	if s.calls == nil {
		return manifest.Arguments(s.Tool, raw)
	}
	return s.calls.Arguments(raw)
}

// source is the digest of the main file.
func (s *Subject) source() spec.Digest {
	if s.digest.IsZero() {
		return spec.DigestOf(s.Main)
	}
	return s.digest
}
