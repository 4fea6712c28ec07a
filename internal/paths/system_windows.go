package paths

import "path/filepath"

func isAbs(p string) bool            { return filepath.IsAbs(p) }
func clean(p string) string          { return filepath.Clean(p) }
func join(elements ...string) string { return filepath.Join(elements...) }
