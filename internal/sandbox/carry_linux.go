package sandbox

import (
	"os"
	"sync"
	"sync/atomic"
)

// wire carries the pipes of a helper over the frames of a relay.
type wire struct {
	p      *pipes
	to     *framer
	killed atomic.Bool
	ended  chan ending

	mu   sync.Mutex
	last count
	end  *ending
}

// talk sends what the helper is to read.
func (w *wire) talk(o opening) {
	_ = w.to.send(frameStart, o.encode())
	if o.late {
		go func() {
			w.to.pump(frameInput, w.p.stdinR)
			_ = w.to.send(frameInputEnd, nil)
		}()
	}
	w.to.pump(frameOrder, w.p.orderR)
	_ = w.to.send(frameOrderEnd, nil)
}

// listen takes the frames to the pipes, until there are no more or one makes
// no sense.
func (w *wire) listen(r *os.File) {
	for _, f := range []*os.File{w.p.stdoutW, w.p.stderrW, w.p.statusW} {
		defer func() { _ = f.Close() }()
	}
	buf := make([]byte, maxFrame)
	for {
		kind, b, err := readFrame(r, buf)
		if err == nil {
			switch kind {
			case frameStatus:
				_, _ = w.p.statusW.Write(b)
			case frameStdout:
				_, _ = w.p.stdoutW.Write(b) // who reads has had enough when it fails
			case frameStderr:
				_, _ = w.p.stderrW.Write(b)
			case frameCount, frameEnding:
				err = w.note(kind, b)
			default:
				err = errFrame
			}
		}
		if err != nil {
			return
		}
	}
}

func (w *wire) note(kind byte, b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if kind == frameCount {
		return w.last.decode(b)
	}
	w.end = &ending{}
	return w.end.decode(b)
}

func (w *wire) counted() (count, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, nil
}

// ending is the relay's word, or what became of a container whose relay could
// not say it.
func (w *wire) ending(engine ending) ending {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end != nil {
		return *w.end
	}
	return ending{code: -1, signal: "SIGKILL", used: engine.used}
}
