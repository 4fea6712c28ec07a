package durable

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// SyncsAll tells whether [SyncAll] does anything here.
const SyncsAll = true

// SyncAll makes durable what was written to the file system of a directory, all
// files in it together, by one call. A missing directory is fine.
func SyncAll(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return Classify("sync", dir, err)
	}
	defer func() { _ = d.Close() }()
	return Classify("sync", dir, unix.Syncfs(int(d.Fd())))
}
