package sandbox

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// self is this program, by a name that stays right when the file is replaced
// or deleted while it runs.
const self = "/proc/self/exe"

// helperEnv is the whole environment of the helper: one thread's worth of
// scheduler, no look through mounts and cgroups for how many it may be, and no
// collector for a heap that lives a millisecond.
func helperEnv() []string {
	return []string{"GOMAXPROCS=1", "GODEBUG=containermaxprocs=0", "GOGC=off"}
}

// pipes are the ends of one run. Those of the child are closed here once the
// child has them. The standard input is nil unless it comes late.
type pipes struct {
	stdin, stdout, stderr, order, status      *os.File // ours
	stdinR, stdoutW, stderrW, orderR, statusW *os.File // the child's

	plug *plug // of a job with an uplink
}

func newPipes(late bool) (*pipes, error) {
	p := &pipes{}
	pairs := []struct{ r, w **os.File }{
		{&p.stdout, &p.stdoutW}, {&p.stderr, &p.stderrW}, {&p.orderR, &p.order}, {&p.status, &p.statusW},
	}
	if late {
		pairs = append(pairs, struct{ r, w **os.File }{&p.stdinR, &p.stdin})
	}
	for _, pair := range pairs {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeAll()
			return nil, err
		}
		*pair.r, *pair.w = r, w
	}
	return p, nil
}

// theirs are the ends for the process.
func (p *pipes) theirs() ends {
	own := ends{regNone: -1, regIn: -1, regLink: -1}
	if p.plug != nil {
		own[regLink] = int(p.plug.theirs.Fd())
	}
	for r, f := range []*os.File{regStatus: p.statusW, regOrder: p.orderR, regIn: p.stdinR, regOut: p.stdoutW, regErr: p.stderrW} {
		if f != nil {
			own[r] = int(f.Fd())
		}
	}
	return own
}

func (p *pipes) closeTheirs() {
	for _, f := range []*os.File{p.stdinR, p.stdoutW, p.stderrW, p.orderR, p.statusW} {
		_ = f.Close()
	}
	if p.plug != nil {
		_ = p.plug.theirs.Close() // so that the end of the process is the end of the pair
	}
}

func (p *pipes) closeAll() {
	p.closeTheirs()
	if p.plug != nil {
		_ = p.plug.ours.Close()
	}
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr, p.order, p.status} {
		_ = f.Close()
	}
}

// helper is a started helper that waits for its order.
type helper struct {
	pipes *pipes
	proc  *child
	ended <-chan ending
	kill  func()
	count func(Limits) (count, error) // nil counts what is below proc
}

// newHelper starts a helper for a job whose input comes late or not, with more
// files after its own.
func newHelper(c command, late bool, more []*os.File, attr *syscall.SysProcAttr, kill func(*child)) (*helper, error) {
	p, err := newPipes(late)
	if err != nil {
		return nil, failed(stepStart, "pipe", errnoOf(err)).classify()
	}
	attr.Pdeathsig = syscall.SIGKILL
	files := append([]*os.File{p.stdinR, p.stdoutW, p.stderrW, p.orderR, p.statusW}, more...)
	proc, ended, err := start(func() (*child, error) { return fork(c, files, attr) }, nil)
	if err != nil {
		p.closeAll()
		return nil, failed(stepStart, "", errnoOf(err)).classify()
	}
	p.closeTheirs()
	return &helper{pipes: p, proc: proc, ended: ended, kill: func() { kill(proc) }}, nil
}

// give hands the order over, and with it the helper's life.
func (h *helper) give(o *order) *tree {
	t := h.watch(o.job, o.encode(), nil)
	t.verdict = func() ([]string, error) { return verdict(h.pipes.status, nil) }
	return t
}

// watch says what the process waits for, at last that the gate is open, and
// makes the tree that is supervised, in a control group or with nil in none of
// its own.
func (h *helper) watch(j Job, order []byte, g *group) *tree {
	p, shut := h.pipes, make(chan error, 1)
	go func() {
		defer func() { _ = p.order.Close() }()
		// A process that died has closed its end: the verdict says why.
		_, _ = p.order.Write(order)
		if p.plug != nil {
			if ok, err := p.plug.ready(); !ok {
				if err != nil {
					shut <- err
					h.kill()
				}
				return
			}
		}
		if !j.Late {
			if err := j.open(); err != nil {
				shut <- err
				h.kill()
				return
			}
		}
		_, _ = p.order.Write([]byte{orderGo})
	}()
	t := &tree{
		shut: shut, stdin: p.stdin,
		ended: h.ended, stdout: p.stdout, stderr: p.stderr,
		kill: func() { g.kill(); h.kill() },
	}
	t.holds = g.holds
	if g == nil {
		t.census = func(l Limits) (count, error) { return census(h.proc.pid, l) }
		if h.count != nil {
			t.census = h.count
		}
		t.holds = func() int64 {
			c, _ := t.census(Limits{Processes: 1}) // beyond no memory, so counted exactly
			return c.memory
		}
	}
	return t
}

// verdict reads how the set-up went. It is called after the end: every process
// that held the other end of the pipe is gone or was executed anew.
func verdict(pipe *os.File, p *plan) (notes []string, err error) {
	defer func() { _ = pipe.Close() }()
	b, err := io.ReadAll(io.LimitReader(pipe, maxStatus))
	if err != nil {
		return nil, fault.New(fault.Unavailable, "sandbox_setup", "read the helper's status: %w", err)
	}
	noPidMax, err := readStatus(b, p)
	if s, ok := errors.AsType[*setupError](err); ok {
		err = s.classify()
	}
	if noPidMax {
		notes = append(notes, onlyCounted)
	}
	return notes, err
}

// onlyCounted is the note of a run whose processes the kernel does not bound.
const onlyCounted = "processes: only counted from outside, so a burst can exceed the limit before it ends the run"

// errnoOf digs out what the kernel said.
func errnoOf(err error) error {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e
	}
	return unix.EIO
}
