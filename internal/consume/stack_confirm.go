package consume

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Approvals is where held actions wait, as the configuration has it. Its decisions
// are made elsewhere.
func (c *Client) Approvals() (*approval.Store, error) {
	cfg, err := c.settings()
	if err != nil {
		return nil, err
	}
	s := approval.Open(c.Host.Paths, c.Host.Now)
	s.Wait, s.Remember, s.Denied = cfg.MCP.ApprovalLife(), cfg.MCP.RememberLife(), c.denied
	return s, nil
}

// denied records that a person said no to a call, which may never be made again. A yes
// is recorded with the run that it lets through.
func (c *Client) denied(ctx context.Context, e approval.Entry) {
	a := e.Action
	rec := audit.Record{
		Tool:     audit.Tool{Name: a.Tool.Name, Version: a.Tool.Version, Release: a.Tool.Digest, Source: a.Source},
		Trigger:  audit.Trigger{Session: a.Session, MCPClient: a.Client},
		Stages:   []audit.Stage{{Name: stageConfirmation, Verdict: refused, Reason: reasonDenied}},
		Inputs:   a.Arguments,
		ExitCode: -1,
	}
	if a.Operation != "" {
		rec.Operation = &audit.Operation{Name: a.Operation}
	}
	run, err := c.Journal.Begin(ctx, rec)
	if err == nil {
		rec.Status = audit.Refused
		rec.Error = audit.FailureOf(fault.New(fault.Denied, reasonDenied, "a person said no to this call of %s, which was held as %s (%s)", a.What(), e.ID, e.Via))
		err = run.Finish(rec, nil, nil)
	}
	if err != nil {
		c.warn("the no stands, but could not be recorded: " + err.Error())
	}
}

// reasonDenied is that of a call which a person said no to.
const reasonDenied = "approval_denied"

// confirm asks whether a person said yes to everything that needs it. At a command
// line each question is an error of its own, which whoever sits there answers. Of a
// conversation all of them are one held action [C-18].
func (k *call) confirm(ctx context.Context) (string, error) {
	var err error
	if k.reach, err = k.c.reach(ctx, k.s, k.o); err != nil {
		return "", err
	}
	k.rec.Sandbox.AllowNet = k.reach.names()
	if k.grants, err = k.c.grants(ctx, k.s, k.args, k.o); err != nil {
		return "", err
	}
	if k.o.Session == nil {
		return "", admit(k.s, k.o, k.grants, k.reach)
	}
	asks, keep, err := asks(k.s, k.o, k.grants, k.reach)
	if err != nil {
		return "", err
	}
	return "", k.hold(ctx, asks, keep)
}

// admit asks a person at a command line, one question at a time.
func admit(s *Subject, o RunOptions, g *grants, r reach) error {
	asks, keep, err := asks(s, o, g, r)
	if err != nil {
		return err
	}
	if len(asks) > 0 {
		return asks[0].refusal
	}
	return keepAll(keep)
}

