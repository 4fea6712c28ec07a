package contribute

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// checkAll checks the proposals of a tree that are not ready yet, as many at a
// time as there are cores: each waits for an interpreter that reads its source.
// The answers are in the order of the proposals; nil for one that is ready.
func (w *Workshop) checkAll(ctx context.Context, b *bench, changes *registry.Changes, ready []registry.Acceptance) ([]*Checked, error) {
	around := make([]surroundings, len(changes.New))
	for i, p := range changes.New { // the bench is for one goroutine
		around[i].previous = previous(changes.Published[p.Ref.Name])
		var err error
		called := []spec.Name{p.Ref.Name}
		if tool := manifestOf(p.Files); tool != nil {
			called = append(called, tool.Aliases...)
		}
		if around[i].names, err = b.alike(called...); err != nil {
			return nil, err
		}
		if around[i].waivers, around[i].unread, err = w.waivers(b.tree, p.Ref.Name); err != nil {
			return nil, err
		}
		if len(p.Owners) > 0 {
			around[i].owner = ownerID(p.Owners[0])
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]*Checked, len(changes.New))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(changes.New)) {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(changes.New) {
					return
				}
				p := changes.New[i]
				if slices.ContainsFunc(ready, func(a registry.Acceptance) bool { return a.Release.Ref == p.Ref }) {
					continue
				}
				w.progress("checking "+p.Ref.At(), int64(i), int64(len(changes.New)))
				checked, err := w.check(ctx, p.Ref.At(), p.Files, around[i])
				if err != nil {
					cancel(err)
					return
				}
				out[i] = checked
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return out, nil
}
