//go:build unix

package aihost

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign tells whether a file is another user's. Written by root it would become
// root's, and the host could not change it any more.
func foreign(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(s.Uid) != os.Geteuid()
}
