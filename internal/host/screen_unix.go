//go:build unix

package host

import (
	"errors"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// screen is a terminal in raw mode. It is waited for by select, beside a pipe by
// which Close wakes a reader up: a terminal's own read ends with nothing but a
// key, and the poller of the runtime knows no terminals on some systems.
type screen struct {
	*os.File
	fd      int
	before  *term.State
	asleep  *os.File // the reader's end of the pipe
	wake    *os.File
	resized chan os.Signal

	reading sync.Mutex // and all below
	closed  bool
}

// openScreen takes over the terminal that controls this process.
func openScreen() (Screen, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	s := &screen{File: f, fd: int(f.Fd()), resized: make(chan os.Signal, 1)}
	if s.asleep, s.wake, err = os.Pipe(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if s.before, err = term.MakeRaw(s.fd); err != nil {
		return nil, errors.Join(err, s.closeFiles())
	}
	signal.Notify(s.resized, unix.SIGWINCH)
	return s, nil
}

// Size returns 80 by 24 where the terminal does not say.
func (s *screen) Size() (columns, rows int) {
	columns, rows, err := term.GetSize(s.fd)
	if err != nil || columns <= 0 || rows <= 0 {
		return 80, 24
	}
	return columns, rows
}

// Resized hears of another size.
func (s *screen) Resized() <-chan os.Signal { return s.resized }

// Read waits for a key, or for Close.
func (s *screen) Read(b []byte) (int, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	for {
		if s.closed {
			return 0, os.ErrClosed
		}
		ready, woken, err := s.wait(nil)
		switch {
		case err != nil:
			return 0, err
		case woken:
			return 0, os.ErrClosed
		case ready:
			return s.File.Read(b)
		}
	}
}

// wait asks whether a key is there and whether Close was called; until one of
// them is so where most is nil.
func (s *screen) wait(most *unix.Timeval) (ready, woken bool, err error) {
	asleep := int(s.asleep.Fd())
	var fds unix.FdSet
	if s.fd >= unix.FD_SETSIZE || asleep >= unix.FD_SETSIZE {
		return false, false, unix.EBADF
	}
	fds.Set(s.fd)
	fds.Set(asleep)
	_, err = unix.Select(max(s.fd, asleep)+1, &fds, nil, nil, most)
	if errors.Is(err, unix.EINTR) {
		return false, false, nil
	}
	return err == nil && fds.IsSet(s.fd), err == nil && fds.IsSet(asleep), err
}

// Close restores the terminal, after the reader has left it.
func (s *screen) Close() error {
	signal.Stop(s.resized)
	_, err := s.wake.Write([]byte{0})
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.closed {
		return os.ErrClosed
	}
	s.closed = true
	// What was typed on: as much as a terminal keeps, and no more.
	for buffer, n := make([]byte, 4096), 0; n < 16; n++ {
		ready, _, waitErr := s.wait(&unix.Timeval{})
		if waitErr != nil || !ready {
			break
		}
		if got, readErr := s.File.Read(buffer); got == 0 || readErr != nil {
			break
		}
	}
	return errors.Join(err, term.Restore(s.fd, s.before), s.closeFiles())
}

func (s *screen) closeFiles() error {
	return errors.Join(s.File.Close(), s.asleep.Close(), s.wake.Close())
}
