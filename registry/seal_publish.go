package registry

import (
	"context"
	"sync"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// file is one write.
type file struct {
	path    string
	data    []byte
	durable bool
}

// change is one document whose fixed path gets other bytes.
type change struct {
	path     string
	old, new spec.Digest // old is zero where there was none
	oldData  []byte      // may be nil; then it is read when it is needed
	data     []byte
	durable  bool // what follows from the rest is not
}

// writeParallel is how many writes wait for the disk at once. A file system
// commits several waiting writers together.
const writeParallel = 8

// publish writes the generation. See [Seal] for why in this order.
func (g *generation) publish(ctx context.Context, t *tidy, o *SealOptions) error {
	objects, err := g.objects(ctx, t)
	if err != nil {
		return err
	}
	var follow []file
	for _, c := range g.changes {
		if c.path != ledger.HeadPath {
			follow = append(follow, file{c.path, c.data, c.durable})
		}
	}
	follow = append(follow, file{ledger.CheckpointPath, g.checkpoint, true})
	registry := file{ledger.RegistryPath, ledger.Encode(o.Registry), true}
	// The head's object goes first: it tells a later seal, if this one dies,
	// which tiles were meant for a head that never was.
	first := file{ledger.ObjectPath(g.digest), g.raw, true}

	w := &writer{store: g.store, progress: o.Progress, total: len(objects) + len(g.fresh) + len(follow) + 4}
	if err := g.clearReleases(ctx); err != nil {
		return err
	}
	t.have[first.path] = true
	for _, f := range objects {
		t.have[f.path] = true
	}
	for _, step := range [][]file{
		{registry}, {first}, append(objects, g.fresh...),
		{{ledger.HeadEvidencePath, g.evidence, true}}, // here the new state begins
		follow,
		{{ledger.HeadPath, g.raw, true}}, // last: while it is behind the pointer, repair is due
	} {
		if err := w.write(ctx, step); err != nil {
			return err
		}
	}
	return t.prune(ctx, g.changes, g.head)
}

// objects are the documents by digest: those of the new state, and those that
// they replace, so that a reader who holds the old head still finds them after
// their fixed paths have moved on.
func (g *generation) objects(ctx context.Context, t *tidy) ([]file, error) {
	var out []file
	for _, c := range g.changes {
		if c.path != ledger.HeadPath {
			out = append(out, file{ledger.ObjectPath(c.new), c.data, c.durable})
		}
		if old := ledger.ObjectPath(c.old); !c.old.IsZero() && !t.have[old] {
			if c.oldData == nil {
				var err error
				if c.oldData, err = stated(ctx, g.store, c.path, c.old, maxOf(c.path)); err != nil {
					return nil, err
				}
			}
			out = append(out, file{old, c.oldData, c.durable})
		}
	}
	return out, nil
}

// clearReleases removes what a seal that died left in the folders of the new
// releases. No head that was ever published refers to them.
func (g *generation) clearReleases(ctx context.Context) error {
	for dir, files := range g.releases {
		there, err := g.store.List(ctx, dir)
		if err != nil {
			return err
		}
		for _, p := range there {
			if !files[p] {
				if err := g.store.Remove(ctx, p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writer writes files and counts them.
type writer struct {
	store    Store
	progress func(done, total int)
	total    int

	mu   sync.Mutex
	done int
}

// write writes files in no particular order and waits for all of them. After
// the first error no further write begins.
func (w *writer) write(ctx context.Context, files []file) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan file)
	var group sync.WaitGroup
	for range min(writeParallel, len(files)) {
		group.Go(func() {
			for f := range work {
				if ctx.Err() != nil {
					continue
				}
				if err := w.store.Write(ctx, f.path, f.data, f.durable); err != nil {
					cancel(err)
				}
				w.count()
			}
		})
	}
	for _, f := range files {
		work <- f
	}
	close(work)
	group.Wait()
	return context.Cause(ctx)
}

func (w *writer) count() {
	if w.progress == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done++
	w.progress(w.done, w.total)
}
