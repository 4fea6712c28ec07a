package registry

import (
	"context"
	"sync"
)

// file is one write.
type file struct {
	path    string
	data    []byte
	durable bool
}

// writeParallel is how many writes wait for the disk at once. A file system
// commits several waiting writers together.
const writeParallel = 8

// writer writes files and counts them.
type writer struct {
	store    Store
	progress func(done, total int)

	mu          sync.Mutex
	done, total int
}

// write writes files in no particular order and waits for all of them.
func (w *writer) write(ctx context.Context, files []file) error {
	return inParallel(ctx, files, func(ctx context.Context, f file) error {
		defer w.count()
		return w.store.Write(ctx, f.path, f.data, f.durable)
	})
}

// inParallel does one thing to several items and waits for all of them. After
// the first error nothing more begins.
func inParallel[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan T)
	var group sync.WaitGroup
	for range min(writeParallel, len(items)) {
		group.Go(func() {
			for item := range work {
				if ctx.Err() != nil {
					continue
				}
				if err := do(ctx, item); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, item := range items {
		work <- item
	}
	close(work)
	group.Wait()
	return context.Cause(ctx)
}

// expect says how many writes are still to come.
func (w *writer) expect(more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total = w.done + more
}

func (w *writer) count() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done++
	if w.progress != nil {
		w.progress(w.done, w.total)
	}
}
