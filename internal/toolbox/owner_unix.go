//go:build unix

package toolbox

import (
	"io/fs"
	"os"
	"syscall"
)

// othersWrite tells whether anybody but the user (and root, who can do it
// anyway) may put files into a folder. A group that may is the user's own on
// many systems, so only the right of all others counts.
func othersWrite(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().Perm()&0o002 != 0 || ok && s.Uid != 0 && int(s.Uid) != os.Geteuid()
}
