package sandbox

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The words in argv[0] that turn this program into a part of the sandbox.
const (
	cageName   = "patch-git: namespaces"
	leashName  = "patch-git: landlock"
	keeperName = "patch-git: keeper"
)

// The descriptors of the helper, after the program's own three.
const (
	orderFD  = 3
	statusFD = 4
)

// orderGo is the byte that follows the order when the program may start.
const orderGo = 'g'

// init turns the process into the sandbox's helper when it was started as one,
// and then never returns; in any other process it looks at one string. It is
// not left to main because a Go program initialises all of its packages before
// main, and those that this program needs for other things take longer than
// everything that the helper does; paid a second time by every run. Packages
// are initialised in the order of their import paths as soon as what they
// import is ready, so this one comes before the slow ones.
func init() {
	switch os.Args[0] {
	case cageName:
		become(cage)
	case leashName:
		become(leash)
	case boxName:
		if len(os.Args) == 2 && os.Args[1] == relayWord {
			relay()
		}
		become(box)
	case keeperName:
		keep()
	}
}

// status tells the caller's side something. Nobody hears a failure of it.
func status(b []byte) { _, _ = unix.Write(statusFD, b) }

// become turns this process into the program: confine takes the order and
// builds what the driver builds, the rest is common. It never returns.
func become(confine func(*order) *setupError) {
	// All that follows concerns single threads: credentials, Landlock,
	// seccomp, the parent's death. It must meet the thread that executes.
	runtime.LockOSThread()
	if err := obey(confine); err != nil {
		status(err.encode())
	}
	syscall.Exit(126)
}

func obey(confine func(*order) *setupError) *setupError {
	// Asked again for this thread: the first asking, before the helper was
	// executed, holds for the thread that started it.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return failed(stepParent, "", err)
	}
	var o order
	if err := confine(&o); err != nil {
		return err
	}
	return finish(&o)
}

// receive waits for the order: eight bytes of length, then that much.
func (o *order) receive() *setupError {
	var head [8]byte
	if err := readFull(head[:]); err != nil {
		return failed(stepOrder, "", err)
	}
	n := binary.BigEndian.Uint64(head[:])
	if n > maxOrder {
		return failed(stepOrder, "", unix.EMSGSIZE)
	}
	b := make([]byte, n)
	if err := readFull(b); err != nil {
		return failed(stepOrder, "", err)
	}
	if err := o.decode(b); err != nil {
		return failed(stepOrder, "", unix.EBADMSG)
	}
	// A caller that died before the signal was asked for has closed its end.
	ends := []unix.PollFd{{Fd: statusFD}}
	if _, err := unix.Poll(ends, 0); err == nil && ends[0].Revents&unix.POLLERR != 0 {
		return failed(stepParent, "", unix.ESRCH)
	}
	return nil
}

func readFull(b []byte) error {
	for len(b) > 0 {
		n, err := unix.Read(orderFD, b)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return err
		case n == 0:
			return unix.EPIPE
		default:
			b = b[n:]
		}
	}
	return nil
}

// finish takes away what is left to take and becomes the program. The order
// is: input and directory while they can be opened, limits, privileges,
// descriptors, and last the filter, which refuses some of the calls before it.
func finish(o *order) *setupError {
	if err := input(o); err != nil {
		return err
	}
	if err := unix.Chdir(o.job.Dir); err != nil {
		return failed(stepDir, o.job.Dir, err)
	}
	unix.Umask(0o022)
	if err := setLimits(o); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return failed(stepCaps, "", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return failed(stepSeal, "no_new_privs", err)
	}
	if err := unix.CloseRange(orderFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return failed(stepSeal, "descriptors", err)
	}
	return execute(o)
}

// input puts the job's standard input on descriptor 0, where a pipe for a late
// one lies already.
func input(o *order) *setupError {
	if o.job.Late {
		return nil
	}
	var fd int
	var err error
	switch {
	case o.job.StdinFile != "":
		fd, err = unix.Open(o.job.StdinFile, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	case len(o.job.Stdin) == 0:
		fd, err = unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	default:
		// A file without a name, so that nothing but descriptor 0 leads to it.
		fd, err = unix.Open(o.scratch(), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
		if err == nil {
			err = writeAll(fd, o.job.Stdin)
		}
		if err == nil {
			_, err = unix.Seek(fd, 0, unix.SEEK_SET)
		}
	}
	if err == nil {
		err = unix.Dup3(fd, 0, 0)
	}
	if err != nil {
		return failed(stepFile, "standard input", err)
	}
	return nil
}

func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func setLimits(o *order) *setupError {
	l := &o.job.Limits
	seconds := uint64((l.CPU + time.Second - 1) / time.Second)
	for _, r := range []struct {
		name string
		what int
		max  uint64
	}{
		{"core", unix.RLIMIT_CORE, 0},
		{"processor time", unix.RLIMIT_CPU, max(seconds, 1)},
		{"open files", unix.RLIMIT_NOFILE, uint64(l.OpenFiles)},
		{"file size", unix.RLIMIT_FSIZE, uint64(l.FileSize)},
		{"locked memory", unix.RLIMIT_MEMLOCK, 0},
		{"message queues", unix.RLIMIT_MSGQUEUE, 0},
		{"processes", unix.RLIMIT_NPROC, uint64(l.Processes + o.others)},
	} {
		if err := setLimit(r.what, r.max); err != nil {
			return failed(stepLimit, r.name, err)
		}
	}
	return nil
}

func setLimit(what int, limit uint64) error {
	err := unix.Prlimit(0, what, &unix.Rlimit{Cur: limit, Max: limit}, nil)
	if errors.Is(err, unix.EPERM) {
		// The caller itself may have less, which is the stricter.
		err = lower(what, limit)
	}
	return err
}

// lower fixes a limit at the hard limit that cannot be raised.
func lower(what int, wanted uint64) error {
	var have unix.Rlimit
	if err := unix.Prlimit(0, what, nil, &have); err != nil {
		return err
	}
	if have.Max > wanted {
		return unix.EPERM
	}
	have.Cur = have.Max
	return unix.Prlimit(0, what, &have, nil)
}

// dropCapabilities leaves nothing in any set, so that no file and no
// execution can give anything back.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	// The sets have room for 64; the first number that the kernel does not
	// know ends the list.
	for c := range uintptr(64) {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err == unix.EINVAL || (err == unix.EPERM && powerless()) {
			break
		}
		if err != nil {
			return err
		}
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&head, &none[0])
}

// powerless tells that the process has no capability to begin with: an
// ordinary user outside of a namespace, who cannot empty the bounding set and
// whom no_new_privs keeps from gaining anything through it.
func powerless() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	return unix.Capget(&head, &have[0]) == nil && have == [2]unix.CapUserData{}
}

