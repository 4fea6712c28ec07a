package durable

import (
	"io/fs"
	"syscall"
)

// lookAt asks the system itself: a server looks at some twenty names for each call,
// and half of what os.Lstat takes is the description that it makes.
func lookAt(path string) (look, error) {
	var s syscall.Stat_t
	var err error
	for {
		if err = syscall.Lstat(path, &s); err != syscall.EINTR {
			break
		}
	}
	switch {
	case err == syscall.ENOENT:
		return look{}, nil
	case err != nil:
		return look{}, Classify("look at", path, &fs.PathError{Op: "lstat", Path: path, Err: err})
	}
	return look{
		there: true, mode: uint32(s.Mode), size: s.Size, content: s.Mtim.Nano(), other: s.Ctim.Nano(),
		device: uint64(s.Dev), number: uint64(s.Ino), //nolint:unconvert // their types differ between processors
	}, nil
}
