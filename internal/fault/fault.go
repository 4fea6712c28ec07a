// Package fault holds the kinds of error that a caller can branch on, the
// hints that tell a person what to do next, and the exit code of each kind.
//
// "No" and "could not tell" are different kinds: NotVerified, Denied and
// Findings are answers, Unavailable and Internal are the lack of one.
package fault

import (
	"context"
	"errors"
	"fmt"
)

// Kind is what went wrong, as far as a script needs to know.
type Kind int

// The kinds. The zero value is Internal: what nobody classified is our fault.
const (
	Internal    Kind = iota // unexpected failure
	Usage                   // wrong flags or arguments
	Findings                // a check ran and says no
	NotVerified             // signature, log, digest or policy refused; nothing was stored or run
	Denied                  // consent missing, or taint, capability or revocation said no
	NotFound                // no such tool, version or run
	Unavailable             // network, lock, missing runtime, full disk; trying again can help
	ToolFailed              // the tool itself failed or hit a limit
	Interrupted             // the person or the host stopped it
)

var kinds = [...]struct {
	name string
	exit int
}{
	Internal: {"internal", 1}, Usage: {"usage", 2}, Findings: {"findings", 3}, NotVerified: {"not_verified", 4},
	Denied: {"denied", 5}, NotFound: {"not_found", 6}, Unavailable: {"unavailable", 7}, ToolFailed: {"tool_failed", 8},
	Interrupted: {"interrupted", 130},
}

func (k Kind) String() string { return kinds[k].name }

// ExitCode is the process exit code of the kind, the same with and without --json.
func (k Kind) ExitCode() int { return kinds[k].exit }

// Error is an error of a kind. Reason is a stable word for scripts and tests
// ("rollback", "log", "missing_argument"); Hints are commands to type or files
// to open. Message and Err follow Go's custom: lower case, no period.
type Error struct {
	Kind    Kind
	Reason  string
	Message string // whole, the cause's text included
	Hints   []string
	Err     error // the cause, for errors.Is; may be nil
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// New makes an error of a kind; %w in the format keeps the cause.
func New(kind Kind, reason, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Reason: reason, Message: err.Error(), Hints: HintsOf(err), Err: errors.Unwrap(err)}
}

// Hint adds what the person can do and returns the error.
func (e *Error) Hint(format string, args ...any) *Error {
	e.Hints = append(e.Hints, fmt.Sprintf(format, args...))
	return e
}

// KindOf tells the kind of the outermost classified error in the chain.
// A cancelled context is Interrupted, a missed deadline Unavailable.
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.Is(err, context.DeadlineExceeded):
		return Unavailable
	}
	return Internal
}

// ReasonOf returns the reason of the outermost classified error, or "".
func ReasonOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

// HintsOf returns the hints of the outermost classified error.
func HintsOf(err error) []string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Hints
	}
	return nil
}
