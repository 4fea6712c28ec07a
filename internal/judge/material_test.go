package judge

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

func numbers(ls []Line) (out []int) {
	for _, l := range ls {
		out = append(out, l.N)
	}
	return out
}

// TestSpoken: every line with a part of a string or a comment is found, and where
// it is not sure, everything that follows.
func TestSpoken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source string
		want   []int
	}{
		{"x = 1\ny = 2\n", nil},
		{"x = 1  # one\ny = 2\n", []int{1}},
		{"x = 'a'\ny = 2\nz = \"b\"\n", []int{1, 3}},
		{"x = '#'\ny = 2 # '\nz = 3\n", []int{1, 2}},
		{"x = '''a\nb\n\nc'''\ny = 2\n", []int{1, 2, 4}},
		{"x = \"\"\"a\"b'c\n\"\"\"\ny = 2\n", []int{1, 2}},
		{"x = 'a\\\nb'\ny = 2\n", []int{1, 2}},
		{"x = 'a\\'b'\ny = 2\n", []int{1}},
		{"x = r'\\'\ny = 2\n", []int{1}},
		{"x = ''\ny = 2\n", []int{1}},
		{"x = f'{a}'\ny = 2\n", []int{1}},
		{"x = f'''a\nb'''\ny = 2\n", []int{1, 2}},
		{"x = f'''{\n'''a'''}\nb'''\ny = 2\n", []int{1, 2, 3, 4}}, // it nests, from 3.12 on
		{"x = rF\"\"\"{a}\"\"\"\ny = 2\n", []int{1, 2}},           // not sure
		{"x = f'{a[\n1]}'\ny = 2\n", []int{1, 2, 3}},              // from 3.12 on
		{"x = '''a\n", []int{1}},                                  // has no end
		{"x = 'a\ny = 2\n", []int{1}},                             // is no Python
		{"# a\r\nx = 1\r\n", []int{1}},
	} {
		if got := numbers(spoken(c.source, lines(c.source))); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.source, got, c.want)
		}
	}
}

// FuzzSpoken: lines are the file's own, in order, and a line with a number sign
// or a quote is among them wherever no string or comment is before it.
func FuzzSpoken(f *testing.F) {
	f.Add("x = '''a\n'''  # b\n")
	f.Add("f'''{\n")
	f.Fuzz(func(t *testing.T, source string) {
		all := lines(source)
		got := spoken(source, all)
		for i, l := range got {
			if !slices.Contains(all, l) || i > 0 && got[i-1].N >= l.N {
				t.Fatalf("%q: %+v", source, got)
			}
		}
		for _, l := range all {
			if i := strings.IndexAny(l.Text, "#'\""); i >= 0 && !slices.Contains(got, l) {
				t.Fatalf("%q: line %d is missing", source, l.N)
			}
		}
	})
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 0, 1: 1, 60: 1, 61: 2, 110: 2, 111: 3, 260: 5, 261: 6} {
		var all []Line
		for i := range n {
			all = append(all, Line{i + 1, "x"})
		}
		got := windows(all)
		if len(got) != want {
			t.Errorf("%d lines: %d windows, want %d", n, len(got), want)
		}
		seen := map[int]bool{}
		for i, w := range got {
			if len(w) > limits.JudgeLines || i > 0 && got[i-1][len(got[i-1])-limits.JudgeOverlap] != w[0] {
				t.Errorf("%d lines: window %d begins at %d", n, i, w[0].N)
			}
			for _, l := range w {
				seen[l.N] = true
			}
		}
		if len(seen) != n {
			t.Errorf("%d of %d lines are in a window", len(seen), n)
		}
	}
}

// TestNothingIsLost: every line with a character is in a unit of its file.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	m := material("code", "\n\nx = 1\n", "notes", "\r\n  \nmore\r\n")
	units, why := m.Units()
	if why != "" {
		t.Fatal(why)
	}
	for _, f := range m.Files {
		for _, l := range lines(f.Text) {
			if !slices.ContainsFunc(units, func(u Unit) bool { return u.File == f.Path && slices.Contains(u.Lines, l) }) {
				t.Errorf("%s:%d is in no unit", f.Path, l.N)
			}
		}
	}
	if units[0].Kind != UnitFields || len(units[0].Lines) != 3 {
		t.Errorf("%+v", units[0])
	}
	for n, want := range map[int]int{1: 2, 2: 3, 3: 0, 4: 0, 0: 0} {
		if file, line := m.Place(units[0], n); file != "tool.py" || line != want {
			t.Errorf("field %d is at %s:%d, want line %d", n, file, line, want)
		}
	}
}

// TestOwnTools: what this registry has can be judged within the budget.
func TestOwnTools(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../tools/*/*/*/tool.py")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d tools, %v", len(files), err)
	}
	most, sum := 0, 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		doc, _ := manifest.Read("tool.py", data, manifest.Strict)
		m := Collect(&doc.Tool, []spec.File{{Path: "tool.py", Data: data}}, nil)
		units, why := m.Units()
		if why != "" {
			t.Errorf("%s: %s", f, why)
		}
		n := len(units)*wordings + canaries
		most, sum = max(most, n), sum+n
	}
	t.Logf("%d tools, %.1f requests each, %d at most", len(files), float64(sum)/float64(len(files)), most)
}
