// Package patchgit carries the tools of this repository's own registry, so
// that `patch-git demo` works wherever the program was installed.
package patchgit

import "embed"

// Tools is the folder tools/ of the repository, read-only.
//
//go:embed tools
var Tools embed.FS
