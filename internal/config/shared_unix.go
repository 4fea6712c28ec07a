//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// shared tells whether anybody but the user, and root, may read or write.
func shared(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().Perm()&0o077 != 0 || !ok || s.Uid != 0 && int(s.Uid) != os.Geteuid()
}
