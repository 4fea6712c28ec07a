package ahead

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/sealed"
)

func TestSourceOf(t *testing.T) {
	for line, want := range map[string]string{
		"patch-git check a.py":            "a.py",
		"patch-git check --json ./b/a.py": "./b/a.py",
		"patch-git check tools/1.0.0":     "tools/1.0.0/tool.py",
		"patch-git check":                 "",
		"patch-git check a.py --json":     "",
		"patch-git checks a.py":           "",
		"patch-git run a.py":              "",
		"patch-git --json check a.py":     "",
	} {
		got, ok := sourceOf(strings.Fields(line))
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", line, got, ok, want)
		}
	}
}

// The program is started for a source that nobody asked about, by a job that can do
// no harm. Each case beside the first differs from it in one point.
func TestGuessCheck(t *testing.T) {
	known := []string{"patch-git/answer", "/usr/bin/python3", "3.12.1"}
	for name, c := range map[string]struct {
		alter func(t *testing.T, p paths.Paths, file string, j *sandbox.Job)
		start bool
	}{
		"usual": {func(*testing.T, paths.Paths, string, *sandbox.Job) {}, true},
		"answered": {func(t *testing.T, p paths.Paths, file string, _ *sandbox.Job) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			hex := sealed.Name(append(known, string(source))...).Hex()
			write(t, filepath.Join(p.Answers(), hex[:2], hex[2:]), "an answer")
		}, false},
		"network": {func(_ *testing.T, _ paths.Paths, _ string, j *sandbox.Job) { j.Network = true }, false},
		"write":   {func(_ *testing.T, _ paths.Paths, _ string, j *sandbox.Job) { j.Mounts[0].Write = true }, false},
		"early":   {func(_ *testing.T, _ paths.Paths, _ string, j *sandbox.Job) { j.Late = false }, false},
		"no source": {func(t *testing.T, _ paths.Paths, file string, _ *sandbox.Job) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}, false},
		"long source": {func(t *testing.T, _ paths.Paths, file string, _ *sandbox.Job) {
			write(t, file, strings.Repeat("#", limits.ToolFile+1))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := paths.Paths{Root: t.TempDir()}
			file := filepath.Join(t.TempDir(), "tool.py")
			write(t, file, "def main(): pass")
			j := job()
			c.alter(t, p, file, &j)
			LearnCheck(p, j, sealed.List(known...), durable.Replace)
			if _, ok := guessCheck(p, file); ok != c.start {
				t.Errorf("got %v, want %v", ok, c.start)
			}
		})
	}
	t.Run("cut short", func(t *testing.T) {
		p := paths.Paths{Root: t.TempDir()}
		file := filepath.Join(t.TempDir(), "tool.py")
		write(t, file, "def main(): pass")
		LearnCheck(p, job(), sealed.List(known...), durable.Replace)
		whole, err := os.ReadFile(p.CheckGuess())
		if err != nil {
			t.Fatal(err)
		}
		for n := range whole {
			write(t, p.CheckGuess(), string(whole[:n]))
			if _, ok := guessCheck(p, file); ok {
				t.Fatalf("%d of %d bytes are a guess", n, len(whole))
			}
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
