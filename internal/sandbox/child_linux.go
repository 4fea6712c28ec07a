package sandbox

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// child is a process that this one started and has not reaped yet. It does
// what an os.Process does with less: the standard library's first one tries
// with a process of its own whether the kernel has process descriptors, which
// costs up to a millisecond.
type child struct {
	pid int

	mu   sync.Mutex
	gone bool // reaped: the number may be another's
}

// followed has the plans whose processes have not been reaped.
// Whoever forgets such a process, and lets the collector close the pipe that it
// waits for, must not let it go on along a list that is no list any more.
var followed sync.Map

// command is the program that a child becomes.
type command struct {
	path string
	argv []string
	env  []string
}

// own is this program as a part of the sandbox.
func own(argv0 string) command { return command{self, []string{argv0}, helperEnv()} }

// fork starts a program. Its three streams, and what else it gets, are files;
// nil is closed.
func fork(c command, files []*os.File, attr *syscall.SysProcAttr) (*child, error) {
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = ^uintptr(0)
		if f != nil {
			fds[i] = f.Fd()
		}
	}
	pid, err := syscall.ForkExec(c.path, c.argv, &syscall.ProcAttr{Dir: "/", Env: c.env, Files: fds, Sys: attr})
	runtime.KeepAlive(files)
	if err != nil {
		return nil, err
	}
	return &child{pid: pid}, nil
}

// kill ends the process, whenever it is called.
func (c *child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		_ = unix.Kill(c.pid, unix.SIGKILL)
	}
}

// hold does something while the process, dead or alive, still has its number.
func (c *child) hold(do func(pid int) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return unix.ESRCH
	}
	return do(c.pid)
}

// awaitEnd waits for the end and leaves the process to be reaped.
func (c *child) awaitEnd() {
	for unix.Waitid(unix.P_PID, c.pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// reap waits for the end and takes it.
func (c *child) reap() ending {
	c.awaitEnd()
	c.mu.Lock()
	defer c.mu.Unlock()
	var ws unix.WaitStatus
	var used unix.Rusage
	var err error
	for {
		if _, err = unix.Wait4(c.pid, &ws, 0, &used); err != unix.EINTR {
			break
		}
	}
	c.gone = true
	followed.Delete(c)
	if err != nil {
		return ending{err: os.NewSyscallError("wait4", err)}
	}
	e := ending{code: ws.ExitStatus(), used: time.Duration(used.Utime.Nano() + used.Stime.Nano())}
	if ws.Signaled() {
		e.signal = unix.SignalName(ws.Signal())
	}
	return e
}

// start starts a process on a thread that lives until the process has ended:
// the parent's death, of which the kernel tells the child, is the death of the
// thread that started it. settle runs before the process is reaped.
func start(fork func() (*child, error), settle func()) (*child, <-chan ending, error) {
	type started struct {
		proc *child
		err  error
	}
	begun, ended := make(chan started, 1), make(chan ending, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		proc, err := fork()
		begun <- started{proc, err}
		if err != nil {
			return
		}
		if settle != nil {
			proc.awaitEnd()
			settle()
		}
		ended <- proc.reap()
	}()
	s := <-begun
	return s.proc, ended, s.err
}
