//go:build !windows

package paths

import "path"

// Where paths have slashes, package path says the same as path/filepath, which
// is initialised so late that a run would wait for it.

func isAbs(p string) bool            { return path.IsAbs(p) }
func clean(p string) string          { return path.Clean(p) }
func join(elements ...string) string { return path.Join(elements...) }
