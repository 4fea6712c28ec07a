package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// unified is the difference of two sets of files in the unified format, for
// people; cut tells that it was too long and ends early. The shortest one is
// looked for (Myers, 1986) as long as few lines differ: what strangers wrote
// decides how long that takes. Beyond that the lines from the first to the last
// difference are shown as taken out and put in.
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
		w.file(p, hadA, hadB, lines(a), lines(b))
	}
	return strings.ToValidUTF8(w.String(), "\uFFFD"), w.cut
}

// lines splits a text after each line feed.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	out := strings.SplitAfter(text, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
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
	edits := script(a, b)
	const around = limits.DiffContext
	for i := 0; i < len(edits) && !w.cut; {
		// A hunk goes on while the next change is near enough to share context.
		last := i
		for last+1 < len(edits) && edits[last+1].a0-edits[last].a1 <= 2*around {
			last++
		}
		first, end := edits[i], edits[last]
		up, down := min(around, first.a0), min(around, len(a)-end.a1)
		w.line('@', fmt.Sprintf("@ -%s +%s @@\n", extent(first.a0-up, end.a1+down), extent(first.b0-up, end.b1+down)))
		at := first.a0 - up
		for _, e := range edits[i : last+1] {
			w.all(' ', a[at:e.a0])
			w.all('-', a[e.a0:e.a1])
			w.all('+', b[e.b0:e.b1])
			at = e.a1
		}
		w.all(' ', a[at:at+down])
		i = last + 1
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

// change replaces a[a0:a1] by b[b0:b1].
type change struct{ a0, a1, b0, b1 int }

// script returns the changes that make b of a, in their order, none of which
// touch.
func script(a, b []string) []change {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := numbered(a[head:len(a)-tail], b[head:len(b)-tail])
	if len(x) == 0 && len(y) == 0 {
		return nil
	}
	found, ok := shortest(x, y)
	if !ok {
		found = []change{{0, len(x), 0, len(y)}}
	}
	for i := range found {
		found[i].a0, found[i].a1 = found[i].a0+head, found[i].a1+head
		found[i].b0, found[i].b1 = found[i].b0+head, found[i].b1+head
	}
	return found
}

// numbered gives equal lines equal numbers, so that comparing two of them
// costs the same whatever is in them.
func numbered(a, b []string) (x, y []int32) {
	ids := map[string]int32{}
	number := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, l := range lines {
			id, ok := ids[l]
			if !ok {
				id = int32(len(ids))
				ids[l] = id
			}
			out[i] = id
		}
		return out
	}
	return number(a), number(b)
}

// shortest is the greedy algorithm of Myers, which keeps of every number of
// edits how far each diagonal reaches. Memory and time grow with its square,
// so it gives up at limits.DiffEdits.
func shortest(a, b []int32) ([]change, bool) {
	most := min(len(a)+len(b), limits.DiffEdits)
	reach := make([]int32, 2*most+3)
	mid := most + 1
	var trace [][]int32
	for d := 0; d <= most; d++ {
		// What the step d reads: the diagonals -d-1 to d+1.
		trace = append(trace, slices.Clone(reach[mid-d-1:mid+d+2]))
		for k := -d; k <= d; k += 2 {
			x := int(reach[mid+k-1]) + 1
			if k == -d || k != d && reach[mid+k-1] < reach[mid+k+1] {
				x = int(reach[mid+k+1])
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			reach[mid+k] = int32(x)
			if x >= len(a) && y >= len(b) {
				return walkBack(trace, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// walkBack follows the trace from the end and collects the changes.
func walkBack(trace [][]int32, x, y int) []change {
	var out []change
	for d := len(trace) - 1; d > 0; d-- {
		reach, mid := trace[d], d+1
		k := x - y
		from := k - 1
		if k == -d || k != d && reach[mid+k-1] < reach[mid+k+1] {
			from = k + 1
		}
		px := int(reach[mid+from])
		py := px - from
		e := change{px, px, py, py + 1} // a line more
		if from == k-1 {
			e = change{px, px + 1, py, py} // a line less
		}
		if n := len(out); n > 0 && out[n-1].a0 == e.a1 && out[n-1].b0 == e.b1 {
			out[n-1].a0, out[n-1].b0 = e.a0, e.b0
		} else {
			out = append(out, e)
		}
		x, y = px, py
	}
	slices.Reverse(out)
	return out
}
