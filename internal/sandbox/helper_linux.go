package sandbox

import (
	"encoding/binary"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
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
	if os.Args[0] == boxName {
		if len(os.Args) == 2 && os.Args[1] == relayWord {
			relay()
		}
		become(box)
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

// finish makes the plan of the rest, which is the same for every driver, and
// follows it in this process. The caller's side has no plan to tell a line by.
func finish(o *order) *setupError {
	p := newPlan()
	p.streams(ends{regNone: -1, regStatus: statusFD, regOrder: orderFD, regIn: 0, regOut: 1, regErr: 2, regLink: -1})
	o.wall(p)
	p.seal(o)
	follow(p.ready())
	return nil
}
