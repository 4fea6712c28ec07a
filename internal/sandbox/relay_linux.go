package sandbox

import (
	"math"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// relayWord is the argument that makes the helper in a container the relay.
const relayWord = "relay"

// relay is process 1 of a container. It starts the helper as the other drivers
// do, carries its pipes to the caller, counts the tree and tells its end. The
// caller's death, or its wish, ends the standard input, and process 1 takes all
// others with it. It never returns.
func relay() {
	if unix.Getpid() != 1 || !sameFile(self, boxName) {
		syscall.Exit(126) // started by hand
	}
	// The tool is the same user: nothing of this process may be opened by it.
	if unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) != nil {
		syscall.Exit(126)
	}
	_ = unix.CloseRange(orderFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	in, out := os.NewFile(0, "frames"), &framer{w: os.NewFile(1, "frames")}
	buf := make([]byte, maxFrame)
	kind, b, err := readFrame(in, buf)
	var o opening
	if err != nil || kind != frameStart || o.decode(b) != nil {
		syscall.Exit(126)
	}
	makeThreads()
	h, err := newHelper(own(boxName), o.late, nil, &syscall.SysProcAttr{Setsid: true}, (*child).kill)
	if err != nil {
		_ = out.send(frameStatus, failed(stepStart, "", errnoOf(err)).encode())
		syscall.Exit(126)
	}
	go func() {
		defer syscall.Exit(0) // the caller is gone, or wants it so
		order, input := queue(h.pipes.order), queue(h.pipes.stdin)
		for {
			kind, b, err := readFrame(in, buf)
			if err != nil {
				return
			}
			switch b := append([]byte(nil), b...); kind {
			case frameOrder:
				order <- b
			case frameOrderEnd:
				close(order)
			case frameInput:
				input <- b
			case frameInputEnd:
				close(input)
			default:
				return
			}
		}
	}()
	var pumps sync.WaitGroup
	for kind, f := range map[byte]*os.File{frameStatus: h.pipes.status, frameStdout: h.pipes.stdout, frameStderr: h.pipes.stderr} {
		pumps.Go(func() { out.pump(kind, f) })
	}
	end := o.watch(h, out)
	_ = unix.Kill(-1, unix.SIGKILL) // everyone but this process
	pumps.Wait()
	end.oom = killedForMemory()
	_ = out.send(frameEnding, end.encode())
	syscall.Exit(0)
}

// makeThreads starts the threads that this process may ever need while it can
// be sure to get them: a tool may take all that the container has left, and
// this runtime dies without the next one.
func makeThreads() {
	var all, done sync.WaitGroup
	all.Add(relayTasks / 2)
	for range relayTasks / 2 {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // who does, leaves the thread for others
			all.Done()
			all.Wait()
		})
	}
	done.Wait()
}

// opening is what a relay has to know before it starts the helper.
type opening struct {
	late      bool
	memory    int64
	processes int
}

func (o opening) encode() []byte {
	w := &writer{}
	w.yes(o.late)
	w.num(uint64(o.memory))
	w.num(uint64(o.processes))
	return w.b
}

func (o *opening) decode(b []byte) error {
	r := &reader{b: b}
	o.late, o.memory, o.processes = r.yes(), int64(r.num()), int(r.num())
	return r.end()
}

// watch counts the tree until it ends.
func (o *opening) watch(h *helper, out *framer) ending {
	tick := time.NewTicker(nextCensus)
	defer tick.Stop()
	l := Limits{Memory: o.memory, Processes: o.processes}
	for {
		select {
		case end := <-h.ended:
			return end
		case <-tick.C:
			c, err := census(h.proc.pid, l)
			if err != nil {
				continue
			}
			if killedForMemory() {
				c.memory = l.Memory + 1 // the kernel was faster
			}
			_ = out.send(frameCount, c.encode())
		}
	}
}

// queue writes to a pipe what it is sent, and closes it at the end. Who reads
// there may never do so: the queue has room for all that a caller sends.
func queue(w *os.File) chan<- []byte {
	c := make(chan []byte, 1<<16)
	go func() {
		defer func() { _ = w.Close() }()
		for b := range c {
			if _, err := w.Write(b); err != nil {
				for range c { // nobody reads any more
				}
			}
		}
	}()
	return c
}

// killedForMemory tells whether the kernel ended something in this container
// because all of it together held too much.
func killedForMemory() bool {
	for _, file := range []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"} {
		if b, err := os.ReadFile(file); err == nil {
			return field(append([]byte("\n"), b...), "\noom_kill ") > 0
		}
	}
	return false
}
