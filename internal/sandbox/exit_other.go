//go:build !unix

package sandbox

import "os"

// exitOf reads the exit code; there are no signals.
func exitOf(s *os.ProcessState) (code int, signal string) { return s.ExitCode(), "" }
