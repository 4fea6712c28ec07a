package main

import (
	"os"
	"syscall"
)

// peakOf is the most memory that a process had, in kilobytes.
func peakOf(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return u.Maxrss
}
