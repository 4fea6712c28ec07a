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
