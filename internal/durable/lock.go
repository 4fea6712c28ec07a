package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Pauses between two tries for a lock. The first are short because most locks
// here are held for less than a millisecond.
const (
	pauseMin = 200 * time.Microsecond
	pauseMax = 20 * time.Millisecond
)

// errBusy is what the system's lock call returns, translated, when another
// process or another Lock of this process holds the lock.
var errBusy = errors.New("lock is held")

// Lock takes the exclusive advisory lock of the file at path, which is made
// when missing and never deleted, and returns what releases it. It waits at
// most wait (0: one try); then the error is of kind Unavailable and reason
// "locked". The end of ctx ends the waiting too. Two calls in one process
// exclude each other like two processes. Releasing twice is harmless.
func Lock(ctx context.Context, path string, wait time.Duration) (unlock func(), err error) {
	unlock, _, err = lock(ctx, path, wait, true)
	return unlock, err
}

// RLock is [Lock] for readers: any number of them, but no writer beside them.
// Reading a file that is written with [WriteFile] needs no lock; a set of
// files that must agree with each other does.
func RLock(ctx context.Context, path string, wait time.Duration) (unlock func(), err error) {
	unlock, _, err = lock(ctx, path, wait, false)
	return unlock, err
}

func lock(ctx context.Context, path string, wait time.Duration, exclusive bool) (unlock func(), held *os.File, err error) {
	deadline := time.NewTimer(max(wait, 0))
	defer deadline.Stop()
	for pause := pauseMin; ; pause = min(pause*3/2, pauseMax) {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("wait for lock %s: %w", strconv.Quote(path), err)
		}
		f, err := tryLock(path, exclusive)
		if err == nil {
			return sync.OnceFunc(func() { release(f) }), f, nil
		}
		if !errors.Is(err, errBusy) {
			return nil, nil, Classify("lock", path, err)
		}
		select {
		case <-ctx.Done(): // the next round says so
		case <-deadline.C:
			return nil, nil, fault.New(fault.Unavailable, "locked", "another process holds %s", strconv.Quote(path)).
				Hint("wait for the other patch-git to end, or find it: it has %s open", strconv.Quote(path))
		case <-time.After(pause):
		}
	}
}

// tryLock opens and locks the file once. A lock on a file that was meanwhile
// deleted or exchanged excludes nobody, so the name is looked at again.
func tryLock(path string, exclusive bool) (*os.File, error) {
	f, err := openLock(path, exclusive)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f, exclusive); err != nil {
		_ = f.Close()
		return nil, err
	}
	held, err1 := f.Stat()
	named, err2 := os.Stat(path)
	if err1 == nil && err2 == nil && os.SameFile(held, named) {
		return f, nil
	}
	release(f)
	return nil, errBusy
}

// openLock opens the lock file. A reader opens an existing one for reading
// alone, so that it can wait for a writer where it must not write itself.
func openLock(path string, exclusive bool) (*os.File, error) {
	if !exclusive {
		if f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0); exists(err) {
			return f, err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|openNonblock, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := MkdirAll(filepath.Dir(path)); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|openNonblock, 0o600)
	}
	return f, err
}

// release unlocks before it closes: a child between fork and exec shares the
// open file, and closing alone would leave the lock with it.
func release(f *os.File) {
	_ = unlockFile(f)
	_ = f.Close()
}
