package quarantine

import (
	"cmp"
	"fmt"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// collector gathers the findings of one subject.
type collector struct {
	*Subject
	tool      *spec.Tool
	main      string   // path of the main file
	source    []byte   // its bytes
	inferred  Inferred // what the code can do, as far as it tells
	found     []spec.Finding
	unchecked []string
}

// at is where a finding points; the zero value is the whole release.
type at struct {
	file      string
	line, col int
}

func (c *collector) inMain(p Place) at { return at{c.main, p.Line, p.Col} }

// add records a finding of the rule's own severity; seen is what was seen, in
// which foreign text has gone through spec.Quote.
func (c *collector) add(r *Rule, where at, seen string, args ...any) {
	c.addAs(r, r.Severity, where, "", seen, args...)
}

// warn is add for the cases of a rule that do not block.
func (c *collector) warn(r *Rule, where at, seen string, args ...any) {
	c.addAs(r, warn, where, "", seen, args...)
}

// addAs is add with a severity and, where it is not "", a more exact fix.
func (c *collector) addAs(r *Rule, severity spec.Severity, where at, fix, seen string, args ...any) {
	c.found = append(c.found, spec.Finding{
		ID: r.ID, Severity: severity, File: where.file, Line: where.line, Col: where.col,
		Message: fmt.Sprintf(seen, args...) + "; " + r.Why,
		Fix:     cmp.Or(fix, r.Fix),
	})
}

func (c *collector) skip(format string, args ...any) {
	c.unchecked = append(c.unchecked, fmt.Sprintf(format, args...))
}

// maxPerRule is how many findings of one rule in one file a report lists.
const maxPerRule = 20

// finish returns the findings in the order of the files. A flood must not push
// an error out of sight: of every rule and file the errors are kept first, and
// what is cut is counted by a finding as severe as the worst of it.
func (c *collector) finish() []spec.Finding {
	Waive(c.Release, c.found, c.Waivers)
	kept, cut, worst := spec.Shorten(c.found, maxPerRule, limits.ManifestProblems, func(f spec.Finding) string { return f.ID + " " + f.File })
	if cut > 0 {
		r := flood
		kept = append(kept, spec.Finding{ID: r.ID, Severity: worst, Message: fmt.Sprintf("%d more findings are not listed; %s", cut, r.Why), Fix: r.Fix})
	}
	return kept
}
