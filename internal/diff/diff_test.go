package diff

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// patched applies a script to a, by which b must come out.
func patched(a, b []string, script []Change) []string {
	var out []string
	at := 0
	for _, c := range script {
		out = append(append(out, a[at:c.A0]...), b[c.B0:c.B1]...)
		at = c.A1
	}
	return append(out, a[at:]...)
}

// edits counts the lines that a script takes out and puts in.
func edits(script []Change) int {
	n := 0
	for _, c := range script {
		n += c.A1 - c.A0 + c.B1 - c.B0
	}
	return n
}

// distance is the least number of edits, by the table that everybody knows.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			above := row[j]
			if row[j] = min(row[j], row[j-1]) + 1; a[i-1] == b[j-1] {
				row[j] = diagonal
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func TestShortest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		out := make([]string, r.IntN(12))
		for i := range out {
			out[i] = string(rune('a'+r.IntN(4))) + "\n"
		}
		return out
	}
	for range 20_000 {
		a, b := text(), text()
		s := Of(a, b)
		if got := patched(a, b, s); strings.Join(got, "") != strings.Join(b, "") {
			t.Fatalf("%q to %q by %v gives %q", a, b, s, got)
		}
		if edits(s) != distance(a, b) {
			t.Fatalf("%q to %q takes %d edits, not %d", a, b, distance(a, b), edits(s))
		}
		for i := 1; i < len(s); i++ {
			if s[i].A0 <= s[i-1].A1 {
				t.Fatalf("%q to %q: %v touch", a, b, s)
			}
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("a\nb\n", "b\na\n")
	f.Add("", "\n\n")
	f.Add("a", "a\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 1<<16 {
			return
		}
		x, y := Lines(a), Lines(b)
		if strings.Join(x, "") != a {
			t.Fatalf("%q has the lines %q", a, x)
		}
		s := Of(x, y)
		if got := strings.Join(patched(x, y, s), ""); got != b {
			t.Fatalf("%q to %q gives %q", a, b, got)
		}
		at := 0
		for h := range Hunks(s, len(x)) {
			if h.A0 < at || h.A1 > len(x) || len(h.Changes) == 0 || h.A0 > h.Changes[0].A0 || h.A1 < h.Changes[len(h.Changes)-1].A1 {
				t.Fatalf("%q to %q has the hunk %v", a, b, h)
			}
			at = h.A1
		}
	})
}
