// Package diff finds what two texts differ in, line by line. The shortest
// difference is looked for (Myers, 1986) as long as few lines differ: what
// strangers wrote decides how long that takes. Beyond limits.DiffEdits the lines
// from the first to the last difference are told as taken out and put in.
package diff

import (
	"iter"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
)

// Lines splits a text after each line feed.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	out := strings.SplitAfter(text, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// Hunk is what is shown together: changes, and the lines a[A0:A1] that they
// stand in.
type Hunk struct {
	A0, A1  int
	Changes []Change
}

// Hunks gathers changes of a text of so many lines with limits.DiffContext
// lines around them. A hunk goes on while the next change is near enough to
// share these.
func Hunks(changes []Change, lines int) iter.Seq[Hunk] {
	const around = limits.DiffContext
	return func(yield func(Hunk) bool) {
		for rest := changes; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].A0-rest[n-1].A1 <= 2*around {
				n++
			}
			if !yield(Hunk{max(0, rest[0].A0-around), min(lines, rest[n-1].A1+around), rest[:n]}) {
				return
			}
			rest = rest[n:]
		}
	}
}

// Change replaces the lines a[A0:A1] by b[B0:B1].
type Change struct{ A0, A1, B0, B1 int }

// Of returns the changes that make b of a, in their order, none of which
// touch.
func Of(a, b []string) []Change {
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
		found = []Change{{0, len(x), 0, len(y)}}
	}
	for i := range found {
		found[i].A0, found[i].A1 = found[i].A0+head, found[i].A1+head
		found[i].B0, found[i].B1 = found[i].B0+head, found[i].B1+head
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
func shortest(a, b []int32) ([]Change, bool) {
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
func walkBack(trace [][]int32, x, y int) []Change {
	var out []Change
	for d := len(trace) - 1; d > 0; d-- {
		reach, mid := trace[d], d+1
		k := x - y
		from := k - 1
		if k == -d || k != d && reach[mid+k-1] < reach[mid+k+1] {
			from = k + 1
		}
		px := int(reach[mid+from])
		py := px - from
		e := Change{px, px, py, py + 1} // a line more
		if from == k-1 {
			e = Change{px, px + 1, py, py} // a line less
		}
		if n := len(out); n > 0 && out[n-1].A0 == e.A1 && out[n-1].B0 == e.B1 {
			out[n-1].A0, out[n-1].B0 = e.A0, e.B0
		} else {
			out = append(out, e)
		}
		x, y = px, py
	}
	slices.Reverse(out)
	return out
}
