package spec

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says what a finding does.
type Severity string

// An error blocks, a warning counts, a note is only shown.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityNote    Severity = "note"
)

// Finding is one problem of a release: what was seen, where, and what its
// author can do. IDs are stable; documentation and waivers name them.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"` // from 1; 0 is the whole file
	Col      int      `json:"col,omitempty"`  // from 1, in characters
	Message  string   `json:"message"`
	Fix      string   `json:"fix,omitempty"`
	// Code is a stable word for what was seen, where one id has several or a
	// program is to branch on it: "secret-in-argv".
	Code string `json:"code,omitempty"`
	// Waived says who let it pass. What is waived blocks nothing and is shown
	// wherever findings are.
	Waived Waived `json:"waived,omitzero"`
}

// String is file:line:col: severity: message [id], and who waived it.
func (f Finding) String() string {
	at := f.File
	if f.Line > 0 {
		at += fmt.Sprintf(":%d", f.Line)
		if f.Col > 0 {
			at += fmt.Sprintf(":%d", f.Col)
		}
	}
	if at != "" {
		at += ": "
	}
	text := fmt.Sprintf("%s%s: %s [%s]", at, f.Severity, f.Message, f.ID)
	if w := f.Waived; w != (Waived{}) {
		text += fmt.Sprintf(" (waived by %s until %s: %s)", w.Approver, w.Until, w.Reason)
	}
	return text
}

// Weight is the severity as it counts: a note where somebody waived it, an
// error where it is no severity.
func (f Finding) Weight() Severity {
	switch {
	case f.Waived != Waived{} || f.Severity == SeverityNote:
		return SeverityNote
	case f.Severity == SeverityWarning:
		return SeverityWarning
	}
	return SeverityError
}

// Blocks tells whether the finding is an error that nobody waived.
func (f Finding) Blocks() bool { return f.Weight() == SeverityError }

// rank orders weights, the heaviest first.
func (f Finding) rank() int {
	return slices.Index([]Severity{SeverityError, SeverityWarning, SeverityNote}, f.Weight())
}

// SortFindings orders findings by file, line, column and id.
func SortFindings(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.ID, b.ID))
	})
}

// Blocking tells whether any of the findings is an error that nobody waived.
func Blocking(fs []Finding) bool { return slices.ContainsFunc(fs, Finding.Blocks) }

// Shorten keeps the findings that fit: at most each of one group and most in
// all, those that weigh most first, in the order of [SortFindings]. cut is how
// many are left out, and worst the severity of the weightiest of them, so that
// a flood pushes no error out of sight.
func Shorten(found []Finding, each, most int, group func(Finding) string) (kept []Finding, cut int, worst Severity) {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(a.rank()-b.rank(), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.ID, b.ID), cmp.Compare(a.Message, b.Message))
	})
	kept, worst = []Finding{}, SeverityNote
	count, heaviest := map[string]int{}, 2
	for _, f := range found {
		g := group(f)
		if count[g]++; count[g] <= each && len(kept) < most {
			kept = append(kept, f)
			continue
		}
		if cut++; f.rank() < heaviest {
			heaviest, worst = f.rank(), f.Severity
		}
	}
	SortFindings(kept)
	return kept, cut, worst
}
