package durable

import (
	"context"
	"os"
	"sync"
	"time"
)

// KeptLock is the lock of [Lock] for a process that takes it at every call: the file
// stays open in between, so that taking it is two questions to the system and not
// six. It excludes what Lock excludes, and goroutines that share it each other. It
// must not be copied.
type KeptLock struct {
	Path string

	mu   sync.Mutex
	file *os.File
	is   os.FileInfo
}

// Lock is [Lock] of its path.
func (k *KeptLock) Lock(wait time.Duration) (unlock func(), err error) {
	k.mu.Lock()
	if k.file != nil && k.retake() == nil {
		return k.unlock, nil
	}
	// Somebody has it, or it is another file by now: the long way.
	k.drop()
	release, f, err := lock(context.Background(), k.Path, wait, true)
	if err != nil {
		k.mu.Unlock()
		return nil, err
	}
	if k.is, err = f.Stat(); err != nil { // it is held all the same
		return func() { release(); k.mu.Unlock() }, nil //nolint:nilerr // and not kept
	}
	k.file = f
	return k.unlock, nil
}

// retake locks the file that is open, if it is still the one at the path.
func (k *KeptLock) retake() error {
	if err := lockFile(k.file, true); err != nil {
		return err
	}
	if named, err := os.Stat(k.Path); err != nil || !os.SameFile(k.is, named) {
		_ = unlockFile(k.file)
		return errBusy
	}
	return nil
}

func (k *KeptLock) unlock() {
	if unlockFile(k.file) != nil {
		k.drop() // the end of the file is that of its lock
	}
	k.mu.Unlock()
}

func (k *KeptLock) drop() {
	if k.file != nil {
		_ = k.file.Close()
		k.file = nil
	}
}

// Close gives up the file. A lock that is held is waited for.
func (k *KeptLock) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop()
}
