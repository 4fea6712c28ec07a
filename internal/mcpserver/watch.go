package mcpserver

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
)

// watch keeps the shelf like the toolbox until ctx ends, and calls changed whenever
// hosts are to be told another list. The system tells of changes where it can; files
// are looked at every few seconds besides, because it can lose some, knows nothing
// of some file systems, and is not asked about what lies deeper.
//
// Changes are gathered first: what pulls a hundred tools is one change.
func (s *stock) watch(ctx context.Context, changed func(news)) {
	var cost time.Duration // of the last look
	look := func(again bool) {
		began := s.client.Host.Now()
		defer func() { cost = s.client.Host.Now().Sub(began) }()
		switch is, err := s.refresh(ctx, again); {
		case ctx.Err() != nil:
		case err != nil:
			s.log.Warn("the toolbox cannot be looked at", "error", visible(err.Error()))
		case is.any():
			changed(is)
		}
	}
	told, follow, stop := notices(s.client.Host.Paths)
	defer stop()
	// The first list is made of a glimpse, while a host waits; then comes the look at
	// all files.
	select {
	case <-ctx.Done():
		return
	case is := <-s.late:
		if is.any() {
			changed(is)
		}
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(limits.MCPSecond):
	}
	look(false)
	for {
		// A large toolbox is looked at less often, so that it costs a hundredth of
		// one processor at most.
		poll := time.NewTimer(max(limits.MCPPoll, 100*cost))
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
			follow()
			look(true)
		case _, ok := <-told:
			if !ok { // nobody tells of anything: the files are looked at
				told = nil
				continue
			}
			settle(ctx, told)
			follow() // before it is looked at, so that nothing falls between the two
			look(false)
		}
		poll.Stop()
	}
}

// settle waits until nothing new was told for a moment, but not for longer than
// a few of them.
func settle(ctx context.Context, news <-chan struct{}) {
	end := time.After(3 * limits.MCPSettle)
	for {
		select {
		case <-news:
		case <-time.After(limits.MCPSettle):
			return
		case <-end:
			return
		case <-ctx.Done():
			return
		}
	}
}

// notices tells that something in the folders of the toolbox changed. follow looks
// for those that were made meanwhile.
func notices(p paths.Paths) (news <-chan struct{}, follow, stop func()) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		none := make(chan struct{})
		close(none)
		return none, func() {}, func() {}
	}
	out := make(chan struct{}, 1)
	go func() {
		for {
			select {
			case e, ok := <-w.Events:
				if !ok {
					return
				}
				if e.Op == fsnotify.Chmod || e.Name == p.Lock() {
					continue // nobody wrote anything
				}
			case _, ok := <-w.Errors: // events were lost, so something happened
				if !ok {
					return
				}
			}
			select {
			case out <- struct{}{}:
			default:
			}
		}
	}()
	watched := map[string]bool{}
	follow = func() {
		have := w.WatchList()
		clear(watched)
		for _, dir := range have {
			watched[dir] = true
		}
		dirs := []string{p.Root, p.Tools(), p.Receipts(), p.Registries()}
		owners, _ := os.ReadDir(p.Registries()) // a pin lies in the folder of its owner
		for _, o := range owners {
			dirs = append(dirs, filepath.Join(p.Registries(), o.Name()))
		}
		for _, dir := range dirs {
			if !watched[dir] {
				_ = w.Add(dir) // one that is not there is looked for again
			}
		}
		// Of a user who has nothing yet not even the folder is there: it will come
		// into one that is.
		above := p.Root
		for !exists(above) && above != filepath.Dir(above) {
			above = filepath.Dir(above)
		}
		if above != p.Root {
			_ = w.Add(above)
		}
		for dir := range watched {
			if above == p.Root && !slices.Contains(dirs, dir) {
				_ = w.Remove(dir)
			}
		}
	}
	follow()
	return out, follow, func() { _ = w.Close() }
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// waitFirst calls late where done takes longer than a host waits for its first list.
func waitFirst(ctx context.Context, done <-chan struct{}, late func()) {
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(limits.MCPFirst):
		late()
	}
}
