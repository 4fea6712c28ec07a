//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openNonblock keeps an open from waiting at a pipe or a device.
const openNonblock = syscall.O_NONBLOCK

// reasonOf names the causes that a person can do something about.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return reasonDiskFull
	case errors.Is(err, syscall.EROFS):
		return reasonReadOnly
	case errors.Is(err, fs.ErrPermission):
		return reasonNoPermission
	}
	return ""
}

func rename(d *os.Root, from, to string) error { return d.Rename(from, to) }

// syncRoot makes the names in d durable.
func syncRoot(d *os.Root) error {
	f, err := d.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	err = f.Sync()
	// Some network and FUSE mounts know no fsync of a directory; there is
	// nothing more that could be done on them.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// lockFile uses flock, which belongs to the open file and not, like a POSIX
// record lock, to the process: closing another descriptor does not drop it.
func lockFile(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	return flock(f, how|syscall.LOCK_NB)
}

func unlockFile(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errBusy
		case err != nil:
			return &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
		return nil
	}
}
