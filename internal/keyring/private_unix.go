//go:build unix

package keyring

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// private refuses a file that is somebody else's, or that others may read or write.
func private(_ string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return errors.New("it belongs to somebody else")
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return errors.New("others may read or write it")
	}
	return nil
}
