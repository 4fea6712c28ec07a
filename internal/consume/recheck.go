package consume

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// ReasonFindings is the reason that [PullOptions].Despite answers: the rules of
// this program say no to a release that its registry accepted [RUN-003].
const ReasonFindings = "findings"

// Refused is the error for a release that this user's own check says no to.
type Refused struct {
	Ref      spec.Ref
	Findings []spec.Finding // all that count, the waived ones too
	fault    *fault.Error
}

func (r *Refused) Error() string { return r.fault.Error() }

// Unwrap gives the kind, the reason and the hints.
func (r *Refused) Unwrap() error { return r.fault }

// rechecked is what the rules of this program say of a release.
type rechecked struct {
	findings []spec.Finding
	python   string // that parsed it; "" where nobody could tell
	despite  bool   // it is refused, and a person has it all the same
	noted    bool   // with the receipt, by the rules of today
}

// errors counts what nobody waived.
func (r rechecked) errors() int {
	n := 0
	for _, f := range r.findings {
		if f.Blocks() {
			n++
		}
	}
	return n
}

// shown are the findings that a person sees who installs the release: what the
// registry let pass, and what that person does.
func (r rechecked) shown() []spec.Finding {
	if r.despite {
		return r.findings
	}
	return slices.DeleteFunc(slices.Clone(r.findings), spec.Finding.Blocks)
}

// admitted is the check before an installation; despite tells that a person named
// the digest. What is installed already is not checked twice by the same rules.
func (c *Client) admitted(ctx context.Context, v verify.Verified, despite bool) (*rechecked, error) {
	if receipt, err := c.Box.Receipt(v.Ref()); err == nil && receipt.Release == v.Ref().Digest {
		if noted, err := c.noted(receipt); noted || err != nil {
			return &rechecked{noted: noted}, err
		}
	}
	found, untold := c.recheck(ctx, v)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	err := found.verdict(v.Ref(), untold)
	if found.despite = err != nil && despite; found.despite {
		err = nil
	}
	return &found, err
}

// recheck holds the verified bytes of a release against the rules, as its registry
// did: what is signed is not thereby harmless [AR-33…35]. The source is parsed by
// the interpreter that will run it, in the sandbox.
func (c *Client) recheck(ctx context.Context, v verify.Verified) (rechecked, error) {
	r := &spec.Release{Ref: v.Ref(), Tool: *v.Tool()}
	for _, f := range v.Document().Files {
		if f.Path != ledger.ReportFileName && f.Path != ledger.ClosureFileName { // which the registry made
			r.Files = append(r.Files, spec.File{Path: f.Path, Data: v.File(f.Path)})
		}
	}
	facts, factsErr := quarantine.Inspect(ctx, parser{c, v.Tool()}, r)
	scripts, scriptsErr := quarantine.InspectScripts(ctx, parser{c, v.Tool()}, r)
	report := quarantine.Check(ctx, quarantine.Subject{Release: r, Facts: facts, FactsErr: factsErr, Scripts: scripts})
	quarantine.Waived(report.Findings, quarantine.WaivedIn(v.File(ledger.ReportFileName)))
	return rechecked{findings: quarantine.Again(report.Findings), python: report.Python}, cmp.Or(factsErr, scriptsErr)
}

// verdict makes an answer of what was found: nil is yes.
func (r rechecked) verdict(ref spec.Ref, untold error) error {
	says := func(kind fault.Kind, reason, format string, args ...any) *Refused {
		e := fault.New(kind, reason, format, args...)
		return &Refused{Ref: ref, Findings: r.findings, fault: e.Hint("patch-git pull %s --despite-findings %s", ref.At(), ref.Digest)}
	}
	var bad []spec.Finding
	for _, f := range r.findings {
		if f.Blocks() && !quarantine.Untold(f) {
			bad = append(bad, f)
		}
	}
	switch {
	case len(bad) > 0:
		more := ""
		if len(bad) > 1 {
			more = fmt.Sprintf(", and %d more", len(bad)-1)
		}
		return says(fault.Findings, ReasonFindings, "the registry accepted %s, and the rules here (edition %d) refuse it: %s%s",
			ref.At(), quarantine.RulesVersion, bad[0], more)
	case untold != nil:
		return says(fault.Unavailable, cmp.Or(fault.ReasonOf(untold), "untold"), "nobody could check %s here: %w", ref.At(), untold)
	case r.errors() > 0:
		return says(fault.Unavailable, "untold", "nobody could check %s here: %s", ref.At(), r.findings[0])
	}
	return nil
}