// execute arms the filter and becomes the program. Whatever needs memory comes
// before the limit on it: this runtime has reserved more addresses than a tool
// may have, and would die of the next small thing.
func execute(o *order) *setupError {
	argv, err1 := syscall.SlicePtrFromStrings(o.job.Argv)
	envv, err2 := syscall.SlicePtrFromStrings(o.job.Env)
	if err1 != nil || err2 != nil {
		return failed(stepOrder, "", unix.EINVAL)
	}
	var self uint32
	if o.leash && landlockABI() < scopedSignals {
		self = uint32(unix.Getpid())
	}
	rules := filter(o.job.Network, o.leash, self)
	failure := failed(stepExec, o.job.Argv[0], unix.EIO).encode()
	noMemory := failed(stepLimit, "memory", unix.EPERM)
	noFilter := failed(stepFilter, "", unix.EPERM)
	started := []byte{statusStarted}

	// All is built; the caller says when, or has changed its mind.
	var word [1]byte
	if err := readFull(word[:]); err != nil || word[0] != orderGo {
		return failed(stepParent, "", unix.ECANCELED)
	}
	_ = unix.Close(orderFD)

	last := leap{
		memory: unix.Rlimit{Cur: uint64(o.job.Limits.Memory), Max: uint64(o.job.Limits.Memory)},
		filter: unix.SockFprog{Len: uint16(len(rules)), Filter: &rules[0]},
		path:   argv[0], argv: &argv[0], envv: &envv[0],
		started: started, failure: failure, rehearsal: o.rehearsal,
	}
	var have unix.Rlimit
	if unix.Prlimit(0, unix.RLIMIT_AS, nil, &have) == nil && have.Max < last.memory.Max {
		// The caller itself may have less, which is the stricter.
		last.memory = unix.Rlimit{Cur: have.Max, Max: have.Max}
	}
	if !last.do() {
		return noMemory
	}
	return noFilter
}

// leap is all that the last steps need, made before the first of them.
type leap struct {
	memory           unix.Rlimit
	filter           unix.SockFprog
	path             *byte
	argv, envv       **byte
	started, failure []byte
	rehearsal        bool
}

// do takes the last steps, by system calls alone: from the first on, whatever
// asks for memory dies. It returns only where a step fails before the program
// counts as started: false for the limit, true for the filter.
//
//go:norace
//go:nosplit
func (l *leap) do() (limited bool) {
	if _, _, e := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_AS, uintptr(unsafe.Pointer(&l.memory)), 0, 0, 0); e != 0 {
		return false
	}
	if _, _, e := unix.RawSyscall6(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&l.filter)), 0, 0, 0); e != 0 {
		return true
	}
	_, _, _ = unix.RawSyscall6(unix.SYS_WRITE, statusFD, uintptr(unsafe.Pointer(&l.started[0])), uintptr(len(l.started)), 0, 0, 0)
	if l.rehearsal {
		_, _, _ = unix.RawSyscall6(unix.SYS_EXIT_GROUP, 0, 0, 0, 0, 0, 0)
	}
	_, _, e := unix.RawSyscall6(unix.SYS_EXECVE, uintptr(unsafe.Pointer(l.path)), uintptr(unsafe.Pointer(l.argv)), uintptr(unsafe.Pointer(l.envv)), 0, 0, 0)
	for i := range 4 {
		l.failure[2+i] = byte(e >> (24 - 8*i)) // as encode has it
	}
	_, _, _ = unix.RawSyscall6(unix.SYS_WRITE, statusFD, uintptr(unsafe.Pointer(&l.failure[0])), uintptr(len(l.failure)), 0, 0, 0)
	_, _, _ = unix.RawSyscall6(unix.SYS_EXIT_GROUP, 126, 0, 0, 0, 0, 0)
	return true
}
