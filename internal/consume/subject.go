package consume

import (
	"context"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Subject makes the subject of an installed release, or of one of its operations:
// "" is a Patch tool, which is one operation itself.
func (c *Client) Subject(ctx context.Context, ref spec.Ref, operation string) (*Subject, error) {
	return c.subjectOf(ctx, called{ref, operation}, c.Box.Load)
}

// subjectOf is Subject by what reads the release.
func (c *Client) subjectOf(ctx context.Context, what called, load loader) (*Subject, error) {
	s, err := c.installed(ctx, what.ref, load)
	if err != nil {
		return nil, err
	}
	if what.operation == "" {
		return s, c.whole(s)
	}
	return s, c.operate(s, what.operation)
}

// whole refuses to run a tool at once that has several operations, or none. An Arcade
// definition is one operation.
func (c *Client) whole(s *Subject) error {
	switch {
	case s.program != nil:
		return nil
	case s.Tool.Format == spec.FormatArcade && len(s.Tool.Operations) == 1:
		return c.operate(s, s.Tool.Operations[0].Name)
	case len(s.Tool.Operations) > 0:
		return fault.New(fault.Usage, ReasonActions, "%s is a tool of several actions", s.Tool.Name).
			Hint("patch-git call %s lists them", s.Tool.Name)
	case s.Tool.Format == spec.FormatSkill:
		return fault.New(fault.Usage, ReasonActions, "%s is a skill, which is read and not run", s.Tool.Name).
			Hint("patch-git skill run-plan %s", s.Tool.Name).Hint("patch-git skill install %s --to claude-code", s.Tool.Name)
	}
	return fault.New(fault.Usage, ReasonActions, "%s has nothing that can be called from here", s.Tool.Name).
		Hint("patch-git info %s", s.Tool.Name)
}

// ReasonActions refuses to run a tool of another format than Patch as if it were one.
const ReasonActions = "not_one_tool"

// operation is how the record names it.
func (s *Subject) operation() *audit.Operation {
	if s.Operation == "" {
		return nil
	}
	return &audit.Operation{Name: s.Operation, Kind: string(s.kind)}
}

// Installed makes the subject of an installed release, verified now. One that
// was revoked is a subject too, so that its flags can be read; [Client.Run]
// refuses it.
func (c *Client) Installed(ctx context.Context, ref spec.Ref) (*Subject, error) {
	return c.Subject(ctx, ref, "")
}

// installed is Installed by what reads the release.
func (c *Client) installed(ctx context.Context, ref spec.Ref, load loader) (*Subject, error) {
	v, receipt, err := c.checked(ctx, ref, load)
	var withdrawn error
	if fault.ReasonOf(err) == "revoked" && v.OK() {
		withdrawn = fault.New(fault.Denied, "revoked", "%w", err).Hint("--unsafe-run-revoked runs it all the same")
		err = nil
	}
	if err != nil {
		return nil, err
	}
	var closure *ledger.Closure
	if v.Tool().Format == spec.FormatPatch {
		if closure, err = closureOf(v); err != nil {
			return nil, err
		}
	}
	var size int64
	for _, f := range v.Document().Files {
		size += f.Size
	}
	s := &Subject{
		Tool: v.Tool(), Main: v.Main(), Ref: v.Ref(), Registry: v.Registry(), Closure: closure, revoked: withdrawn,
		consent: &kept{c.Box, receipt, v.Tool().Permissions()},
		examine: func(ctx context.Context) error { return c.Recheck(ctx, v, receipt) },
		digest:  v.Document().MainFile().SHA256,
		reads:   c.Box.Reads(receipt, v.Document()),
		size:    size,
	}
	if v.Tool().Deployment != nil {
		d, _, err := c.Box.Deployed(receipt)
		if err != nil {
			return nil, err
		}
		s.deployed, s.net = c.deployedFor(v.Tool(), receipt), d.Net
	}
	if v.Tool().Format == spec.FormatPatch {
		s.program = python{}
		s.parsedBy = func(ctx context.Context, python string) error { return c.parsedBy(ctx, v, receipt, python) }
	}
	return s, nil
}
