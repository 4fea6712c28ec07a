package ahead

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

func TestToolOf(t *testing.T) {
	for line, want := range map[string]spec.Name{
		"patch-git run csv_to_json":                     "csv_to_json",
		"patch-git run csv_to_json@1.2.0 --csv-text x":  "csv_to_json",
		"patch-git run csv_to_json --help":              "csv_to_json",
		"patch-git run csv_to_json --unsafe-no-sandbox": "",
		"patch-git run ./tool.py":                       "",
		"patch-git run tool.py":                         "",
		"patch-git run ../../etc/passwd":                "",
		"patch-git run -":                               "",
		"patch-git run":                                 "",
		"patch-git --json run csv_to_json":              "",
		"patch-git list":                                "",
		"patch-git":                                     "",
		"patch-git runs csv_to_json":                    "",
		"patch-git run CSV":                             "",
		"patch-git run " + strings.Repeat("x", 300):     "",
		"patch-git: namespaces":                         "",
	} {
		got, ok := toolOf(strings.Fields(line))
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func job() sandbox.Job {
	return sandbox.Job{
		Argv: []string{"/usr/bin/python3", "-I"}, Late: true,
		Mounts: []sandbox.Mount{{Source: "/usr/lib", Target: "/usr/lib"}},
	}
}

// A guess is kept and read back; what could do harm is neither.
func TestLearn(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(*sandbox.Job)
		keep  bool
	}{
		"usual":   {func(*sandbox.Job) {}, true},
		"input":   {func(j *sandbox.Job) { j.Stdin = []byte("the arguments") }, true},
		"network": {func(j *sandbox.Job) { j.Network = true }, false},
		"write": {func(j *sandbox.Job) {
			j.Mounts = append(j.Mounts, sandbox.Mount{Source: "/x", Target: "/x", Write: true})
		}, false},
		"early": {func(j *sandbox.Job) { j.Late = false }, false},
		"large": {func(j *sandbox.Job) { j.Files = []sandbox.File{{Target: "/tmp/x", Data: make([]byte, maxGuess)}} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := paths.Paths{Root: t.TempDir()}
			Learn(p, "tool", job(), true)
			j := job()
			c.alter(&j)
			Learn(p, "tool", j, true)
			got, ok := guess(p, "tool")
			if ok != c.keep {
				t.Fatalf("got %v, want %v", ok, c.keep)
			}
			want, _ := j.MarshalBinary()
			if b, _ := got.MarshalBinary(); ok && !bytes.Equal(b, want) {
				t.Errorf("got %+v", got)
			}
			if b, _ := os.ReadFile(guessPath(p, "tool")); bytes.Contains(b, []byte("arguments")) {
				t.Error("the input was kept")
			}
			// Written past Learn, it is not read either.
			if b, err := j.MarshalBinary(); err != nil || os.WriteFile(guessPath(p, "tool"), b, 0o600) != nil {
				t.Fatal(err)
			}
			if _, ok := guess(p, "tool"); ok != c.keep {
				t.Errorf("a forged guess: got %v, want %v", ok, c.keep)
			}
		})
	}
	t.Run("not guessable", func(t *testing.T) {
		p := paths.Paths{Root: t.TempDir()}
		Learn(p, "tool", job(), true)
		Learn(p, "tool", job(), false)
		if _, ok := guess(p, "tool"); ok {
			t.Error("it was kept")
		}
	})
	t.Run("a link", func(t *testing.T) {
		p := paths.Paths{Root: t.TempDir()}
		Learn(p, "other", job(), true)
		if err := os.Symlink(guessPath(p, "other"), filepath.Join(p.Cache(), "ahead", "tool.job")); err != nil {
			t.Fatal(err)
		}
		if _, ok := guess(p, "tool"); ok {
			t.Error("a link was followed")
		}
	})
}
