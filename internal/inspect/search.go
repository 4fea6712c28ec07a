package inspect

import (
	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// index makes the search index of the catalogue and compares it with the one
// that the head states: a registry could else show other tools to those who look
// for one than to those who read its list. What another edition of our rules made
// cannot be told.
func (a *audit) index(list []ledger.Listing) error {
	want := a.doc.Index
	if want.IsZero() || want.Edition != index.Edition {
		return nil
	}
	built, err := index.Build(a.ctx, list)
	if err != nil {
		return fault.New(fault.Internal, "index", "the search index cannot be worked out: %w", err)
	}
	if got := spec.DigestOf(built.Segment()); got != want.Segment {
		a.damage(ledger.HeadPath, ReasonIndex, "the head states the search index %s, the list of tools makes %s", want.Segment, got)
	}
	return nil
}
