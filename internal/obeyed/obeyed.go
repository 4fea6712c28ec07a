// Package obeyed knows which files other programs run or obey without asking: what a
// shell, a desktop or the system starts by itself, the hooks and settings of git and of
// editors, what AI hosts start and follow. A tool that may write one of them has code run
// outside of every sandbox, later and as the user.
//
// It judges a path by its name and reads nothing. What a person starts by hand, such as
// a program or a Makefile of a project, is not among them: tools that write files are for
// that.
package obeyed

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Of returns the place that an absolute clean path is, or lies in; "" where it is none.
func Of(p string) string {
	whole := plain(p)
	for i := 1; i <= len(whole); i++ {
		if (i == len(whole) || whole[i] == '/') && is(whole[:i]) {
			return p[:min(i, len(p))]
		}
	}
	return ""
}

// Is tells whether an absolute clean path is such a place itself.
func Is(p string) bool { return is(plain(p)) }

// plain is how paths are compared: some file systems know no capitals.
func plain(p string) string { return strings.ToLower(filepath.ToSlash(p)) }

func is(p string) bool {
	base := path.Base(p)
	// A bare repository has hooks and settings of its own, by any name.
	if strings.HasSuffix(base, ".git") || strings.HasSuffix(base, "_profile.ps1") || strings.HasSuffix(base, ".pth") {
		return true
	}
	return slices.ContainsFunc(ends()[base], func(end string) bool { return strings.HasSuffix(p, end) })
}

// ends has the places by their last part.
var ends = sync.OnceValue(func() map[string][]string {
	out := make(map[string][]string, len(places))
	for _, p := range places {
		out[path.Base(p)] = append(out[path.Base(p)], "/"+p)
	}
	return out
})
