//go:build unix

package sandbox

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// exitOf reads the exit code or the signal's name out of a wait status.
func exitOf(s *os.ProcessState) (code int, signal string) {
	ws, ok := s.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return -1, unix.SignalName(ws.Signal())
	}
	return s.ExitCode(), ""
}
