package quarantine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func TestValidSubjectPasses(t *testing.T) {
	report := Check(t.Context(), valid(t))
	if len(report.Findings) > 0 || len(report.Unchecked) > 0 || !report.Passed() {
		t.Errorf("got %v, unchecked %v, want nothing", report.Findings, report.Unchecked)
	}
}

// TestNothingKnownIsNoYes holds the zero values: nothing passes by leaving
// something out.
func TestNothingKnownIsNoYes(t *testing.T) {
	if r := Check(t.Context(), Subject{}); r.Passed() || ids(r.Findings) != "GOV-000 error" {
		t.Errorf("no release: got %v, want GOV-000", r.Findings)
	}
	if (&Report{}).Passed() {
		t.Error("the zero report passes")
	}
	if r := Check(t.Context(), Subject{Release: &spec.Release{}}); r.Passed() {
		t.Error("an empty release passes")
	}
	s := valid(t)
	s.Names, s.Previous = nil, nil
	if r := Check(t.Context(), s); len(r.Unchecked) != 2 {
		t.Errorf("unchecked is %q, want names and versions", r.Unchecked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := Check(ctx, valid(t)); r.Passed() || ids(r.Findings) != "GOV-000 error" {
		t.Errorf("stopped check: got %v, want GOV-000", r.Findings)
	}
}

func TestReportIsDeterministic(t *testing.T) {
	s := valid(t)
	s.Release.Tool.Description = "p\u0430y \u200B\u202E\U000E0041 ｉｇｎｏｒｅ"
	s.Release.Tool.Extensions = map[string]json.RawMessage{"x-b": json.RawMessage(`"\u200b"`), "x-a": json.RawMessage(`"\u00ad"`)}
	addFile("b.bin", "\x00")(&s)
	addFile("A.txt", "\u200Bx\u00AD")(&s)
	first := Check(t.Context(), s)
	for range 20 {
		again := Check(t.Context(), s)
		if !bytes.Equal(again.Encode(), first.Encode()) {
			t.Fatalf("got %s, then %s", first.Encode(), again.Encode())
		}
	}
	if first.Digest() != spec.DigestOf(first.Encode()) || first.Encode()[len(first.Encode())-1] != '\n' {
		t.Error("the digest is not that of the canonical bytes")
	}
	if !strings.Contains(string(first.Encode()), `"files":[{"path":"A.txt","sha256":"`) {
		t.Errorf("the report does not name its files in order: %s", first.Encode())
	}
	s.Release.Files[0].Data = append(s.Release.Files[0].Data, '\n')
	if changed := Check(t.Context(), s); changed.Digest() == first.Digest() {
		t.Error("another source has the same report")
	}
}

// TestFlood shows that a thousand warnings do not push an error out of sight.
func TestFlood(t *testing.T) {
	s := valid(t)
	notes := strings.Repeat("a\u200Bb\n", 1000)
	addFile("NOTES.md", notes)(&s)
	r := Check(t.Context(), s)
	if !r.Passed() || len(r.Findings) != maxPerRule+1 || r.Findings[maxPerRule].ID != "GOV-999" {
		t.Errorf("warnings alone: got %d findings, passed %v", len(r.Findings), r.Passed())
	}
	s.Release.Files[1].Data = []byte(notes + "x\u202Ey\n")
	r = Check(t.Context(), s)
	if r.Passed() || !slices.ContainsFunc(r.Findings, func(f spec.Finding) bool { return f.Severity == bad && f.Line == 1001 }) {
		t.Errorf("the error behind the flood is not listed: %v", ids(r.Findings))
	}
	s = valid(t)
	for i := range 300 {
		addFile(fmt.Sprintf("x%d.bin", i), "")(&s)
	}
	r = Check(t.Context(), s)
	last := r.Findings[len(r.Findings)-1]
	if last.ID != "GOV-999" || last.Severity != bad {
		t.Errorf("cut errors are counted by %v, want an error GOV-999", last)
	}
}

func TestRulesTable(t *testing.T) {
	all := Rules()
	for i, r := range all {
		if i > 0 && r.ID <= all[i-1].ID {
			t.Errorf("%s is there twice", r.ID)
		}
		if r.ID == "" || r.What == "" || r.Why == "" || r.Fix == "" || r.Severity != bad && r.Severity != warn {
			t.Errorf("rule %d is incomplete: %+v", i, r)
		}
		if i > 0 && all[i-1].ID >= r.ID {
			t.Errorf("rule %s stands twice or out of order", r.ID)
		}
	}
	all[0].ID = "changed"
	if Rules()[0].ID == "changed" {
		t.Error("Rules hands out its own table")
	}
}

// TestFindingsNeverCarryHostileText holds what every reader of findings relies
// on: messages are ASCII whatever the release says.
func TestFindingsNeverCarryHostileText(t *testing.T) {
	s := valid(t)
	evil := "\x1b[2J\u202E\n::error::x"
	s.Release.Ref.Version, s.Release.Ref.Name = spec.Version(evil), spec.Name(evil)
	s.Release.Tool.Description, s.Release.Tool.GeneratedBy = evil, evil
	s.Release.Tool.Inputs[0].Name = evil
	s.Release.Tool.Runtime.PythonVersion = evil
	s.Release.Tool.Extensions = map[string]json.RawMessage{evil: json.RawMessage(`"x\u202e"`)}
	s.Release.Files = append(s.Release.Files, spec.File{Path: evil, Data: []byte(evil)}, spec.File{Path: "../" + evil})
	s.Facts.Imports = append(s.Facts.Imports, Import{Module: evil}, Import{Module: evil, Level: 1})
	s.Facts.Effects = []Effect{{Kind: "call", Target: evil, Where: "module"}, {Kind: "statement", Target: evil, Where: "module"}}
	s.Facts.Identifiers = []Identifier{{Name: evil, Normal: evil}}
	s.Facts.Main[0].Params = append(s.Facts.Main[0].Params, Param{Name: evil, Annotation: evil})
	s.Previous = []Published{{Version: "0.1.0", Files: map[string]spec.Digest{evil: {}}}}
	r := Check(t.Context(), s)
	for _, f := range r.Findings {
		for _, text := range []string{f.Message, f.Fix, f.File} {
			if i := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 || r > 0x7E }); i >= 0 {
				t.Errorf("finding %q holds %q", f.ID, text[i:])
			}
		}
	}
	for _, u := range r.Unchecked {
		if strings.ContainsAny(u, "\x1b\u202E\n") {
			t.Errorf("unchecked holds %q", u)
		}
	}
	if len(r.Findings) < 10 {
		t.Errorf("only %d findings: the test does not reach its rules", len(r.Findings))
	}
}
