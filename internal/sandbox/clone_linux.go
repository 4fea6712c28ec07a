package sandbox

import (
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// cloneArgs is struct clone_args of the kernel.
type cloneArgs struct {
	flags                        uint64
	_                            [3]uint64 // pidfd, child_tid, parent_tid
	exitSignal, stack, stackSize uint64
	_                            [3]uint64 // tls, set_tid, set_tid_size
	cgroup                       uint64
}

// stackSize is far beyond what follow needs: a page and more for the frames of
// a few functions that may not grow it.
const stackSize = 16 << 10

// spawn starts a process that follows the plan, in new namespaces by flags. It
// shares this process's memory, not more: its descriptors, its directory and
// its handling of signals are copies. It is called on a locked thread, whose
// end is the parent's end for the new process. It begins in the control group,
// which is nil for the caller's.
//
// It takes the older call of the two that clone where it can: the filters of
// containers answer the newer one, which a control group needs, as if the
// kernel did not have it.
func (p *plan) spawn(flags uintptr, g *group) (*child, error) {
	return p.clone(flags|unix.CLONE_VM, g)
}

// clone is spawn for a process that may have a memory of its own.
func (p *plan) clone(flags uintptr, g *group) (*child, error) {
	w, c := p.ready(), &child{}
	followed.Store(c, p)
	stack := make([]byte, stackSize)
	p.keep = append(p.keep, stack)
	base := uintptr(unsafe.Pointer(unsafe.SliceData(stack)))
	// A function's value points to the address of its code.
	code := follow
	entry := **(**uintptr)(unsafe.Pointer(&code))
	call, first, second := uintptr(unix.SYS_CLONE), flags|uintptr(unix.SIGCHLD), base+stackSize
	if g != nil {
		args := &cloneArgs{
			flags: uint64(flags) | unix.CLONE_INTO_CGROUP, exitSignal: uint64(unix.SIGCHLD),
			stack: uint64(base), stackSize: stackSize, cgroup: uint64(g.fd),
		}
		call, first, second = unix.SYS_CLONE3, p.at(unsafe.Pointer(args)), unsafe.Sizeof(*args)
	}
	// The handlers of this program are none of the process's: called there,
	// they would work on the memory of this one. So it begins with all signals
	// held back, and lets them come once it has no handlers any more. Nor may
	// one find this thread in the middle.
	all, old := uint64(math.MaxUint64), uint64(0)
	const how, size = unix.SIG_SETMASK, unsafe.Sizeof(all)
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, how, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&old)), size, 0, 0)
	r, e := enter(call, first, second, entry, w)
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, how, uintptr(unsafe.Pointer(&old)), 0, size, 0, 0)
	if e != 0 {
		followed.Delete(c)
		return nil, unix.Errno(e)
	}
	c.pid = int(r)
	return c, nil
}
