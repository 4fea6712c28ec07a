package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/diff"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// unified is the difference of two sets of files in the unified format, for
// people; cut tells that it was too long and ends early.
func unified(before, after []spec.File) (text string, cut bool) {
	paths := map[string]bool{}
	was, is := map[string]string{}, map[string]string{}
	for _, f := range before {
		was[f.Path], paths[f.Path] = string(f.Data), true
	}
	for _, f := range after {
		is[f.Path], paths[f.Path] = string(f.Data), true
	}
	names := make([]string, 0, len(paths))
	for p := range paths {
		names = append(names, p)
	}
	slices.Sort(names)
	w := &diffWriter{}
	for _, p := range names {
		a, hadA := was[p]
		b, hadB := is[p]
		if hadA && hadB && a == b {
			continue
		}
		w.file(p, hadA, hadB, diff.Lines(a), diff.Lines(b))
	}
	return strings.ToValidUTF8(w.String(), "\uFFFD"), w.cut
}

// diffWriter writes up to a bound.
type diffWriter struct {
	strings.Builder

	cut bool
}

// line writes one line, or the end.
func (w *diffWriter) line(sign byte, text string) {
	if w.cut || w.Len()+len(text)+32 > limits.DiffBytes {
		w.cut = true
		return
	}
	w.WriteByte(sign)
	w.WriteString(strings.TrimSuffix(text, "\n"))
	w.WriteByte('\n')
	if !strings.HasSuffix(text, "\n") {
		w.WriteString("\\ No newline at end of file\n")
	}
}

func (w *diffWriter) file(path string, hadA, hadB bool, a, b []string) {
	side := func(prefix string, had bool) string {
		if !had {
			return "/dev/null"
		}
		return prefix + shown(path)
	}
	w.line('-', "-- "+side("a/", hadA)+"\n")
	w.line('+', "++ "+side("b/", hadB)+"\n")
	edits := diff.Of(a, b)
	for hunk := range diff.Hunks(edits, len(a)) {
		if w.cut {
			return
		}
		first, end := hunk.Changes[0], hunk.Changes[len(hunk.Changes)-1]
		up, down := first.A0-hunk.A0, hunk.A1-end.A1
		w.line('@', fmt.Sprintf("@ -%s +%s @@\n", extent(hunk.A0, hunk.A1), extent(first.B0-up, end.B1+down)))
		at := hunk.A0
		for _, e := range hunk.Changes {
			w.all(' ', a[at:e.A0])
			w.all('-', a[e.A0:e.A1])
			w.all('+', b[e.B0:e.B1])
			at = e.A1
		}
		w.all(' ', a[at:hunk.A1])
	}
}

func (w *diffWriter) all(sign byte, lines []string) {
	for _, l := range lines {
		if w.line(sign, l); w.cut {
			return
		}
	}
}

// extent is how a hunk says where it is: first line from 1, and how many. Of
// none it says the line before.
func extent(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
