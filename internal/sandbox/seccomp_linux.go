package sandbox

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// The filter is classic BPF put together here: lists of refusals, a ceiling
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
	// It has the mode of a new file in memory, see [creators].
	unix.SYS_OPENAT2,
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
	leashOwnPriority = []struct{ call, process uint32 }{{unix.SYS_SETPRIORITY, unix.PRIO_PROCESS}, {unix.SYS_IOPRIO_SET, 1}}
	// Without scoped signals (Landlock ABI 6) these reach every process of
	// the user; only the tool's first process stays allowed.
	leashSignals = []uint32{
		unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	}
)

// ioctlRefused: TIOCSTI types into a terminal; the inode ioctls change metadata
// through a descriptor that was opened for reading.
var ioctlRefused = []uint32{unix.TIOCSTI, tiocLinux, fsIocSetFlags, fsIocSetVersion, fsIocFsSetXattr}

// Numbers that x/sys does not name.
const (
	tiocLinux       = 0x541c
	fsIocSetFlags   = 0x40086602
	fsIocSetVersion = 0x40087602
	fsIocFsSetXattr = 0x401c5820
	fioSetOwn       = 0x8901
	siocSetPgrp     = 0x8902
	fSetSig         = 10
	fSetOwnEx       = 15
	socketTypeMask  = 0xf
)

// program is a filter: instructions of classic BPF.
type program []unix.SockFilter

// rules says how each call is answered: by a program that ends with an answer.
// What is not in it is allowed.
type rules map[uint32]program

func (r rules) all(numbers []uint32, with uint32) {
	for _, n := range numbers {
		r[n] = program{answer(with)}
	}
}

func load(off uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
}

func answer(with uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with}
}

