package ledger_test

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// TestOtherSummary: whatever a manifest of another format says, its summary is one
// that every reader of catalogues takes; a Patch tool's is told word for word.
func TestOtherSummary(t *testing.T) {
	long := strings.Repeat("\U00010348", 5000)
	t1 := &spec.Tool{
		Format: spec.FormatInstall, Description: "Two\nlines \u2028 and\tblanks", License: "PROPRIETARY or so", Tags: []string{"good", "Bad", "a-b"},
		Examples: []string{"Say\nit", "", long},
	}
	for range 70 {
		t1.Operations = append(t1.Operations, spec.Operation{Name: "do_" + strings.Repeat("x", 100), Summary: long + "\n"})
	}
	for range 3 {
		t1.Inputs = append(t1.Inputs, spec.Input{Name: "in", Description: "a\nb" + long})
	}
	if got := ledger.NewDescription(t1); got != "Two lines and blanks" {
		t.Errorf("described as %q", got)
	}
	t1.Description = long
	l := line("mail_tool", ledger.NewDescription(t1))
	l.Summary = ledger.NewSummary(t1)
	if s := l.Summary; len(s.Operations) != limits.Inputs-3 || len(s.Tags) != 2 || s.License != "" || len(s.Examples) != 2 || s.Examples[0] != "Say it" {
		t.Errorf("%d operations, tags %q, license %q, %d examples", len(s.Operations), s.Tags, s.License, len(s.Examples))
	}
	if _, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), map[spec.Name]*ledger.Listing{l.Name: l}); err != nil {
		t.Fatal(err)
	}
	data := ledger.Encode(l)
	if _, err := ledger.ParseListing(data[:len(data)-1]); err != nil {
		t.Errorf("%d bytes: %v", len(data), err)
	}
	// A Patch tool has no operations, whatever a registry says.
	l.Summary = ledger.Summary{Format: spec.FormatPatch, Operations: []ledger.SummaryInput{{Name: "do"}}}
	data = ledger.Encode(l)
	if _, err := ledger.ParseListing(data[:len(data)-1]); err == nil {
		t.Error("a Patch tool with operations is read")
	}
	l.Summary.Operations = nil
	data = ledger.Encode(l)
	if _, err := ledger.ParseListing(data[:len(data)-1]); err != nil {
		t.Errorf("the twin: %v", err)
	}
}
