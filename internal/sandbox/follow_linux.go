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
	o := w.first
	for line := uintptr(0); line < w.count; line++ {
		var r, e uintptr
		if o.nr == checkWord {
			if *o.word&uint64(o.args[0]) != uint64(o.args[1]) {
				e = o.args[2]
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
				w.fail(line, e, o.step)
			}
			w.said[0] = o.note
			w.say(1)
			line += uintptr(o.skip)
			o = o.next(uintptr(o.skip) + 1)
			continue
		}
		w.regs[o.into%registers] = r
		if o.store != nil {
			*o.store = int32(r)
		}
		o = o.next(1)
	}
	_, _, _ = unix.RawSyscall6(unix.SYS_EXIT_GROUP, 0, 0, 0, 0, 0, 0)
}

// next is the line n further.
//
//go:norace
//go:nosplit
func (o *op) next(n uintptr) *op {
	return (*op)(unsafe.Add(unsafe.Pointer(o), n*unsafe.Sizeof(op{})))
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
	_, _, _ = unix.RawSyscall6(unix.SYS_WRITE, w.regs[regStatus], uintptr(unsafe.Pointer(&w.said)), n, 0, 0, 0)
}

// fail says which line failed, and why, and ends the process.
//
//go:norace
//go:nosplit
func (w *walk) fail(line, errno uintptr, s step) {
	w.said = [10]byte{
		statusLine, byte(line >> 24), byte(line >> 16), byte(line >> 8), byte(line),
		byte(errno >> 24), byte(errno >> 16), byte(errno >> 8), byte(errno), byte(s),
	}
	w.say(10)
	_, _, _ = unix.RawSyscall6(unix.SYS_EXIT_GROUP, 126, 0, 0, 0, 0, 0)
}
