//go:build unix

package pyenv

import (
	"io/fs"
	"syscall"
)

// inode tells files of one name apart that have the same size and time.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}

// onDisk is what a file takes on disk, under how many names, and which file it
// is.
func onDisk(info fs.FileInfo) (id [2]uint64, names int, bytes int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return id, 1, info.Size()
	}
	return [2]uint64{uint64(s.Dev), uint64(s.Ino)}, int(s.Nlink), int64(s.Blocks) * 512 //nolint:unconvert // their types differ between systems
}
