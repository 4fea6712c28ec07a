package quarantine

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// Waivable tells whether a maintainer may let a finding of the rule pass. What
// nobody can mend by declaring or rewriting it, such as hidden text, is for
// nobody to let pass; and what the author may declare is declared.
func Waivable(id string) bool {
	return slices.ContainsFunc(Rules(), func(r Rule) bool { return r.ID == id && r.waivable() })
}

func (r *Rule) waivable() bool { return r.Waiver == WaiverAuthor || r.Waiver == WaiverMaintainer }

// WaiverFor is the waiver of a finding, but for who gives it and for how long;
// ok is false where none can be given.
func WaiverFor(r *spec.Release, f spec.Finding) (w spec.Waiver, ok bool) {
	for _, rule := range Rules() {
		seen, ofRule := seenOf(f, &rule)
		digest, found := digestOf(r, f.File)
		if rule.ID == f.ID && rule.waivable() && ofRule && found {
			return spec.Waiver{Rule: f.ID, Version: r.Ref.Version, File: f.File, Digest: digest, Line: f.Line, Seen: seen}, true
		}
	}
	return spec.Waiver{}, false
}

// digestOf is of the one file that has the path; of two, nobody knows which is
// meant.
func digestOf(r *spec.Release, path string) (d spec.Digest, found bool) {
	for _, f := range r.Files {
		if f.Path != path {
			continue
		}
		if found {
			return d, false
		}
		d, found = spec.DigestOf(f.Data), true
	}
	return d, found
}

// seenOf takes what was seen out of a message of a rule.
func seenOf(f spec.Finding, r *Rule) (seen string, ok bool) {
	return strings.CutSuffix(f.Message, "; "+r.Why)
}

// Waive marks what falls under a waiver: the very finding, in the very bytes.
// No text of a release takes part in this but by its digest.
func Waive(r *spec.Release, found []spec.Finding, given []spec.Waiver) {
	if len(given) == 0 || r == nil {
		return
	}
	for i := range found {
		f := &found[i]
		w, ok := WaiverFor(r, *f)
		if !ok {
			continue
		}
		for _, g := range given {
			if g.Rule == w.Rule && g.Version == w.Version && g.File == w.File && g.Digest == w.Digest && g.Line == w.Line && g.Seen == w.Seen {
				f.Waived = spec.Waived{Reason: g.Reason, Approver: g.Approver, Until: g.Until}
			}
		}
	}
}

// SaidByModel is what a model found, as a person repeats it: it says something
// else another time, so that nobody finds it again to waive it. ok is false for a
// rule of another kind.
func SaidByModel(id, file string, line int, seen string) (f spec.Finding, ok bool) {
	for _, r := range modelRules {
		if r.ID == id {
			seen = strings.TrimSuffix(seen, "; "+r.Why)
			return spec.Finding{ID: id, Severity: r.Severity, File: file, Line: line, Message: seen + "; " + r.Why}, true
		}
	}
	return f, false
}
