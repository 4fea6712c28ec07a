package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter is classic BPF put together here: a list of refusals, a ceiling
// above which a call is unknown, and a few looks at arguments. Numbers that
// exist on one architecture only stand in that architecture's file.

const (
	scAllow = unix.SECCOMP_RET_ALLOW
	scKill  = unix.SECCOMP_RET_KILL_PROCESS
)

func scErrno(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// Offsets in struct seccomp_data. Arguments are 64 bits wide and little-endian
// on both architectures; the kernel reads only the low half of an int.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
)

// ceiling is the newest call that this file was checked against; what came
// later is as if the kernel did not have it.
const ceiling = unix.SYS_LISTNS

// absent calls answer ENOSYS, so that libraries use their older way.
var absent = []uint32{
	// io_uring opens sockets behind the filter's back; clone3 hides its flags
	// in memory that a filter cannot read.
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_CLONE3,
	// Memory that no limit counts: neither resident, nor in the scratch.
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
}

// refused calls answer EPERM.
var refused = []uint32{
	// other processes
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	// keys
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	// doors into the kernel
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_SECCOMP, unix.SYS_PERSONALITY, unix.SYS_FANOTIFY_INIT,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_LSM_SET_SELF_ATTR, unix.SYS_NFSSERVCTL,
	// mounts, roots and namespaces
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE,
	unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOUNT_SETATTR, unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT, unix.SYS_LISTNS,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	// the machine's clock and name
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	// System V and POSIX queues: kernel memory that outlives processes
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	// placement of memory on nodes
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_MBIND, unix.SYS_SET_MEMPOLICY, unix.SYS_SET_MEMPOLICY_HOME_NODE,
}

// The landlock driver has no pid namespace and no root of its own. What
// Landlock does not mediate is taken away here.
var (
	// The tree is killed as one process group.
	leashRefused = []uint32{
		unix.SYS_SETSID, unix.SYS_SETPGID,
		unix.SYS_INOTIFY_INIT1, // watches files that cannot be opened
		unix.SYS_FILE_SETATTR,
	}
	// Changes of metadata by path or by a descriptor opened for reading:
	// answered with success and not done, so that copying a file works.
	leashPretended = []uint32{
		unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	}
	// Extended attributes are read and written by path without mediation.
	leashUnsupported = []uint32{
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_FGETXATTR, unix.SYS_GETXATTRAT,
		unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR, unix.SYS_FLISTXATTR, unix.SYS_LISTXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
	}
	// Calls whose first argument is a process: 0, the caller, is allowed.
	leashOwnOnly = []uint32{
		unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
	}
	// Calls whose second argument is a process, a group or a user: 0 is
	// allowed when the first says process.
	leashOwnPriority = map[uint32]uint32{unix.SYS_SETPRIORITY: unix.PRIO_PROCESS, unix.SYS_IOPRIO_SET: 1}
	// Without scoped signals (Landlock ABI 6) these reach every process of
	// the user; only the tool's first process stays allowed.
	leashSignals = []uint32{
		unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	}
)

// Numbers that x/sys does not name.
const (
	tiocLinux       = 0x541c
	fsIocSetFlags   = 0x40086602
	fsIocSetVersion = 0x40087602
	fsIocFsSetXattr = 0x401c5820
	socketTypeMask  = 0xf
)

// program is a filter under construction.
type program []unix.SockFilter

func load(off uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
}

func answer(with uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with}
}

// skipUnless compares with op and goes over the next n instructions when the
// comparison fails.
func skipUnless(op uint16, k uint32, n uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jf: n, K: k}
}

// on answers one call by a body, which must end with an answer.
func (p *program) on(number uint32, body ...unix.SockFilter) {
	*p = append(*p, skipUnless(unix.BPF_JEQ, number, uint8(len(body))))
	*p = append(*p, body...)
}

func (p *program) all(numbers []uint32, with uint32) {
	for _, n := range numbers {
		p.on(n, answer(with))
	}
}

// anyOf answers with hit when the loaded word is one of values, else goes on.
func anyOf(hit uint32, values ...uint32) (body []unix.SockFilter) {
	for _, v := range values {
		body = append(body, skipUnless(unix.BPF_JEQ, v, 1), answer(hit))
	}
	return body
}

