//go:build unix

package sandbox

import (
	"io"
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
		calm = n == 0 && err == nil
	})
	return err == nil && calm
}

// readNow reads what is in a pipe at this moment; io.EOF when nothing is.
func readNow(f *os.File, b []byte) (n int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, io.EOF
	}
	err = raw.Control(func(fd uintptr) { n, _ = unix.Read(int(fd), b) })
	if err != nil || n <= 0 {
		return 0, io.EOF
	}
	return n, nil
}
