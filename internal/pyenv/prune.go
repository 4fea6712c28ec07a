package pyenv

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// PruneOptions say what goes.
type PruneOptions struct {
	All       bool          // also what installed releases need
	OlderThan time.Duration // only what was used longer ago; 0 is any
	DryRun    bool          // only say what would go
	Builds    []spec.Digest // as [Pythons.Stored] takes them
}

// Pruned is what went, or would go.
type Pruned struct {
	Gone  []Gone
	Freed int64 // bytes on disk that were given back
	Kept  int64 // bytes that are left
}

// Gone is one thing that went, or stayed because somebody uses it.
type Gone struct {
	Kind  Kind
	Name  string // short digest
	Why   string
	InUse bool // it stays
}

// Prune removes what no installed release needs. It waits for installations to
// end and keeps new ones out while it works. An environment that a process uses
// stays; one that a run wants from now on is gone whole, and is made again.
func (p *Pythons) Prune(ctx context.Context, needs []Need, o PruneOptions) (*Pruned, error) {
	unlock, err := durable.Lock(ctx, p.storeLock(), limits.LockWait)
	if err != nil {
		return nil, explain(err)
	}
	defer unlock()
	s, err := p.Stored(needs, o.Builds)
	if err != nil {
		return nil, err
	}
	out := &Pruned{}
	var gone []*item
	if !o.DryRun {
		defer func() { _ = os.RemoveAll(p.trash()) }()
	}
	now := p.host.Now()
	for _, i := range s.items {
		if i.needed && !o.All || o.OlderThan > 0 && now.Sub(i.used) < o.OlderThan {
			continue
		}
		if i.needed {
			i.why = "everything was asked for"
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
		free, err := p.take(ctx, i, o.DryRun)
		if fault.ReasonOf(err) == "locked" {
			out.Gone = append(out.Gone, Gone{i.kind, i.name, i.why, true})
			continue
		}
		if err != nil {
			return out, explain(err)
		}
		gone = append(gone, i)
		out.Gone = append(out.Gone, Gone{i.kind, i.name, i.why, false})
		free()
	}
	out.Freed = s.freed(gone)
	out.Kept = s.Bytes - out.Freed
	return out, nil
}

// take removes an item from its place, if nobody uses it. free lets others have
// the place.
func (p *Pythons) take(ctx context.Context, i *item, rehearsal bool) (free func(), err error) {
	free = func() {}
	if i.kind == KindEnv {
		if free, err = durable.Lock(ctx, p.lockPath(i.key), 0); err != nil {
			return nil, err
		}
	}
	if rehearsal {
		return free, nil
	}
	if err := durable.MkdirAll(p.trash()); err != nil {
		return free, err
	}
	for _, path := range i.paths {
		// At once, so that nobody meets half of it.
		if err := os.Rename(path, filepath.Join(p.trash(), rand.Text())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			free()
			return nil, err
		}
	}
	if i.kind == KindEnv {
		_ = os.Remove(p.notePath(i.key))
		_ = os.Remove(p.lockPath(i.key)) // who waits for it sees that it is another file now
	}
	return free, nil
}
