//go:build amd64 || arm64

package sandbox

// clone3 clones the calling process; the new one follows the plan and never
// returns. It is written in assembly because it wakes up on another stack.
//
//go:noescape
func clone3(args *cloneArgs, size uintptr, w *walk) (pid, errno uintptr)
