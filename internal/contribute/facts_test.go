package contribute

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// ids are those of the findings that somebody has to act on.
func ids(findings []spec.Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, f.ID)
	}
	return strings.Join(out, " ")
}

// checkOne checks one source that stands alone.
func checkOne(tb testing.TB, w *Workshop, data []byte) string {
	tb.Helper()
	c, err := w.check(tb.Context(), "", []spec.File{{Path: "tool.py", Data: data}}, surroundings{})
	if err != nil {
		tb.Fatal(err)
	}
	return ids(c.Findings)
}

// TestFactsAreKept: the interpreter is asked once about one source, and nobody
// can put another answer in the place of its own.
func TestFactsAreKept(t *testing.T) {
	w, _ := checkout(t)
	kept := func() []string {
		files, err := filepath.Glob(filepath.Join(w.host.Paths.Answers(), "??", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	started := func() bool { // whether a program of ours was made ready to run
		_, err := os.Stat(w.host.Paths.Programs())
		if err := os.RemoveAll(w.host.Paths.Programs()); err != nil {
			t.Fatal(err)
		}
		return err == nil
	}
	if err := os.RemoveAll(w.host.Paths.Answers()); err != nil {
		t.Fatal(err)
	}
	started()
	loud, quiet := louder("0.1.0"), source("echo_text")
	if got := checkOne(t, w, loud); got != "PY-002" || !started() {
		t.Fatalf("got %q, or nobody was asked", got)
	}
	of := kept()
	if len(of) != 1 {
		t.Fatalf("%d answers are kept", len(of))
	}
	if got := checkOne(t, w, loud); got != "PY-002" || started() {
		t.Errorf("got %q, or the interpreter was asked again", got)
	}
	if got := checkOne(t, w, quiet); got != "" || !started() {
		t.Errorf("got %q, or nobody was asked about another source", got)
	}
	// The answer about the quiet source is put in the place of the other.
	for _, f := range kept() {
		if f != of[0] {
			data, err := os.ReadFile(f)
			if err == nil {
				err = os.WriteFile(of[0], data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := checkOne(t, w, loud); got != "PY-002" || !started() {
		t.Errorf("a planted answer is believed: %q", got)
	}
	// Bytecode of the program that is not its own is not run.
	checkOne(t, w, append(louder("0.1.0"), '\n'))
	programs, err := filepath.Glob(filepath.Join(w.host.Paths.Programs(), "??", "*"))
	if err != nil || len(programs) != 1 {
		t.Fatal(programs, err)
	}
	data, err := os.ReadFile(programs[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(programs[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := checkOne(t, w, append(louder("0.1.0"), "\n\n"...)); got != "PY-002" {
		t.Errorf("with bytecode that was touched: %q", got)
	}
}

// TestNoFactsOfWhatCouldDiffer: that a limit was hit is not kept, for another
// hour may have more time.
func TestNoFactsOfWhatCouldDiffer(t *testing.T) {
	w, _ := checkout(t)
	if err := os.RemoveAll(w.host.Paths.Answers()); err != nil {
		t.Fatal(err)
	}
	deep := source("echo_text", "import sys\n", "import sys\nX = "+strings.Repeat("-", 30_000)+"1\n")
	c, err := w.check(t.Context(), "", []spec.File{{Path: "tool.py", Data: deep}}, surroundings{})
	if err != nil || ids(c.Findings) != "PY-001" || !strings.Contains(c.Findings[0].Message, "(limit: ") {
		t.Fatalf("got %v, %v, want a limit", c.Findings, err)
	}
	if files, err := filepath.Glob(filepath.Join(w.host.Paths.Answers(), "??", "*")); err != nil || len(files) > 0 {
		t.Errorf("it is kept: %v, %v", files, err)
	}
}

// BenchmarkCheck measures one tool: known, and new to this machine.
func BenchmarkCheck(b *testing.B) {
	w, _ := checkout(b)
	data := source("echo_text")
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			if got := checkOne(b, w, data); got != "" {
				b.Fatal(got)
			}
		}
	})
	b.Run("new", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			if got := checkOne(b, w, append(slices.Clip(data), strings.Repeat("\n", n)...)); got != "" {
				b.Fatal(got)
			}
		}
	})
}
