//go:build !unix

package durable

import "io/fs"

// private: the folder of the state is the user's own, as the system has it.
func private(i fs.FileInfo) bool { return i.Mode().IsRegular() }
