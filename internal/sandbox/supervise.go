package sandbox

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
)

const (
	// firstCensus lets short runs end before anything counts them.
	firstCensus = 50 * time.Millisecond
	// nextCensus is the pause between counts: what a tree can grow in it is
	// the error of the memory limit.
	nextCensus = 50 * time.Millisecond
	// drain is how long a pipe may stay open after the tree was killed. Only
	// a driver that cannot kill all of it ever waits that long.
	drain = 500 * time.Millisecond
)

// tree is one started program with everything that it starts.
type tree struct {
	ended          <-chan ending
	stdin          *os.File // our end of a late standard input, else nil
	stdout, stderr *os.File // our ends of the pipes
	// kill ends all of the tree. It may be called at any time and often.
	kill func()
	// census counts the tree; nil where a driver does not.
	census func(Limits) (count, error)
	// group has the tree, with its limits; nil where census watches them.
	group *group
	// holds is the memory of the tree at this moment; nil where nobody counts.
	holds func() int64
	// linger keeps what takes long to be taken down with the tree, until release is
	// called; nil where a driver has nothing of that kind.
	linger func() (release func())
	// given is how much of the late input was written already, all of it early.
	given int
	// talk is a conversation with the program; nil where there is none.
	talk *talk
	// fed is closed when the late input was written, or cannot be.
	fed chan struct{}
	// unheard tells that the program had ended before it was given a byte of
	// its late input that follows on the gate.
	unheard atomic.Bool
	// verdict tells, after the end, whether the program ever started; nil
	// where starting the process was all there is to it.
	verdict func() (notes []string, err error)
	// blame reads out of what was written to the standard error why a program
	// never started; nil where nobody else writes there.
	blame func(stderr []byte) error
	// shut has the error of the job's gate when it did not open.
	shut chan error
}

// feed writes a late standard input once the job's gate has opened.
func (t *tree) feed(j Job) {
	t.fed = make(chan struct{})
	go func() {
		if t.passes(j) {
			t.pour(j.Stdin, false)
		} else {
			t.dry()
		}
	}()
}

// feedNow is feed for a program that waits: what its pipe holds is written before
// anything else, because to wake another thread for it takes as long as all that
// the gate waits for. So the gate must not wait for long.
func (t *tree) feedNow(j Job) {
	t.fed = make(chan struct{})
	n := t.given
	if n < j.Early { // it wakes up and reads while the gate is asked
		n += writeSome(t.stdin, j.Stdin[n:j.Early])
	}
	if !t.passes(j) {
		t.dry()
		return
	}
	n += writeSome(t.stdin, j.Stdin[n:])
	if n < len(j.Stdin) { // it is more than the pipe holds, or the program has ended
		go t.pour(j.Stdin[n:], n > j.Early)
		return
	}
	t.dry()
}

// passes asks the gate, and ends the program where that says no.
func (t *tree) passes(j Job) bool {
	err := j.open()
	if err != nil {
		t.shut <- err
		t.kill()
	}
	return err == nil
}

// pour writes the rest of the input; heard tells that the program took already what
// may have made it begin.
func (t *tree) pour(rest []byte, heard bool) {
	// A program that ended has closed its end.
	if n, err := t.stdin.Write(rest); n == 0 && err != nil && !heard {
		t.unheard.Store(true)
	}
	t.dry()
}

// dry ends the input.
func (t *tree) dry() {
	_ = t.stdin.Close()
	close(t.fed)
}

// weight is the memory of the tree, in bytes; 0 where nobody counts.
func (t *tree) weight() int64 {
	if t.holds == nil {
		return 0
	}
	return t.holds()
}

// silent tells whether nothing came yet from the program, and it did not close
// its streams.
func (t *tree) silent() bool { return quiet(t.stdout) && quiet(t.stderr) }

// discard ends a program that gets no input.
func (t *tree) discard() {
	t.kill()
	<-t.ended
	t.close()
	if t.verdict != nil {
		_, _ = t.verdict() // closes the pipe that it reads
	}
}

func (t *tree) close() {
	for _, f := range []*os.File{t.stdin, t.stdout, t.stderr} {
		_ = f.Close()
	}
}

// errNoStart is the cause of the error about a helper that ended early and
// could not say why.
var errNoStart = errors.New("sandbox helper ended before the tool started")

// ending is what the wait for the first process brought.
type ending struct {
	code   int // -1 when a signal ended it
	signal string
	used   time.Duration // processor time of the process and what it waited for
	oom    bool          // the kernel ended something of the tree for its memory
	err    error
}

