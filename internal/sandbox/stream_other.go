//go:build !unix

package sandbox

import "os"

// stream is a pipe; no driver of such a system starts anything.
type stream struct{ *os.File }
