package ahead

import (
	"bytes"
	"os"
	"testing"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

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
			Learn(p, "tool", job(), true, durable.Replace)
			j := job()
			c.alter(&j)
			Learn(p, "tool", j, true, durable.Replace)
			got, ok := guess(p, "tool")
			if ok != c.keep {
				t.Fatalf("got %v, want %v", ok, c.keep)
			}
			want, _ := j.MarshalBinary()
			if b, _ := got.MarshalBinary(); ok && !bytes.Equal(b, want) {
				t.Errorf("got %+v", got)
			}
			if b, _ := os.ReadFile(p.Guess("tool")); bytes.Contains(b, []byte("arguments")) {
				t.Error("the input was kept")
			}
			// Written past Learn, it is not read either.
			if b, err := j.MarshalBinary(); err != nil || os.WriteFile(p.Guess("tool"), b, 0o600) != nil {
				t.Fatal(err)
			}
			if _, ok := guess(p, "tool"); ok != c.keep {
				t.Errorf("a forged guess: got %v, want %v", ok, c.keep)
			}
		})
	}
	t.Run("not guessable", func(t *testing.T) {
		p := paths.Paths{Root: t.TempDir()}
		Learn(p, "tool", job(), true, durable.Replace)
		Learn(p, "tool", job(), false, durable.Replace)
		if _, ok := guess(p, "tool"); ok {
			t.Error("it was kept")
		}
	})
	t.Run("a link", func(t *testing.T) {
		p := paths.Paths{Root: t.TempDir()}
		Learn(p, "other", job(), true, durable.Replace)
		if err := os.Symlink(p.Guess("other"), p.Guess("tool")); err != nil {
			t.Fatal(err)
		}
		if _, ok := guess(p, "tool"); ok {
			t.Error("a link was followed")
		}
	})
}