// keep notes the answer with the receipt.
func (r rechecked) keep(ctx context.Context, box *toolbox.Toolbox, receipt toolbox.Receipt) error {
	if r.noted {
		return nil
	}
	return box.KeepRecheck(ctx, receipt, toolbox.Recheck{Rules: quarantine.RulesVersion, Python: r.python, Errors: r.errors(), Despite: r.despite})
}

// noted tells whether an installed release was checked by the rules of today, and
// passed or was taken all the same.
func (c *Client) noted(receipt toolbox.Receipt) (bool, error) {
	known, ok, err := c.Box.Recheck(receipt)
	return ok && known.Rules == quarantine.RulesVersion && (known.Errors == 0 || known.Despite), err
}

// Recheck asks what the rules of this program say of an installed release: by what
// is noted of it, and anew where the rules are of another edition by now. Then a
// person who took it in spite of findings is asked again, too.
func (c *Client) Recheck(ctx context.Context, v verify.Verified, receipt toolbox.Receipt) error {
	if noted, err := c.noted(receipt); noted || err != nil {
		return err
	}
	return c.judge(ctx, v, receipt)
}

// parsedBy holds an installed release against the rules anew where another minor
// version of Python is about to run it than the one that parsed it: what is a
// comment, a name or an error to one may be code to the other. What a person took in
// spite of findings stays taken.
func (c *Client) parsedBy(ctx context.Context, v verify.Verified, receipt toolbox.Receipt, python string) error {
	known, ok, err := c.Box.Recheck(receipt)
	if err != nil || ok && (known.Despite || minor(known.Python) == minor(python)) {
		return err
	}
	return c.judge(ctx, v, receipt)
}

// minor is "3.12" of "3.12.4".
func minor(python string) string {
	parts := strings.SplitN(python, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// judge is the check of an installed release, noted where it passes.
func (c *Client) judge(ctx context.Context, v verify.Verified, receipt toolbox.Receipt) error {
	found, untold := c.recheck(ctx, v)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := found.verdict(v.Ref(), untold); err != nil {
		return err
	}
	return found.keep(ctx, c.Box, receipt)
}

// parser asks the interpreter that will run a tool to parse its source. Nothing of
// it is executed.
type parser struct {
	c    *Client
	tool *spec.Tool
}

// Facts implements quarantine.Parser.
func (p parser) Facts(ctx context.Context, source []byte) (quarantine.Facts, error) {
	box, err := sandbox.Open(ctx, ahead.Options(p.c.Host.Paths, p.c.Host.Now))
	if err != nil {
		return quarantine.Facts{}, err
	}
	defer box.Close()
	pythons := pyenv.New(p.c.Host, box)
	in, err := pythons.Find(ctx, cmp.Or(p.tool.Runtime.PythonVersion, quarantine.ScriptPython), len(p.tool.Runtime.Packages) > 0)
	if err != nil {
		return quarantine.Facts{}, err
	}
	data, _, err := pythons.Answer(ctx, in, string(quarantine.ProgramSource()), source,
		sandbox.Limits{Wall: limits.ParseTime, CPU: limits.ParseCPU, Memory: limits.ParseMemory, Stdout: limits.Document}, quarantine.Lasting)
	if err != nil {
		return quarantine.Facts{}, err
	}
	return quarantine.ParseFacts(data)
}
