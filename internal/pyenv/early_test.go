package pyenv

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// TestWoken: word that a call is on its way changes nothing of the call, whenever it
// comes and however often, and who was told of one that never comes sleeps on.
func TestWoken(t *testing.T) {
	s := box(t, "")
	p := New(testHost(t, map[string]string{"PATH": os.Getenv("PATH")}), s)
	source := []byte("import os, resource, sys\ntext = sys.stdin.read()\nu = resource.getrusage(resource.RUSAGE_SELF)\nprint(text, len(os.listdir('/proc/self/fd')), u.ru_utime + u.ru_stime < 1)\n")
	g, err := p.Prepare(t.Context(), anyPython(t, p), source)
	if err != nil {
		t.Fatal(err)
	}
	job := g.Job(Call{Args: []byte(`{"name":"world"}`)})
	if len(job.Wake) != 4 || !slices.Equal(job.Wake, []byte{255, 255, 255, 255}) {
		t.Fatalf("it is woken by %x", job.Wake)
	}
	plain := job
	plain.Wake = nil
	want, err := s.Run(t.Context(), plain)
	if err != nil || !strings.HasPrefix(string(want.Stdout), `{"name":"world"} 4 `) || !strings.HasSuffix(string(want.Stdout), "True\n") {
		t.Fatalf("%+v, %v\n%s", want, err, want.Stderr)
	}
	early, late := job.Stdin[:job.Early], job.Stdin[job.Early:]
	for name, parts := range map[string][][]byte{
		"at once":        {early, job.Wake, late},
		"often":          {early, job.Wake, job.Wake, job.Wake, late},
		"in pieces":      {early, job.Wake[:1], job.Wake[1:], late[:2], late[2:5], late[5:]},
		"long before":    {early, job.Wake, nil, nil, nil, late},
		"and once more":  {early, job.Wake, nil, job.Wake, nil, late},
		"with the input": {slices.Concat(early, job.Wake, late)},
	} {
		talk := job
		talk.Stdin, talk.Early, talk.Wake = nil, 0, nil
		talk.Talk = func(in io.Writer, out io.Reader) {
			for _, part := range parts {
				if part == nil {
					time.Sleep(500 * time.Millisecond)
				}
				_, _ = in.Write(part)
				time.Sleep(5 * time.Millisecond)
			}
			_, _ = io.Copy(io.Discard, out)
		}
		if out, err := s.Run(t.Context(), talk); err != nil || string(out.Stdout) != string(want.Stdout) {
			t.Errorf("%s: %+v, %v\n%s", name, out, err, out.Stderr)
		}
	}
}