// jump compares the loaded word and goes over yes or no instructions.
func jump(op uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

// anyOf answers with hit when the loaded word is one of values, else goes on.
func anyOf(hit uint32, values ...uint32) (p program) {
	for _, v := range values {
		p = append(p, jump(unix.BPF_JEQ, v, 0, 1), answer(hit))
	}
	return p
}

// join puts pieces one after the other.
func join(pieces ...program) program { return slices.Concat(pieces...) }

// argument answers by one argument: with hit for the values, else with miss.
func argument(off, hit, miss uint32, values ...uint32) program {
	return join(program{load(off)}, anyOf(hit, values...), program{answer(miss)})
}

// filter builds the program. leash adds the rules of the landlock driver,
// where self is the process that may be signalled, or 0 when Landlock's own
// scope sees to signals.
func filter(network, leash bool, self uint32) program {
	no := scErrno(unix.EPERM)
	r := rules{}
	r.all(absent, scErrno(unix.ENOSYS))
	r.all(refused, no)
	r.all(archRefused, no)

	// A child of its parent's parent is the caller's own child: below the
	// tree's first process, where the tree is counted, it is not.
	const spaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_PARENT
	r[unix.SYS_CLONE] = program{load(offArg0), jump(unix.BPF_JSET, spaces, 0, 1), answer(no), answer(scAllow)}
	r[unix.SYS_IOCTL] = argument(offArg1, no, scAllow, ioctlRefused...)
	r.modes()
	// PDEATHSIG and the subreaper are how the tree dies with its caller and
	// is counted.
	r[unix.SYS_PRCTL] = argument(offArg0, no, scAllow,
		unix.PR_SET_PDEATHSIG, unix.PR_SET_CHILD_SUBREAPER, unix.PR_SET_SECCOMP, unix.PR_SET_MM)
	r.sockets(network)
	if leash {
		r.leash(self)
	}
	return join(program{
		// Another architecture's call would mean something else under each number.
		load(offArch), jump(unix.BPF_JEQ, auditArch, 1, 0), answer(scKill),
		// The ceiling refuses x32 too, whose numbers begin at 2^30.
		load(offNumber), jump(unix.BPF_JGT, ceiling, 0, 1), answer(scErrno(unix.ENOSYS)),
	}, r.compile())
}

// sockets refuses every family but the internet's, and that too without
// network. A pair of stream sockets is connected to itself for good; a pair of
// datagram sockets could still send to any named socket of the host, and
// SOCK_RAW is another word for datagram in that family.
func (r rules) sockets(network bool) {
	no := scErrno(unix.EACCES)
	kind := program{load(offArg1), {Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: socketTypeMask}}
	if !network {
		// One end of a pair is a socket too: it could still take a name
		// among the host's abstract ones.
		r.all([]uint32{unix.SYS_SOCKET, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_CONNECT}, no)
	} else {
		r[unix.SYS_SOCKET] = join(
			program{load(offArg0), jump(unix.BPF_JEQ, unix.AF_INET, 2, 0), jump(unix.BPF_JEQ, unix.AF_INET6, 1, 0), answer(no)},
			kind, anyOf(scAllow, unix.SOCK_STREAM, unix.SOCK_DGRAM), program{answer(no)})
	}
	r[unix.SYS_SOCKETPAIR] = join(
		program{load(offArg0), jump(unix.BPF_JEQ, unix.AF_UNIX, 1, 0), answer(no)},
		kind, anyOf(scAllow, unix.SOCK_STREAM, unix.SOCK_SEQPACKET), program{answer(no)})
}

func (r rules) leash(self uint32) {
	no := scErrno(unix.EPERM)
	r.all(leashRefused, no)
	r.all(archLeashRefused, no)
	r.all(leashPretended, scErrno(0))
	r.all(archLeashPretended, scErrno(0))
	r.all(leashUnsupported, scErrno(unix.EOPNOTSUPP))
	for _, n := range leashOwnOnly {
		r[n] = argument(offArg0, scAllow, no, 0)
	}
	for _, n := range leashOwnPriority {
		r[n.call] = program{
			load(offArg0), jump(unix.BPF_JEQ, n.process, 0, 3),
			load(offArg1), jump(unix.BPF_JEQ, 0, 0, 1), answer(scAllow), answer(no),
		}
	}
	if self != 0 {
		for _, n := range leashSignals {
			r[n] = argument(offArg0, scAllow, no, self)
		}
		r[unix.SYS_PIDFD_SEND_SIGNAL] = program{answer(no)}
		// A descriptor can be told whom to signal, and by which signal.
		r[unix.SYS_FCNTL] = argument(offArg1, no, scAllow, unix.F_SETOWN, fSetSig, fSetOwnEx)
		r[unix.SYS_IOCTL] = argument(offArg1, no, scAllow, append([]uint32{fioSetOwn, siocSetPgrp}, ioctlRefused...)...)
	}
}

// span is a run of numbers that are answered alike, from its first on.
type span struct {
	first uint32
	body  program
}

// compile orders the rules as a search tree. A plain list would do the same,
// but the kernel walks the program once for every call that exists when it is
// armed, and that is most of what arming costs.
func (r rules) compile() program {
	var spans []span
	add := func(first uint32, body program) {
		if len(spans) == 0 || !slices.Equal(spans[len(spans)-1].body, body) {
			spans = append(spans, span{first, body})
		}
	}
	next := uint32(0)
	for _, n := range slices.Sorted(maps.Keys(r)) {
		if n > next {
			add(next, program{answer(scAllow)})
		}
		add(n, r[n])
		next = n + 1
	}
	add(next, program{answer(scAllow)}) // up to the ceiling, if it is not a rule itself
	return search(spans)
}

func search(spans []span) program {
	if len(spans) == 1 {
		return spans[0].body
	}
	half := len(spans) / 2
	below, above := search(spans[:half]), search(spans[half:])
	// A conditional jump reaches 255 instructions, the other kind any number.
	return join(program{
		jump(unix.BPF_JGE, spans[half].first, 0, 1),
		{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(below))},
	}, below, above)
}
