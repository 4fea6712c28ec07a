package mcpserver

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// finder finds installed tools as the search of a registry finds its own. Its index
// is made when somebody first asks, and anew when the toolbox is another.
type finder struct {
	mu sync.Mutex
	of *shelf
	ix *index.Index
}

// find ranks the tools of a shelf that would run. notes say what of the query means
// nothing.
func (f *finder) find(ctx context.Context, h *host.Host, k *kept, of *shelf, typed string) (hits []*entry, notes []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of != of {
		if err := f.make(ctx, h, k, of); err != nil {
			return nil, nil, err
		}
	}
	q, notes := index.ParseQuery(typed)
	res, err := f.ix.Search(ctx, q, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, hit := range res.Hits {
		for _, n := range append([]spec.Name{hit.Tool.Name}, hit.Also...) {
			if e := of.byName[string(n)]; e != nil && e.runs() {
				if len(e.parts) == 0 {
					hits = append(hits, e)
				}
				for _, p := range e.partsFor(typed) {
					hits = append(hits, of.byName[p.own()])
				}
			}
		}
	}
	for _, c := range res.Corrections {
		notes = append(notes, "no tool has "+spec.Quote(c.From)+"; "+spec.Quote(c.To)+" was looked for")
	}
	return hits, notes, nil
}

// partsFor are the operations of a tool that was found, those first that have most of the
// words: the index knows the tool, and one of fifty operations is meant.
func (e *entry) partsFor(typed string) []*entry {
	words := strings.Fields(strings.ToLower(typed))
	has := map[*entry]int{}
	for _, p := range e.parts {
		text := strings.ToLower(p.op + " " + p.description)
		for _, w := range words {
			if strings.Contains(text, w) {
				has[p]++
			}
		}
	}
	return slices.SortedStableFunc(slices.Values(e.parts), func(a, b *entry) int { return has[b] - has[a] })
}

func (f *finder) make(ctx context.Context, h *host.Host, k *kept, of *shelf) error {
	var list []ledger.Listing
	texts := k.summaries()
	for _, e := range of.entries {
		if !e.runs() || e.part() { // an operation is found by its tool
			continue
		}
		var l ledger.Listing
		if json.Unmarshal(texts.of(e), &l) == nil {
			list = append(list, l)
		}
	}
	built, err := index.Build(ctx, list)
	if err != nil {
		return err
	}
	segment := built.Segment()
	digest := spec.DigestOf(segment)
	all := filepath.Join(h.Paths.Cache(), "mcp-search")
	dir := filepath.Join(all, digest.Hex())
	// Servers of one toolbox share the folder: one must not sweep away what another
	// is just making.
	unlock, err := durable.Lock(ctx, all+".lock", limits.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	if index.Check(dir, digest) != nil {
		_ = os.RemoveAll(dir) // of a process that died, or damaged
		if err := index.Install(ctx, dir, segment); err != nil {
			return err
		}
	}
	ix, err := index.Open(dir)
	if err != nil {
		return err
	}
	if f.ix != nil {
		_ = f.ix.Close()
	}
	f.ix, f.of = ix, of
	if others, err := os.ReadDir(all); err == nil {
		for _, o := range others { // who has one open keeps it
			if o.Name() != digest.Hex() {
				_ = os.RemoveAll(filepath.Join(all, o.Name()))
			}
		}
	}
	return nil
}
