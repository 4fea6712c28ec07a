package sandbox

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

// Into a container and out of it go three streams and no more. The pipes that
// a helper has are carried over them in frames: a byte that says which pipe,
// the length in four bytes, and that many bytes. Nothing of a tool stands
// outside of a frame, so no tool can say what a relay says.
const (
	frameStart    byte = 'B' // the first: what the relay has to know
	frameOrder    byte = 'O'
	frameOrderEnd byte = 'o'
	frameInput    byte = 'I'
	frameInputEnd byte = 'i'

	frameStatus byte = 'S'
	frameStdout byte = '1'
	frameStderr byte = '2'
	frameCount  byte = 'C' // processes and memory
	frameEnding byte = 'X' // the last: exit code, processor time, out of memory, signal
)

// maxFrame is what one frame carries at most.
const maxFrame = 64 << 10

var errFrame = errors.New("broken frame")

// framer writes frames, whole ones, from several goroutines.
type framer struct {
	mu sync.Mutex
	w  io.Writer
}

// send writes the bytes in as many frames as it takes, one at least.
func (f *framer) send(kind byte, b []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		n := min(len(b), maxFrame)
		head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(n))
		if _, err := f.w.Write(append(head, b[:n]...)); err != nil {
			return err
		}
		if b = b[n:]; len(b) == 0 {
			return nil
		}
	}
}

// pump sends all that is read, and closes r.
func (f *framer) pump(kind byte, r io.ReadCloser) {
	defer func() { _ = r.Close() }()
	buf := make([]byte, maxFrame)
	for {
		n, err := r.Read(buf)
		if n > 0 && f.send(kind, buf[:n]) != nil {
			return
		}
		if err != nil {
			return
		}
	}
}

// readFrame reads one frame into a buffer of maxFrame bytes.
func readFrame(r io.Reader, buf []byte) (kind byte, b []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, errFrame
	}
	if _, err := io.ReadFull(r, buf[:n]); err != nil {
		return 0, nil, err
	}
	return head[0], buf[:n], nil
}

// The small frames are numbers, and a text at the end.

func (c count) encode() []byte {
	w := &writer{}
	w.num(uint64(c.processes))
	w.num(uint64(c.memory))
	return w.b
}

func (c *count) decode(b []byte) error {
	r := &reader{b: b}
	c.processes, c.memory = int(r.num()), int64(r.num())
	return r.end()
}

func (e ending) encode() []byte {
	w := &writer{}
	w.num(uint64(e.code))
	w.num(uint64(e.used))
	w.yes(e.oom)
	w.text(e.signal)
	return w.b
}

func (e *ending) decode(b []byte) error {
	r := &reader{b: b}
	e.code, e.used, e.oom, e.signal = int(int64(r.num())), time.Duration(r.num()), r.yes(), r.text()
	return r.end()
}
