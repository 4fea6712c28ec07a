package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// plan is what a new process does before it becomes the program: a list of
// system calls whose arguments were all put together before. The process that
// follows it was cloned from this one and shares its memory, so it can neither
// allocate nor grow a stack nor be stopped by the collector. A process that is
// executed anew, to do the same in Go, takes longer to start than all these
// calls together.
//
// A plan lives until the process that follows it has ended: what its arguments
// point to is kept by it.
type plan struct {
	ops  []op
	keep []any  // what arguments point to
	room []byte // of the texts
	run  *walk
}

// op is one system call, or a look at what earlier ones left in memory.
type op struct {
	nr      uintptr
	args    [6]uintptr // or registers, see reg
	excused uintptr    // an error that is as good as success
	must    int        // the result that it must have; any when below zero
	store   *int32     // the result goes there, too
	word    *uint64    // of a check
	into    uint8      // register for the result
	note    byte       // on failure say this and go on behind the next skip lines
	skip    uint8

	// What a failure means; not for the process.
	step step
	what string
}

// checkWord is no system call: the word, seen through the mask in the first
// argument, must be the second; if not, the third is the error.
const checkWord = ^uintptr(0)

// The registers hold descriptors that only the process itself knows. Zero
// takes what nobody needs.
const (
	regNone uint8 = iota
	regStatus
	regOrder
	regIn
	regOut
	regErr
	regRoot
	regRules
	regSource
	regTree
	regDir
	regFile
	regDevice // and one for each of the devices after it
	registers = 16
)

// registerTag marks an argument as a register: no address and no small number,
// below zero or above, begins with these two bits.
const registerTag = 1

func reg(n uint8) uintptr { return registerTag<<62 | uintptr(n) }

// num is a number, such as AT_FDCWD, as the kernel takes it.
func num(n int) uintptr { return uintptr(n) }

// walk is what the process itself reads and writes besides the lines. It
// writes no pointers, so nothing has to be told to the collector.
type walk struct {
	first *op
	count uintptr
	regs  [registers]uintptr
	said  [10]byte // status byte, line, errno, step
}

func newPlan() *plan {
	return &plan{ops: make([]op, 0, 256), room: make([]byte, 0, 8<<10), run: &walk{}}
}

// call appends a system call.
func (p *plan) call(s step, what string, nr uintptr, args ...uintptr) *op {
	o := op{nr: nr, must: -1, step: s, what: what}
	copy(o.args[:], args)
	p.ops = append(p.ops, o)
	return &p.ops[len(p.ops)-1]
}

func (o *op) excuse(e unix.Errno) { o.excused = uintptr(e) }
func (o *op) to(r uint8) *op      { o.into = r; return o }
func (o *op) exactly(n int)       { o.must = n }

// check appends a look at 64 bits of memory.
func (p *plan) check(s step, what string, at *uint64, mask, want uint64, otherwise unix.Errno) {
	p.call(s, what, checkWord, uintptr(mask), uintptr(want), uintptr(otherwise)).word = at
}

// at is an address that stays good.
func (p *plan) at(v unsafe.Pointer) uintptr {
	p.keep = append(p.keep, v)
	return uintptr(v)
}

// text is the address of a string with a zero after it.
func (p *plan) text(s string) uintptr {
	need := len(s) + 1
	if cap(p.room)-len(p.room) < need {
		p.room = make([]byte, 0, max(8<<10, need))
	}
	n := len(p.room)
	p.room = append(append(p.room, s...), 0)
	return p.at(unsafe.Pointer(&p.room[n]))
}

// data is the address of bytes, of at least one.
func (p *plan) data(b []byte) uintptr { return p.at(unsafe.Pointer(unsafe.SliceData(b))) }

// texts is the address of a list of strings as execve takes it.
func (p *plan) texts(list []string) uintptr {
	v := make([]uintptr, len(list)+1)
	for i, s := range list {
		v[i] = p.text(s)
	}
	return p.at(unsafe.Pointer(&v[0]))
}

// write appends the writing of all of b.
func (p *plan) write(s step, what string, fd uint8, b []byte) {
	if len(b) > 0 {
		p.call(s, what, unix.SYS_WRITE, reg(fd), p.data(b), num(len(b))).exactly(len(b))
	}
}

func (p *plan) close(fd uint8) { p.call(stepSeal, "descriptor", unix.SYS_CLOSE, reg(fd)) }

// ready closes the list.
func (p *plan) ready() *walk {
	p.run.first, p.run.count = unsafe.SliceData(p.ops), uintptr(len(p.ops))
	return p.run
}

// what says what a line is about, "" for a plan that is not
// known.
func (p *plan) what(line uint32) string {
	if p == nil || line >= uint32(len(p.ops)) {
		return ""
	}
	return p.ops[line].what
}
