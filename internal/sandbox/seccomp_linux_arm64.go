package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	filterExists = true
)

// Calls that the shared list cannot name. arm64 began without the old forms
// of the path calls, so it has nothing more to pretend.
var (
	archRefused        = []uint32{unix.SYS_KEXEC_FILE_LOAD, unix.SYS_LOOKUP_DCOOKIE}
	archCreators       []creator
	archLeashRefused   []uint32
	archLeashPretended []uint32
)
