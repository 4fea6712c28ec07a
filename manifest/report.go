package manifest

import (
	"fmt"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// pos is a place in the file, both from 1, the column in characters.
type pos struct{ line, col int }

// report collects the findings of one file.
type report struct {
	file          string
	mode          Mode
	formats       bool          // "format" of a schema asserts
	margin        int           // characters before the YAML on each line
	as            map[rule]rule // what the format calls the rules of YAML; nil for Patch
	found         []spec.Finding
	blocked       bool // an error was seen, listed or not
	dropped       int
	droppedErrors bool
}

// add records that a rule is broken. The message says what was seen; foreign
// text in it must have gone through spec.Quote.
func (r *report) add(id rule, at pos, format string, args ...any) {
	r.addFix(id, at, "", format, args...)
}

// addFix is add with a fix that is more exact than the rule's own.
func (r *report) addFix(id rule, at pos, fix, format string, args ...any) {
	r.addAll(id, "", at, fix, format, args...)
}

// addCode is add with a word for programs; "" is that of the rule, if it has one.
func (r *report) addCode(id rule, code string, at pos, format string, args ...any) {
	r.addAll(id, code, at, "", format, args...)
}

// addAll is add with a code and a fix, each of which may be "".
func (r *report) addAll(id rule, code string, at pos, fix, format string, args ...any) {
	if own, ok := r.as[id]; ok {
		id = own
	}
	severity := r.severity(id)
	blocks := severity == spec.SeverityError
	r.blocked = r.blocked || blocks
	// A flood must not push an error out of sight: what is cut is counted, and
	// finish makes the count itself an error when an error was among it.
	if len(r.found) >= limits.ManifestProblems-1 {
		r.dropped++
		r.droppedErrors = r.droppedErrors || blocks
		return
	}
	if fix == "" {
		fix = id.of().Fix
	}
	if code == "" {
		code = ruleCodes[id]
	}
	r.found = append(r.found, spec.Finding{
		ID: id.of().ID, Severity: severity, File: r.file, Line: at.line, Col: at.col,
		Message: fmt.Sprintf(format, args...), Fix: fix, Code: code,
	})
}

func (r *report) severity(id rule) spec.Severity {
	if r.mode == Lenient {
		return id.of().Lenient
	}
	return id.of().Strict
}

// finish returns the findings in the order of the file.
func (r *report) finish() []spec.Finding {
	spec.SortFindings(r.found)
	if r.dropped > 0 {
		f := spec.Finding{
			ID: moreProblems.of().ID, Severity: spec.SeverityNote, File: r.file,
			Message: fmt.Sprintf("%d more problems are not listed", r.dropped), Fix: moreProblems.of().Fix,
		}
		if r.droppedErrors {
			f.Severity = spec.SeverityError
		}
		r.found = append(r.found, f)
	}
	return r.found
}
