//go:build !linux && !darwin

package toolbox

import "io/fs"

// appendIdentity adds nothing: this system tells of a file only its size and when
// it was written.
func appendIdentity(b []byte, _ fs.FileInfo) []byte { return b }