func keepAll(keep []func() error) error {
	for _, f := range keep {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// action is exactly what is about to happen.
func (k *call) action() approval.Action {
	return approval.Action{
		Tool: k.s.Ref, Source: k.s.source(), Operation: k.s.Operation, Arguments: k.args, Session: k.o.Session.ID,
		Client: cmp.Or(k.o.Claims.Client, k.o.Session.Client), Reasons: k.reasons,
	}
}

// hold lets a call through for which there is nothing to ask, or a person's word for
// all of it, and puts any other before a person.
func (k *call) hold(ctx context.Context, asks []ask, keep []func() error) error {
	for _, a := range asks {
		k.reasons = append(k.reasons, a.Reason)
	}
	act, g := k.action(), k.o.Approved
	switch {
	case len(k.reasons) == 0 && !g.OK():
		return keepAll(keep)
	case !g.OK():
		store, err := k.c.Approvals()
		if err != nil {
			return err
		}
		e, err := store.Hold(ctx, act)
		switch {
		case err != nil:
			return err
		case e.State == approval.Denied:
			return fault.New(fault.Denied, reasonDenied, "a person said no to this call of %s a moment ago", act.What())
		case e.State != approval.Approved:
			return heldAs(e)
		}
		// It is this very call that a person said yes to, and it is made again.
		if g, err = store.Take(ctx, e.ID, k.o.Session.ID); err != nil {
			return err
		}
	}
	switch err := g.Covers(act); {
	case err != nil:
		return err
	case g.Via() == approval.ViaElicitation && len(act.Reasons) > 0 && !act.Attestable():
		return fault.New(fault.Denied, "approval_channel", "%s needs a person's own word, and not that of the AI host", act.What()).
			Hint("call it again, and approve it by: patch-git approve")
	}
	k.rec.Approval = &audit.Approval{ID: string(g.ID()), Via: string(g.Via()), At: g.At()}
	for _, a := range asks {
		// What the host says of its user is good for this one run.
		if a.agree != nil && g.Via() != approval.ViaElicitation {
			keep = append(keep, a.agree)
		}
	}
	return keepAll(keep)
}

// heldAs is the error for an action that waits.
func heldAs(e approval.Entry) *Held {
	a := e.Action
	var why []string
	for _, r := range a.Reasons {
		why = append(why, r.Text)
	}
	return &Held{
		Action: e.ID, Tool: a.Tool, Operation: a.Operation, Arguments: a.Arguments, Reasons: a.Reasons, Expires: e.Until,
		fault: fault.New(fault.Denied, ReasonConfirm, "%s waits for a person: %s", a.What(), strings.Join(why, "; ")).
			Hint("patch-git approve %s", e.ID),
	}
}

func heldOf(err error) *Held {
	h, _ := errors.AsType[*Held](err)
	return h
}

func isHeld(err error) bool { return heldOf(err) != nil }

// Confirm runs an action that was held, exactly as it was, if a person approved it.
// The id is no capability: while nobody decided, the error is the same *[Held]
// again. What cannot go on is fault.Denied with reason "approval_denied",
// "approval_expired", "approval_used", "approval_session" or "approval_changed"; an
// id that is none is fault.NotFound with reason "no_approval".
func (c *Client) Confirm(ctx context.Context, id approval.ID, o RunOptions) (*Ran, error) {
	if o.Session == nil {
		return nil, fault.New(fault.Denied, "approval_session", "an action belongs to the conversation that asked for it")
	}
	store, err := c.Approvals()
	if err != nil {
		return nil, err
	}
	e, err := store.Get(id)
	if err != nil {
		return nil, err
	}
	if e.State == approval.Pending && e.Action.Session == o.Session.ID {
		return nil, heldAs(e)
	}
	what := called{e.Action.Tool, e.Action.Operation} // its version stands in it
	s, err := o.warm.subject(ctx, c, what, what)
	if err != nil {
		return nil, err // the word for it is not used up: nothing was run
	}
	if o.Approved, err = store.Take(ctx, id, o.Session.ID); err != nil {
		return nil, err
	}
	return c.Run(ctx, s, e.Action.Arguments, o)
}

// ask is one thing that a person has to say a word to.
type ask struct {
	approval.Reason
	refusal *fault.Error // says it to a person at a command line, with the flags that answer it
	agree   func() error // keeps a yes that is meant to last; nil where it is for one run
}

// asked makes both words of one refusal.
func asked(kind string, refusal *fault.Error) ask {
	return ask{Reason: approval.Reason{Kind: kind, Text: refusal.Message}, refusal: refusal}
}

// asked asks for one file that an argument names. No consent to a tool is one to the
// files that a model comes to think of.
func (d *granted) asked(t *spec.Tool) ask {
	a := asked(approval.KindFiles, fault.New(fault.Denied, ReasonConsent, "%s is to %s", t.Name, deeds([]*granted{d})))
	a.Input, a.Value = d.input, d.Path
	return a
}
