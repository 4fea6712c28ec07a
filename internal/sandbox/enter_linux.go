//go:build amd64 || arm64

package sandbox

// enter clones the calling process, by either call that does and its first two
// arguments; the new one goes on at code, the entry of a Go function that takes
// w and never returns. It is written in assembly because it wakes up on another
// stack.
//
//go:noescape
func enter(call, first, second, code uintptr, w *walk) (pid, errno uintptr)
