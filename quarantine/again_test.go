package quarantine

import (
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// TestWaivedByItsOwnRegistry: a registry may say in its own report that everything
// was let pass. What nobody may let pass, and what a tool declares, refuses all the
// same, and what is waived is kept to be shown.
func TestWaivedByItsOwnRegistry(t *testing.T) {
	waived := spec.Waived{Reason: "Fine.", Approver: "eve", Until: "9999-12-31"}
	for _, r := range Rules() {
		found := []spec.Finding{{ID: r.ID, Severity: bad, File: "tool.py", Line: 3, Col: 1, Message: "seen; " + r.Why}}
		said := found[0]
		said.Waived = waived
		report := ledger.Encode(Report{Schema: ReportSchema, Name: "a_tool", Version: "1.0.0", Format: spec.FormatPatch, Findings: []spec.Finding{said}})
		Waived(found, WaivedIn(report))
		may := r.Waiver == WaiverAuthor || r.Waiver == WaiverMaintainer
		if again := Again(found); may && (len(again) != 1 || again[0].Blocks() || again[0].Waived != waived) || !may && spec.Blocking(again) != spec.Blocking(Again([]spec.Finding{{ID: r.ID, Severity: bad}})) {
			t.Errorf("%s, for %s: %v", r.ID, r.Waiver, again)
		}
	}
	// What is waived is this finding and no other.
	good := spec.Finding{ID: "PY-003", Severity: bad, File: "tool.py", Line: 3, Col: 5, Message: "seen"}
	for name, change := range map[string]func(*spec.Finding){
		"":             func(*spec.Finding) {},
		"another rule": func(f *spec.Finding) { f.ID = "PY-004" },
		"a file":       func(f *spec.Finding) { f.File = "other.py" },
		"a line":       func(f *spec.Finding) { f.Line++ },
		"a column":     func(f *spec.Finding) { f.Col++ },
		"something":    func(f *spec.Finding) { f.Message += "." },
		"no waiver":    func(f *spec.Finding) { f.Waived = spec.Waived{} },
	} {
		said := good
		said.Waived = waived
		change(&said)
		found := []spec.Finding{good}
		Waived(found, WaivedIn(ledger.Encode(Report{Schema: ReportSchema, Name: "a_tool", Version: "1.0.0", Format: spec.FormatPatch, Findings: []spec.Finding{said}})))
		if (found[0].Waived != spec.Waived{}) != (name == "") {
			t.Errorf("%q: %v", name, found)
		}
	}
	if WaivedIn([]byte(`{"findings":[{"id":"PY-003","waived":{"reason":"x"}}]}`)) != nil {
		t.Error("what is no report waives")
	}
}
