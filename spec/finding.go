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
}

// String is file:line:col: severity: message [id].
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
	return fmt.Sprintf("%s%s: %s [%s]", at, f.Severity, f.Message, f.ID)
}

// SortFindings orders findings by file, line, column and id.
func SortFindings(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.ID, b.ID))
	})
}

// Blocking tells whether any of the findings is an error.
func Blocking(fs []Finding) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Severity == SeverityError })
}
