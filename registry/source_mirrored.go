package registry

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
)

// mirrored reads from the first of several sources of the same tree that can
// tell, and asks them all again, with growing pauses, where none could. What
// they answer is verified later, so a mirror needs no trust of its own.
type mirrored struct {
	sources []Source
	sleep   func(context.Context, time.Duration) error
	fresh   bool
	// working is the source that answered last: a dead one is not asked first
	// for each of many files.
	working *atomic.Int32
}

// Pauses between rounds. A server may ask for a longer one, up to maxPause.
const (
	firstPause = 250 * time.Millisecond
	maxPause   = 5 * time.Second
)

func newMirrored(sources []Source, sleep func(context.Context, time.Duration) error) *mirrored {
	if sleep == nil {
		sleep = pause
	}
	return &mirrored{sources: sources, sleep: sleep, working: new(atomic.Int32)}
}

// pause waits for a while or until the context ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *mirrored) Location() string { return m.sources[0].Location() }

// Refresh asks every source for what the first one says it does not have:
// copies of a tree that are not equally old disagree about that.
func (m *mirrored) Refresh() Source {
	c := &mirrored{sources: make([]Source, len(m.sources)), sleep: m.sleep, fresh: true, working: m.working}
	for i, s := range m.sources {
		c.sources[i] = s.Refresh()
	}
	return c
}

func (m *mirrored) remembered(path string, max int64) []byte {
	if m.fresh {
		return nil
	}
	for _, s := range m.sources {
		if r, ok := s.(rememberer); ok {
			if data := r.remembered(path, max); data != nil {
				return data
			}
		}
	}
	return nil
}

func (m *mirrored) Read(ctx context.Context, path string, size int64) ([]byte, error) {
	wait := firstPause
	for round := 1; ; round++ {
		data, err := m.round(ctx, path, size)
		var again retryable
		if err == nil || round == limits.HTTPAttempts || !errors.As(err, &again) || again.after > maxPause {
			return data, err
		}
		if err := m.sleep(ctx, max(wait, again.after)); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

// round asks each source once.
func (m *mirrored) round(ctx context.Context, path string, max int64) ([]byte, error) {
	var missing, failed error
	first := int(m.working.Load())
	for n := range m.sources {
		i := n
		switch { // the working one, then the others in their order
		case n == 0:
			i = first
		case n <= first:
			i = n - 1
		}
		data, err := m.sources[i].Read(ctx, path, max)
		switch {
		case err == nil:
			m.working.Store(int32(i))
			return data, nil
		case ctx.Err() != nil:
			return nil, err
		case errors.Is(err, fs.ErrNotExist):
			if missing = err; !m.fresh {
				return nil, err
			}
		default:
			// A failure worth repeating outlasts one that is not.
			if failed == nil || errors.As(err, new(retryable)) {
				failed = err
			}
		}
	}
	if failed != nil {
		return nil, failed
	}
	return nil, missing
}
