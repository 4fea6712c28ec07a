package quarantine

import (
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// waived is a subject with an error that can be waived, and the waiver of it.
func waived(t *testing.T) (Subject, spec.Waiver) {
	t.Helper()
	s := valid(t)
	s.Facts.Effects = []Effect{{Kind: "call", Target: "os.system", Where: "module", Origin: "stdlib", Place: Place{30, 1}}}
	r := Check(t.Context(), s)
	if ids(r.Findings) != "PY-002 error" {
		t.Fatalf("got %v, want one error", r.Findings)
	}
	w, ok := WaiverFor(s.Release, r.Findings[0])
	if !ok {
		t.Fatal("there is no waiver for it")
	}
	w.Reason, w.Approver, w.ApproverID, w.Since, w.Until = "The call is harmless.", "alice", 7, "2026-01-01", "2026-02-01"
	return s, w
}

func TestWaiver(t *testing.T) {
	s, w := waived(t)
	s.Waivers = []spec.Waiver{w}
	r := Check(t.Context(), s)
	want := spec.Waived{Reason: "The call is harmless.", Approver: "alice", Until: "2026-02-01"}
	if !r.Passed() || len(r.Findings) != 1 || r.Findings[0].Waived != want || r.Findings[0].Severity != bad {
		t.Fatalf("got %+v, want one waived error that blocks nothing", r.Findings)
	}
	if !strings.Contains(string(r.Encode()), `"waived":{"reason":"The call is harmless.","approver":"alice","until":"2026-02-01"}`) {
		t.Errorf("the report does not tell of the waiver: %s", r.Encode())
	}
	if got := WaivedIn(r.Encode()); len(got) != 1 || got[0] != r.Findings[0] {
		t.Errorf("the report has %v", got)
	}
	// The same in anything but the point that the case changes.
	for name, change := range map[string]func(*Subject, *spec.Waiver){
		"another rule":    func(_ *Subject, w *spec.Waiver) { w.Rule = "PY-008" },
		"another version": func(_ *Subject, w *spec.Waiver) { w.Version = "1.2.1" },
		"another file":    func(_ *Subject, w *spec.Waiver) { w.File = "README.md" },
		"another digest":  func(_ *Subject, w *spec.Waiver) { w.Digest = spec.Digest{} },
		"another line":    func(_ *Subject, w *spec.Waiver) { w.Line++ },
		"another sight":   func(_ *Subject, w *spec.Waiver) { w.Seen += "!" },
		"one byte more": func(s *Subject, _ *spec.Waiver) {
			s.Release.Files[0].Data = append(slices.Clone(s.Release.Files[0].Data), '\n')
		},
		"a comment that waives": func(s *Subject, w *spec.Waiver) {
			w.Digest = spec.Digest{}
			source("WORD = ", "# noqa # nosec # nosemgrep # patch-git: waive PY-002\nWORD = ")(s)
		},
		"the call twice": func(s *Subject, _ *spec.Waiver) {
			e := s.Facts.Effects[0]
			e.Line++
			s.Facts.Effects = append(s.Facts.Effects, e)
		},
		"the file twice": func(s *Subject, _ *spec.Waiver) { s.Release.Files = append(s.Release.Files, s.Release.Files[0]) },
	} {
		t.Run(name, func(t *testing.T) {
			s, w := waived(t)
			change(&s, &w)
			s.Waivers = []spec.Waiver{w}
			if r := Check(t.Context(), s); r.Passed() {
				t.Errorf("it passes: %+v", r.Findings)
			}
		})
	}
}

func FuzzWaivedIn(f *testing.F) {
	f.Add([]byte(`{"schema":"patch-git/report/v1","findings":[{"id":"PY-002","waived":{"approver":"a"}},{"id":"PY-003"}]}`))
	f.Add([]byte(`{"report":"none"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, one := range WaivedIn(data) {
			if one.Blocks() {
				t.Errorf("%v is not waived", one)
			}
		}
	})
}

// TestNeverWaived: for what nobody may let pass, no waiver is made, and one
// that is written by hand has no effect.
func TestNeverWaived(t *testing.T) {
	s := valid(t)
	s.Release.Tool.Description = "pay\u202Eme"
	source("Count the words of a text.", "pay\u202Eme")(&s)
	r := Check(t.Context(), s)
	if ids(r.Findings) != "TXT-001 error" {
		t.Fatalf("got %v, want hidden text", r.Findings)
	}
	f := r.Findings[0]
	if _, ok := WaiverFor(s.Release, f); ok {
		t.Error("there is a waiver for hidden text")
	}
	seen, _, _ := strings.Cut(f.Message, "; ")
	s.Waivers = []spec.Waiver{{
		Rule: f.ID, Version: s.Release.Ref.Version, File: f.File, Digest: spec.DigestOf(s.Release.Files[0].Data), Line: f.Line, Seen: seen,
		Reason: "Fine.", Approver: "alice", Since: "2026-01-01", Until: "2026-02-01",
	}}
	if r := Check(t.Context(), s); r.Passed() || r.Findings[0].Waived != (spec.Waived{}) {
		t.Errorf("hidden text is waived: %+v", r.Findings)
	}
	for _, rule := range Rules() {
		if may := rule.Waiver == WaiverAuthor || rule.Waiver == WaiverMaintainer; Waivable(rule.ID) != may {
			t.Errorf("%s of class %q: waivable is %v", rule.ID, rule.Waiver, !may)
		}
	}
	if Waivable("PY-999") {
		t.Error("a rule that there is not can be waived")
	}
}

// TestWaivedFloodHidesNothing: waived findings take no place from an error.
func TestWaivedFloodHidesNothing(t *testing.T) {
	s := valid(t)
	for i := range 2 * maxPerRule {
		s.Facts.Effects = append(s.Facts.Effects, Effect{Kind: "call", Target: "os.system", Where: "module", Origin: "stdlib", Place: Place{i + 1, 1}})
	}
	for _, f := range allFound(t, s) {
		if w, ok := WaiverFor(s.Release, f); ok && f.Line <= 2*maxPerRule {
			w.Reason, w.Approver, w.Until = "Harmless.", "alice", "2026-02-01"
			s.Waivers = append(s.Waivers, w)
		}
	}
	if r := Check(t.Context(), s); !r.Passed() {
		t.Errorf("all of it is waived, and it does not pass: %v", r.Findings)
	}
	s.Facts.Effects = append(s.Facts.Effects, Effect{Kind: "call", Target: "os.system", Where: "module", Origin: "stdlib", Place: Place{99, 1}})
	r := Check(t.Context(), s)
	if r.Passed() || !slices.ContainsFunc(r.Findings, func(f spec.Finding) bool { return f.Line == 99 && f.Blocks() }) {
		t.Errorf("the error behind waived ones is not listed: %v", r.Findings)
	}
}

// allFound are the findings of a subject before any is cut.
func allFound(t *testing.T, s Subject) []spec.Finding {
	t.Helper()
	var out []spec.Finding
	for _, e := range s.Facts.Effects {
		one, facts := s, *s.Facts
		facts.Effects = []Effect{e}
		one.Facts = &facts
		out = append(out, Check(t.Context(), one).Findings...)
	}
	return out
}
