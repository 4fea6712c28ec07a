//go:build unix

package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// quiet tells whether a pipe is open at its other end and nothing is in it.
func quiet(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	calm := false
	err = raw.Control(func(fd uintptr) {
		ends := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(ends, 0)
		for err == unix.EINTR { // a signal that waits for this thread, of the scheduler's, say
			n, err = unix.Poll(ends, 0)
		}
		calm = n == 0 && err == nil
	})
	return err == nil && calm
}

// writeSome writes what a pipe takes without waiting.
func writeSome(f *os.File, b []byte) (n int) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Write(func(fd uintptr) bool {
		if n, err = unix.Write(int(fd), b); err != nil {
			n = 0 // the next write says why
		}
		return true
	})
	return n
}
