package durable

import (
	"io/fs"
	"syscall"
)

// identity is when a file was last changed in anything, which nobody can set, and
// which file it is.
func identity(info fs.FileInfo) (changed int64, device, number uint64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return s.Ctim.Nano(), uint64(s.Dev), uint64(s.Ino) //nolint:unconvert // their types differ between processors
}
