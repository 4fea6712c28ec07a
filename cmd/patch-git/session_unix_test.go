//go:build unix

package main

import (
	"os"
	"syscall"
)

// sessionVariable says that who started this process led a session.
const sessionVariable = "PATCH_GIT_TEST_SESSION"

// ownSession leaves the terminal that the tests were started from. Who leads a
// session already, or was started by on-disk that does, has a terminal of the
// test's making, and keeps it.
func ownSession() {
	if os.Getenv(sessionVariable) == "" {
		_, _ = syscall.Setsid()
	}
}