// filter builds the program. leash adds the rules of the landlock driver,
// where self is the process that may be signalled, or 0 when Landlock's own
// scope sees to signals.
func filter(network, leash bool, self uint32) program {
	no := scErrno(unix.EPERM)
	p := program{
		// Another architecture's call would mean something else under each number.
		load(offArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: auditArch},
		answer(scKill),
		// The ceiling refuses x32 too, whose numbers begin at 2^30.
		load(offNumber), skipUnless(unix.BPF_JGT, ceiling, 1), answer(scErrno(unix.ENOSYS)),
	}
	p.all(absent, scErrno(unix.ENOSYS))
	if leash {
		p.leash(self)
	}
	p.all(refused, no)
	p.all(archRefused, no)

	const spaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	p.on(unix.SYS_CLONE, load(offArg0), skipUnless(unix.BPF_JSET, spaces, 1), answer(no), answer(scAllow))

	// TIOCSTI types into a terminal; the inode ioctls change metadata through
	// a descriptor that was opened for reading.
	ioctls := append([]unix.SockFilter{load(offArg1)},
		anyOf(no, unix.TIOCSTI, tiocLinux, fsIocSetFlags, fsIocSetVersion, fsIocFsSetXattr)...)
	p.on(unix.SYS_IOCTL, append(ioctls, answer(scAllow))...)

	// PDEATHSIG and the subreaper are how the tree dies with its caller and
	// is counted.
	prctls := append([]unix.SockFilter{load(offArg0)},
		anyOf(no, unix.PR_SET_PDEATHSIG, unix.PR_SET_CHILD_SUBREAPER, unix.PR_SET_SECCOMP, unix.PR_SET_MM)...)
	p.on(unix.SYS_PRCTL, append(prctls, answer(scAllow))...)

	p.sockets(network)
	return append(p, answer(scAllow))
}

// sockets refuses every family but the internet's, and that too without
// network. A pair of stream sockets is connected to itself for good; a pair of
// datagram sockets could still send to any named socket of the host, and
// SOCK_RAW is another word for datagram in that family.
func (p *program) sockets(network bool) {
	no := scErrno(unix.EACCES)
	masked := unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: socketTypeMask}
	if !network {
		p.on(unix.SYS_SOCKET, answer(no))
	} else {
		body := []unix.SockFilter{
			load(offArg0),
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 2, K: unix.AF_INET},
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: unix.AF_INET6},
			answer(no),
			load(offArg1), masked,
		}
		body = append(body, anyOf(scAllow, unix.SOCK_STREAM, unix.SOCK_DGRAM)...)
		p.on(unix.SYS_SOCKET, append(body, answer(no))...)
	}
	body := []unix.SockFilter{load(offArg0), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: unix.AF_UNIX}, answer(no), load(offArg1), masked}
	body = append(body, anyOf(scAllow, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)...)
	p.on(unix.SYS_SOCKETPAIR, append(body, answer(no))...)
}

func (p *program) leash(self uint32) {
	no := scErrno(unix.EPERM)
	p.all(leashRefused, no)
	p.all(archLeashRefused, no)
	p.all(leashPretended, scErrno(0))
	p.all(archLeashPretended, scErrno(0))
	p.all(leashUnsupported, scErrno(unix.EOPNOTSUPP))
	for _, n := range leashOwnOnly {
		p.on(n, load(offArg0), skipUnless(unix.BPF_JEQ, 0, 1), answer(scAllow), answer(no))
	}
	for n, process := range leashOwnPriority {
		p.on(n, load(offArg0), skipUnless(unix.BPF_JEQ, process, 3),
			load(offArg1), skipUnless(unix.BPF_JEQ, 0, 1), answer(scAllow), answer(no))
	}
	if self != 0 {
		for _, n := range leashSignals {
			p.on(n, load(offArg0), skipUnless(unix.BPF_JEQ, self, 1), answer(scAllow), answer(no))
		}
		p.on(unix.SYS_PIDFD_SEND_SIGNAL, answer(no))
	}
}

// arm puts the filter on the calling thread; what it executes keeps it.
func (p program) arm() error {
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	if _, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); e != 0 {
		return e
	}
	return nil
}
