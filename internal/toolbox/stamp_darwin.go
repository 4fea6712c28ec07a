package toolbox

import (
	"encoding/binary"
	"io/fs"
	"syscall"
)

// appendIdentity adds which file it is and when anything about it last changed,
// which nobody but the file system sets.
func appendIdentity(b []byte, info fs.FileInfo) []byte {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		b = binary.LittleEndian.AppendUint64(b, st.Ino)
		b = binary.LittleEndian.AppendUint64(b, uint64(st.Ctimespec.Nano()))
	}
	return b
}
