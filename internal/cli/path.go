package cli

import (
	"path/filepath"
	"strings"
)

// path makes a path of the command line absolute.
func (a *app) path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(a.host.Dir, p)
}

// pathOr is path, but for "", which stays.
func (a *app) pathOr(p string) string {
	if p == "" {
		return ""
	}
	return a.path(p)
}

// location makes the location of a registry absolute where it is a path.
func (a *app) location(s string) string {
	if strings.Contains(s, "://") || strings.HasPrefix(s, "git@") {
		return s
	}
	return a.path(s)
}

func (a *app) locations(all []string) []string {
	var out []string
	for _, s := range all {
		out = append(out, a.location(s))
	}
	return out
}
