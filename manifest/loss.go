package manifest

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Loss is one way in which a document says less, or other things, in another
// format.
type Loss struct {
	// Path is a JSON Pointer into the document that was read, of what was
	// synthesised into the one that was written.
	Path   string   `json:"path"`
	Kind   LossKind `json:"kind"`
	Reason string   `json:"reason"`
	// Security tells that what is lost protects a person: taint, confirmation,
	// network and secrets.
	Security bool `json:"security,omitempty"`
}

// LossKind says what became of a part of a document.
type LossKind string

// The kinds of loss; the zero value is none of them.
const (
	Dropped      LossKind = "dropped"      // the other format has no place for it
	Approximated LossKind = "approximated" // it says nearly the same
	Synthesised  LossKind = "synthesised"  // the other format asks for what the document doesn't say
)

// ReasonLoss is the reason of the fault that [Refused] returns.
const ReasonLoss = "security_loss"

// Refused is the error of a conversion that drops what protects a person: kind
// Denied, nil where nothing of that kind is dropped or the person allows it.
func Refused(losses []Loss, allow bool) error {
	var paths []string
	for _, l := range losses {
		if l.Security && l.Kind == Dropped {
			paths = append(paths, spec.Quote(l.Path))
		}
	}
	if len(paths) == 0 || allow {
		return nil
	}
	return fault.New(fault.Denied, ReasonLoss, "the other format cannot say what protects a person here: %s", strings.Join(paths, ", ")).
		Hint("--allow-loss converts it all the same, and --json lists what is lost")
}
