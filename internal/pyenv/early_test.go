package pyenv

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestEarly: a tool that waits in a pool has its code before its gate was asked, and
// does nothing before that opened, with arguments or without.
func TestEarly(t *testing.T) {
	s := box(t, "")
	p := New(testHost(t, map[string]string{"PATH": os.Getenv("PATH")}), s)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; at != "/" && at != os.TempDir(); at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	ran := filepath.Join(dir, "ran")
	g, err := p.Prepare(t.Context(), anyPython(t, p), []byte("open('"+ran+"', 'w').close()\nprint('{}')\n"))
	if err != nil {
		t.Fatal(err)
	}
	pool := sandbox.NewPool(s, sandbox.PoolOptions{PerKey: 1})
	defer pool.Close()
	for _, args := range []string{`{"name":"world"}`, ""} {
		job := g.Job(Call{Args: []byte(args), Grants: []sandbox.Mount{{Source: dir, Target: dir, Write: true}}})
		if left := len(job.Stdin) - job.Early; !job.Late || job.Early <= 0 || left != 4+len(args) {
			t.Fatalf("late %v, %d bytes early, %d left", job.Late, job.Early, left)
		}
		call := func() (sandbox.Outcome, error) {
			t.Helper()
			var out sandbox.Outcome
			var err error
			for range 50 {
				_ = os.Remove(ran)
				if out, err = pool.Run(t.Context(), sandbox.Tool{Name: "tool", Release: "1"}, job); out.Warm || job.Gate != nil && err != nil {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			return out, err
		}
		if out, err := call(); err != nil || !out.Warm {
			t.Fatalf("%+v, %v", out, err)
		}
		time.Sleep(300 * time.Millisecond) // another one waits
		no := errors.New("no")
		job.Gate = func() error { time.Sleep(100 * time.Millisecond); return no }
		_, err := call()
		if _, missing := os.Stat(ran); !errors.Is(err, no) || missing == nil {
			t.Errorf("behind a closed gate: %v, it ran: %v", err, missing == nil)
		}
		time.Sleep(300 * time.Millisecond)
		job.Gate = func() error {
			time.Sleep(100 * time.Millisecond)
			if _, err := os.Stat(ran); err == nil {
				t.Error("it did not wait for its gate")
			}
			return nil
		}
		out, err := call()
		if _, missing := os.Stat(ran); err != nil || !out.Warm || missing != nil {
			t.Errorf("the twin: %+v, %v, it ran: %v", out, err, missing == nil)
		}
	}
}
