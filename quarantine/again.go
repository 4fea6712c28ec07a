package quarantine

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// Again are the findings that count where somebody looks again at a release which
// a registry has accepted, such as a client before it installs it [RUN-003]. A
// registry is no reason to run code, so what the release hides, disguises or does
// not declare counts as it would for the registry. What does not are rules about
// a registry's own choice of names and packages, and about how well a tool is
// made: a missing guard harms nobody who runs it. One of those that a maintainer had
// to let pass is kept, and blocks nothing.
func Again(found []spec.Finding) []spec.Finding {
	var out []spec.Finding
	for _, f := range found {
		family, _, _ := strings.Cut(f.ID, "-")
		theirs := slices.Contains([]string{"MAIN", "DEP"}, family) || authors(f.ID)
		if f.Severity == spec.SeverityError && (!theirs || f.Waived != spec.Waived{}) {
			out = append(out, f)
		}
	}
	return out
}

func authors(id string) bool {
	return slices.ContainsFunc(Rules(), func(r Rule) bool { return r.ID == id && r.Waiver == WaiverAuthor })
}

// Waived marks what the registry's own report says of the same finding: a
// maintainer looked at it and let it pass, in a document that the acceptance
// signs. A registry cannot let pass what nobody may.
func Waived(found, reported []spec.Finding) {
	for i := range found {
		f := &found[i]
		for _, r := range reported {
			if r.Waived != (spec.Waived{}) && Waivable(f.ID) && r.ID == f.ID && r.File == f.File && r.Line == f.Line && r.Col == f.Col && r.Message == f.Message {
				f.Waived = r.Waived
			}
		}
	}
}

// Untold tells whether a finding is that nobody could tell.
func Untold(f spec.Finding) bool { return f.ID == cannotTell.ID || f.ID == incomplete.ID }
