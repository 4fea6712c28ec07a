package contribute

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// louder is echo_text of a version with work at import.
func louder(version string) []byte {
	return source("echo_text", "version: 0.1.0", "version: "+version, "import sys\n", "import sys\nprint(1)\n")
}

// waiverOf is the waiver of the only error of a version, by a maintainer.
func waiverOf(t *testing.T, w *Workshop, data []byte) spec.Waiver {
	t.Helper()
	checked, err := w.check(t.Context(), "", []spec.File{{Path: "tool.py", Data: data}}, surroundings{})
	if err != nil || len(checked.Findings) != 1 {
		t.Fatal(checked, err)
	}
	out, ok := quarantine.WaiverFor(checked.Release, checked.Findings[0])
	if !ok {
		t.Fatalf("there is no waiver of %v", checked.Findings[0])
	}
	out.Reason, out.Approver, out.ApproverID, out.Since, out.Until = "It prints one digit.", "root", 1, "2026-11-01", "2026-11-30"
	return out
}

func writeWaivers(t *testing.T, dir string, data []byte) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(registry.WaiversPath("echo_text")))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestReviewObeysWaivers: those of the base, while they hold, about these bytes.
func TestReviewObeysWaivers(t *testing.T) {
	w, dir := checkout(t)
	data := louder("0.2.0")
	given := waiverOf(t, w, data)
	change := put(toolsOfEcho+"0.2.0/tool.py", data)
	look := func(when time.Time, changes ...review.Change) *review.Review {
		t.Helper()
		w.host.Now = func() time.Time { return when }
		s := proposal(changes...)
		s.Opened = when.Add(-time.Hour)
		r, err := w.Review(t.Context(), dir, nil, s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := look(clock, change); refusals(r) != "PY-002" || r.Verdict != review.Fail {
		t.Fatalf("without a waiver: %s, %v", r.Verdict, r.Findings)
	}
	text := registry.EncodeWaivers([]spec.Waiver{given})
	if r := look(clock, change, put(registry.WaiversPath("echo_text"), text)); r.Verdict != review.Fail || !strings.Contains(refusals(r), "GOV-001") {
		t.Errorf("a tool that brings its waiver: %s, %v", r.Verdict, r.Findings)
	}
	writeWaivers(t, dir, text)
	r := look(clock, change)
	if r.Verdict != review.Pass || len(r.Findings) != 1 || r.Findings[0].Waived.Approver != "root" || r.Merge.Reason != review.ReasonUpdate {
		t.Errorf("waived: %s, %+v, %v", r.Verdict, r.Merge, r.Findings)
	}
	if again, err := review.Parse(r.Encode()); err != nil || again.Findings[0] != r.Findings[0] {
		t.Errorf("the next job reads %v, %v", again, err)
	}
	if r := look(clock.AddDate(0, 0, 10), change); r.Verdict != review.Fail {
		t.Errorf("after its last day: %s, %v", r.Verdict, r.Findings)
	}
	more := put(toolsOfEcho+"0.2.0/tool.py", append(slices.Clone(data), '\n'))
	if r := look(clock, more); r.Verdict != review.Fail {
		t.Errorf("with one byte more: %s, %v", r.Verdict, r.Findings)
	}
	writeWaivers(t, dir, []byte("waivers: yes\n"))
	if r := look(clock, change); r.Verdict != review.Fail || len(r.Unchecked) == 0 {
		t.Errorf("unreadable waivers: %s, %v, %v", r.Verdict, r.Findings, r.Unchecked)
	}
	writeWaivers(t, dir, text)
	if _, r, err := w.CheckIn(t.Context(), writeTool(t, data), dir); err != nil || r.Verdict == review.Fail {
		t.Errorf("check --in: %v, %v", r, err)
	}
}

func writeTool(t *testing.T, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "echo_text.py")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReviewOfWaivers: a maintainer proposes them, alone, and they are what a
// waiver may be.
func TestReviewOfWaivers(t *testing.T) {
	w, dir := checkout(t)
	good := waiverOf(t, w, louder("0.2.0"))
	with := func(change func(*spec.Waiver)) []byte {
		one := good
		change(&one)
		return registry.EncodeWaivers([]spec.Waiver{one})
	}
	path := registry.WaiversPath("echo_text")
	none := func(*spec.Waiver) {}
	root := ledger.Owner{Login: "root", ID: 1}
	for name, c := range map[string]struct {
		changes []review.Change
		author  ledger.Owner
		found   string
	}{
		"good":                    {[]review.Change{put(path, with(none))}, root, ""},
		"by nobody who may":       {[]review.Change{put(path, with(none))}, carol, "GOV-001 GOV-011"},
		"of somebody else":        {[]review.Change{put(path, with(func(w *spec.Waiver) { w.ApproverID = 2 }))}, root, "GOV-011"},
		"of another login":        {[]review.Change{put(path, with(func(w *spec.Waiver) { w.Approver = "ann" }))}, root, "GOV-011"},
		"of what nobody waives":   {[]review.Change{put(path, with(func(w *spec.Waiver) { w.Rule = "TXT-001" }))}, root, "GOV-011"},
		"of no rule":              {[]review.Change{put(path, with(func(w *spec.Waiver) { w.Rule = "PY-999" }))}, root, "GOV-011"},
		"that begins next week":   {[]review.Change{put(path, with(func(w *spec.Waiver) { w.Since = "2026-11-28" }))}, root, "GOV-011"},
		"that lasts":              {[]review.Change{put(path, with(func(w *spec.Waiver) { w.Until = "2027-11-28" }))}, root, "GOV-011"},
		"unreadable":              {[]review.Change{put(path, []byte("waivers: []\n"))}, root, "GOV-011"},
		"of no name":              {[]review.Change{put("waivers/README.md", []byte("x\n"))}, root, "GOV-011"},
		"unread":                  {[]review.Change{{Path: path, Status: review.Added, Mode: "100644", Refused: "too large"}}, root, "GOV-003 GOV-011"},
		"a link":                  {[]review.Change{{Path: path, Status: review.Added, Mode: "120000", Data: with(none)}}, root, "GOV-011"},
		"beside a workflow":       {[]review.Change{put(path, with(none)), put(".github/x.yml", []byte("x\n"))}, root, "GOV-002"},
		"beside a tool":           {append(proposal().Changes, put(path, with(none))), root, "GOV-001"},
		"taken back":              {[]review.Change{{Path: path, Status: review.Removed}}, root, ""},
		"taken back by a visitor": {[]review.Change{{Path: path, Status: review.Removed}}, carol, "GOV-001"},
	} {
		t.Run(name, func(t *testing.T) {
			s := proposal(c.changes...)
			s.Author, s.Maintainer = c.author, c.author == root
			r, err := w.Review(t.Context(), dir, nil, s)
			if err != nil {
				t.Fatal(err)
			}
			if got := refusals(r); got != c.found || r.Merge.Auto {
				t.Errorf("found %q, want %q, %+v: %v", got, c.found, r.Merge, r.Findings)
			}
		})
	}
	// What the base has was approved when it came.
	writeWaivers(t, dir, with(none))
	next := good
	next.Line++
	next.Approver, next.ApproverID = "eve", 66
	s := proposal(put(path, registry.EncodeWaivers([]spec.Waiver{good, next})))
	s.Author, s.Maintainer = ledger.Owner{Login: "eve", ID: 66}, true
	if r, err := w.Review(t.Context(), dir, nil, s); err != nil || refusals(r) != "" {
		t.Errorf("one more: %v, %v", r.Findings, err)
	}
}

// TestRescanHonoursExpiry: the night after its last day, what was waived is an
// error again.
func TestRescanHonoursExpiry(t *testing.T) {
	w, dir := checkout(t)
	data := louder("0.2.0")
	given := waiverOf(t, w, data)
	tree, err := registry.OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &spec.Release{
		Ref:  spec.Ref{Name: "echo_text", Version: "0.2.0"},
		Tool: spec.Tool{Format: spec.FormatPatch, Name: "echo_text", Version: "0.2.0"}, Files: []spec.File{{Path: "tool.py", Data: data}},
	}
	if err := tree.Stage(r, ann); err != nil {
		t.Fatal(err)
	}
	writeWaivers(t, dir, registry.EncodeWaivers([]spec.Waiver{given}))
	for day, bad := range map[string]int{"2026-10-31": 1, "2026-11-01": 0, "2026-11-30": 0, "2026-12-01": 1} {
		w.host.Now = func() time.Time {
			at, err := time.Parse(time.DateOnly, day)
			if err != nil {
				t.Fatal(err)
			}
			return at.Add(12 * time.Hour)
		}
		got, err := w.Rescan(t.Context(), dir)
		if err != nil || got.Versions != 2 || len(got.Bad) != bad {
			t.Errorf("on %s: %+v, %v, want %d bad", day, got, err, bad)
		}
	}
}
