package durable

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// openNonblock has no counterpart: opening a named pipe does not wait here.
const openNonblock = 0

// reasonOf names the causes that a person can do something about.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, windows.ERROR_DISK_FULL), errors.Is(err, windows.ERROR_HANDLE_DISK_FULL), errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED):
		return reasonDiskFull
	case errors.Is(err, windows.ERROR_WRITE_PROTECT):
		return reasonReadOnly
	case errors.Is(err, fs.ErrPermission):
		return reasonNoPermission
	}
	return ""
}

// rename tries again for two seconds in all, because a virus scanner or an
// indexer that has the old file open for a moment makes a rename fail.
func rename(d *os.Root, from, to string) error {
	for pause := time.Millisecond; ; pause *= 2 {
		err := d.Rename(from, to)
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || pause > time.Second {
			return err
		}
		time.Sleep(pause)
	}
}

// syncRoot does nothing: NTFS journals names, and a directory handle cannot be
// flushed without administrator's rights.
func syncRoot(*os.Root) error { return nil }

func lockFile(f *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return errBusy
	case err != nil:
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}

func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}
