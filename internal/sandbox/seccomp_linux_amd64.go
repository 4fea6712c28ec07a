package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_X86_64
	filterExists = true
)

// Calls that this architecture has and arm64 lacks.
var (
	archRefused = []uint32{
		unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_KEXEC_FILE_LOAD,
		unix.SYS_USELIB, unix.SYS_SYSFS, unix.SYS_USTAT, unix.SYS__SYSCTL, unix.SYS_LOOKUP_DCOOKIE,
		unix.SYS_CREATE_MODULE, unix.SYS_QUERY_MODULE, unix.SYS_GET_KERNEL_SYMS,
	}
	archCreators = []creator{
		{unix.SYS_CHMOD, 1, -1}, {unix.SYS_CREAT, 1, -1}, {unix.SYS_MKNOD, 1, -1}, {unix.SYS_OPEN, 2, 1},
	}
	archLeashRefused   = []uint32{unix.SYS_INOTIFY_INIT}
	archLeashPretended = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
)
