package contribute

import (
	"context"
	"iter"
	"path"
	"strings"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/branch"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/served"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// index makes the search index that a head states. What keeps one from being
// made keeps nobody from publishing: clients make their own.
func (w *Workshop) index(ctx context.Context, catalogue []byte) ledger.IndexRoot {
	segment, err := served.Segment(ctx, catalogue)
	if err != nil {
		w.warn("no search index is published, because none could be made: " + err.Error())
		return ledger.IndexRoot{}
	}
	return ledger.IndexRoot{Edition: index.Edition, Segment: spec.DigestOf(segment)}
}

// past are the catalogues of the states before the one that is published, newest
// first, out of the history of the branch; nil where there is no branch. A
// history that cannot be read costs clients a longer way and no more.
func (w *Workshop) past(ctx context.Context, b *bench) iter.Seq[[]byte] {
	if b.branch == nil {
		return nil
	}
	return func(yield func([]byte) bool) {
		states, err := b.branch.Past(ctx, limits.PatchedStates)
		if err != nil {
			w.warn("no patches are made for clients, because the history of the branch cannot be read: " + err.Error())
			return
		}
		if len(states) == 0 {
			return
		}
		now, err := b.store().Read(ctx, ledger.CataloguePath, limits.Catalogue)
		if err != nil {
			w.warn("no patches are made for clients: " + err.Error())
			return
		}
		for _, s := range states {
			if old := catalogueBefore(now, s); old != nil && !yield(old) {
				return
			}
		}
	}
}

// catalogueBefore is the list of tools of an earlier state: this one with the
// lines of the records as they were. nil where that is not the list that its
// head states, of which clients have nothing then.
func catalogueBefore(now []byte, s branch.Past) []byte {
	head, err := ledger.ParseHead(s.Head)
	if err != nil {
		return nil
	}
	lines := map[spec.Name]*ledger.Listing{}
	for at, data := range s.Records {
		name, err := spec.ParseName(strings.TrimSuffix(path.Base(at), ".json"))
		if err != nil {
			return nil
		}
		lines[name] = nil
		if data == nil {
			continue
		}
		record, err := ledger.ParseRecord(data, name)
		if err != nil {
			return nil
		}
		lines[name] = ledger.NewListing(record)
	}
	old, err := ledger.UpdateCatalogue(now, lines)
	if err != nil || spec.DigestOf(old) != head.Catalogue {
		return nil
	}
	return old
}
