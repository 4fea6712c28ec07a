package inspect

import (
	"cmp"
	"slices"
	"sync"

	"github.com/patch-cat/patch-git/internal/limits"
)

// Reason says what kind of damage was found, a stable word for scripts. Beside
// those below it is a verify.Reason where a verification refused, or the
// reason of the source ("too_large", "not_regular").
type Reason string

// The reasons that only an audit has.
const (
	ReasonMissing   Reason = "missing"   // the head leads to a file that is not there
	ReasonTile      Reason = "tile"      // a hash tile is not what the entries hash to
	ReasonEntry     Reason = "entry"     // an entry is not the log's, or cannot stand where it stands
	ReasonRoot      Reason = "root"      // the log that is published has another root than the head
	ReasonHidden    Reason = "hidden"    // the log has it, and the documents do not show it
	ReasonUnlogged  Reason = "unlogged"  // the documents show it, and the log does not have it
	ReasonCatalogue Reason = "catalogue" // the list of tools does not follow from the records
	ReasonIndex     Reason = "index"     // the search index that the head states does not follow from the list
	ReasonIdentity  Reason = "identity"  // registry.json names another identity than the policy
)

// Reasons lists the reasons of this package.
func Reasons() []Reason {
	return []Reason{
		ReasonMissing, ReasonTile, ReasonEntry, ReasonRoot, ReasonHidden, ReasonUnlogged, ReasonCatalogue, ReasonIdentity,
	}
}

// Problem is one thing that is not as it must be, or could not be read. Path
// is relative to the v1/ folder; Message may have foreign text in it, which
// whoever prints it has to make fit for the place.
type Problem struct {
	Path    string `json:"path"`
	Reason  Reason `json:"reason"`
	Message string `json:"message"`
}

func compareProblems(a, b Problem) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
}

// problems collects from many goroutines. It keeps the first ones in the order
// of their paths, whatever the order in which they were found.
type problems struct {
	mu    sync.Mutex
	list  []Problem
	total int
}

func (p *problems) add(one Problem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total++
	if p.list = append(p.list, one); len(p.list) >= 2*limits.AuditProblems {
		p.cut()
	}
}

func (p *problems) cut() {
	slices.SortFunc(p.list, compareProblems)
	p.list = p.list[:min(len(p.list), limits.AuditProblems)]
}

// full tells whether there are more than are kept.
func (p *problems) full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total > limits.AuditProblems
}

// sorted returns what was kept, never nil.
func (p *problems) sorted() ([]Problem, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut()
	return append([]Problem{}, p.list...), p.total
}
