package action

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/spec"
)

// TestWaivedIsShown: what a maintainer let pass counts as a note, and both the
// comment and the remark say who did.
func TestWaivedIsShown(t *testing.T) {
	f := spec.Finding{ID: "PY-003", Severity: spec.SeverityError, File: "tools/a/tool.py", Line: 3, Message: "seen"}
	r := &review.Review{Findings: []spec.Finding{f}}
	if a := annotations(r)[0]; a.Level != "failure" || strings.Contains(a.Message, "waived") || !strings.Contains(findings(r, 9000), "1 error,") {
		t.Errorf("not waived: %+v\n%s", a, findings(r, 9000))
	}
	r.Findings[0].Waived = spec.Waived{Reason: "Fine.\n::error::x", Approver: "ann", Until: "2026-12-31"}
	a, text := annotations(r)[0], findings(r, 9000)
	if a.Level != "notice" || !strings.Contains(a.Message, "waived by ann until 2026-12-31: Fine.") || strings.Contains(a.Message, "\n") {
		t.Errorf("waived: %+v", a)
	}
	if !strings.Contains(text, "0 errors") || !strings.Contains(text, "waived by ann until 2026-12-31") || strings.Contains(text, "\n::error") {
		t.Errorf("waived:\n%s", text)
	}
}
