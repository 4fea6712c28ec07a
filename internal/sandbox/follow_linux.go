package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// follow makes the calls of a plan, one after the other, and ends the process
// where one fails: it does not return. It runs in a process that shares the
// memory of a Go program and has a small stack of its own, so neither it nor
// what it calls may allocate, grow the stack, or panic.
//
//go:norace
//go:nosplit
func follow(w *walk) {
	at := w.first
	for line := uintptr(0); line < w.count; line++ {
		o := (*op)(unsafe.Pointer(at)) //nolint:govet // the plan is kept by its maker
		at += unsafe.Sizeof(op{})
		var r, e uintptr
		if o.nr == checkWord {
			//nolint:govet // an address of the plan
			if *(*uint64)(unsafe.Pointer(o.args[0]))&uint64(o.args[1]) != uint64(o.args[2]) {
				e = o.args[3]
			}
		} else {
			var errno unix.Errno
			r, _, errno = unix.RawSyscall6(o.nr, w.value(o.args[0]), w.value(o.args[1]), w.value(o.args[2]),
				w.value(o.args[3]), w.value(o.args[4]), w.value(o.args[5]))
			e = uintptr(errno)
		}
		if e == 0 && o.must >= 0 && r != uintptr(o.must) {
			e = uintptr(unix.EIO)
		}
		if e != 0 && e != o.excused {
			if o.note == 0 {
				w.fail(line, e)
			}
			w.said[0] = o.note
			w.say(1)
			line += uintptr(o.skip)
			at += uintptr(o.skip) * unsafe.Sizeof(op{})
			continue
		}
		w.regs[o.into%registers] = r
		if o.store != nil {
			*o.store = int32(r)
		}
	}
	unix.RawSyscall6(unix.SYS_EXIT_GROUP, 0, 0, 0, 0, 0, 0)
}

// value is an argument, or what the register holds that it names.
//
//go:norace
//go:nosplit
func (w *walk) value(arg uintptr) uintptr {
	if arg>>62 == registerTag {
		return w.regs[arg%registers]
	}
	return arg
}

//go:norace
//go:nosplit
func (w *walk) say(n uintptr) {
	unix.RawSyscall6(unix.SYS_WRITE, w.regs[regStatus], uintptr(unsafe.Pointer(&w.said)), n, 0, 0, 0)
}

// fail says which line failed, and why, and ends the process.
//
//go:norace
//go:nosplit
func (w *walk) fail(line, errno uintptr) {
	w.said[0] = statusFailed
	for i := uintptr(0); i < 4; i++ {
		w.said[(1+i)&7] = byte(line >> (24 - 8*i))
	}
	w.said[5], w.said[6], w.said[7], w.said[8] = byte(errno>>24), byte(errno>>16), byte(errno>>8), byte(errno)
	w.say(9)
	unix.RawSyscall6(unix.SYS_EXIT_GROUP, 126, 0, 0, 0, 0, 0)
}
