//go:build unix

package durable

import (
	"io/fs"
	"os"
	"syscall"
)

// private tells whether a file is this user's own, and for nobody else to read.
func private(i fs.FileInfo) bool {
	s, ok := i.Sys().(*syscall.Stat_t)
	return i.Mode().IsRegular() && i.Mode().Perm()&0o077 == 0 && ok && int(s.Uid) == os.Geteuid()
}