// count is what the tree holds at one moment.
type count struct {
	processes int // threads included
	memory    int64
}

// supervise waits for the tree, which has run since began, under the limits of its job and
// turns its end into an Outcome. Whatever happens, nothing of the tree is left when
// it returns.
func (t *tree) supervise(ctx context.Context, job Job, began time.Time, now func() time.Time) (Outcome, error) {
	out, lim := Outcome{Exit: -1}, job.Limits
	var full atomic.Bool
	heads, tails := make(chan []byte, 1), make(chan struct{}, 1)
	go func() {
		heads <- readHead(t.talk.heard(&stream{File: t.stdout}), lim.Stdout, func() { full.Store(true); t.kill() }, job.Heard)
	}()
	go func() {
		out.Stderr, out.StderrCut = readTail(&stream{File: t.stderr}, lim.Stderr)
		tails <- struct{}{}
	}()

	wall := time.NewTimer(lim.Wall - now().Sub(began))
	defer wall.Stop()
	next := time.NewTimer(firstCensus)
	defer next.Stop()
	var end ending
	var cancelled, blind error
	done := ctx.Done()
	for waiting := true; waiting; {
		select {
		case end = <-t.ended:
			waiting = false
		case <-done:
			cancelled, done = context.Cause(ctx), nil
			t.kill()
		case <-wall.C:
			out.TimedOut = true
			t.kill()
		case <-next.C:
			if t.census == nil {
				break
			}
			var c count
			if c, blind = t.census(lim); blind != nil {
				break
			}
			out.TooManyProcesses = out.TooManyProcesses || c.processes >= lim.Processes
			out.OutOfMemory = out.OutOfMemory || c.memory > lim.Memory
			if c.processes > lim.Processes || out.OutOfMemory {
				t.kill()
			}
			next.Reset(nextCensus)
		}
	}
	t.kill()
	t.closeAfter(drain, func() { out.Stdout = <-heads; <-tails })
	if t.talk != nil {
		_ = t.stdin.Close() // a program that is gone reads no more, and who writes to it must not wait
		t.talk.hush()
		<-t.fed
	}
	out.StdoutCut = full.Load()
	if memory, processes := t.group.tally(); t.group != nil {
		out.OutOfMemory, out.TooManyProcesses = memory, processes
	}
	out.Duration = now().Sub(began)

	var notes []string
	if t.verdict != nil {
		var err error
		late := func() bool { return out.TimedOut && errors.Is(err, errNoStart) } // and that is what ended the helper
		if notes, err = t.verdict(); err != nil && cancelled == nil && !late() {
			if t.blame != nil && errors.Is(err, errNoStart) {
				err = cmp.Or(t.blame(out.Stderr), err)
			}
			return Outcome{Exit: -1}, err
		}
	}
	switch {
	case cancelled != nil:
		return Outcome{Exit: -1}, fault.New(fault.KindOf(cancelled), "run_cancelled", "run was stopped: %w", cancelled)
	case end.err != nil:
		return Outcome{Exit: -1}, fault.New(fault.Unavailable, "sandbox_wait", "wait for the tool: %w", end.err)
	}
	if blind != nil {
		notes = append(notes, "memory: the sum over all processes was not watched ("+blind.Error()+")")
	}
	out.NotEnforced = notes
	out.Exit, out.Signal, out.OutOfMemory = end.code, end.signal, out.OutOfMemory || end.oom
	// The kernel's limit on processor time kills with no doing of ours. It
	// counts by ticks and reports by a finer clock, so the two differ.
	if out.Signal == "SIGKILL" && !out.OutOfMemory && !out.TooManyProcesses && !out.StdoutCut && end.used >= lim.CPU/4*3 {
		out.TimedOut = true
	}
	return out, nil
}

// closeAfter runs read, which ends when both pipes do, and after the pause
// tells the readers to take what is there and be done.
func (t *tree) closeAfter(pause time.Duration, read func()) {
	late := time.AfterFunc(pause, func() {
		hasten(t.stdout, t.stderr)
		t.talk.hush()
	})
	read()
	late.Stop()
	_ = t.stdout.Close()
	_ = t.stderr.Close()
}

// hasten has whoever reads pipes be done.
func hasten(pipes ...*os.File) {
	for _, f := range pipes {
		_ = f.SetReadDeadline(time.Unix(1, 0))
	}
}
