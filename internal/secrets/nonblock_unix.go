//go:build unix

package secrets

import "syscall"

// openNonblock keeps a pipe that was put in a file's place from making the
// search wait for its writer.
const openNonblock = syscall.O_NONBLOCK
