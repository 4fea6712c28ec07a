//go:build amd64 || arm64

package sandbox

// enter clones the calling process; the new one goes on at code, the entry of a
// Go function that takes w and never returns. It is written in assembly because
// it wakes up on another stack, whose end is given.
//
//go:noescape
func enter(flags, stack, code uintptr, w *walk) (pid, errno uintptr)
