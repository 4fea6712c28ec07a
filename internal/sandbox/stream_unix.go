//go:build unix

package sandbox

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// maxPipe is what a pipe can hold where nobody has changed the system's limit.
const maxPipe = 1 << 20

// stream reads a pipe to its end, or, once its deadline has passed, as far as
// it is filled: on a busy machine the end may come late, and what was written
// before must not be lost for it.
type stream struct {
	*os.File
	late bool
	left int // bytes that may still come when it is late
}

func (s *stream) Read(b []byte) (n int, err error) {
	if !s.late {
		if n, err = s.File.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		s.late, s.left = true, maxPipe
		if err := s.SetReadDeadline(time.Time{}); err != nil {
			return n, err
		}
	}
	conn, err := s.SyscallConn()
	if err != nil {
		return 0, err
	}
	b = b[:min(len(b), s.left)]
	if err2 := conn.Read(func(fd uintptr) bool { n, err = syscall.Read(int(fd), b); return true }); err2 != nil {
		return 0, err2
	}
	if n <= 0 || err != nil {
		return 0, io.EOF
	}
	s.left -= n
	return n, nil
}
