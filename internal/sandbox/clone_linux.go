package sandbox

import (
	"math"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// cloneArgs is struct clone_args of the kernel.
type cloneArgs struct {
	flags                        uint64
	_                            [3]uint64 // pidfd, child_tid, parent_tid
	exitSignal, stack, stackSize uint64
	_                            [4]uint64 // tls, set_tid, set_tid_size, cgroup
}

// stackSize is far beyond what follow needs: a page and more for the frames of
// a few functions that may not grow it.
const stackSize = 16 << 10

// spawn starts a process that follows the plan, in new namespaces by flags. It
// shares this process's memory, not more: its descriptors, its directory and
// its handling of signals are copies. It is called on a locked thread, whose
// end is the parent's end for the new process.
func (p *plan) spawn(flags uint64) (*child, error) {
	w := p.ready()
	stack := make([]byte, stackSize)
	p.keep = append(p.keep, stack)
	args := &cloneArgs{
		// The handlers of this program are none of the process's: called
		// there, they would work on the memory of this one.
		flags: flags | unix.CLONE_VM | unix.CLONE_CLEAR_SIGHAND, exitSignal: uint64(unix.SIGCHLD),
		stack: uint64(uintptr(unsafe.Pointer(&stack[0]))), stackSize: stackSize,
	}
	// No signal may come between the process's first step and the kernel's
	// forgetting of the handlers, nor find this thread in the middle.
	all, old := uint64(math.MaxUint64), uint64(0)
	const how, size = unix.SIG_SETMASK, unsafe.Sizeof(all)
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, how, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&old)), size, 0, 0)
	r, e := clone3(args, unsafe.Sizeof(*args), w)
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, how, uintptr(unsafe.Pointer(&old)), 0, size, 0, 0)
	runtime.KeepAlive(p)
	if e != 0 {
		return nil, unix.Errno(e)
	}
	return &child{pid: int(r)}, nil
}
