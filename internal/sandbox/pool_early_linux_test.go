package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestPoolEarly: the early part of the input is read while the gate is asked, the rest
// behind it, and never where it says no. Who ends in between is replaced.
func TestPoolEarly(t *testing.T) {
	s := open(t, "")
	word, dir := mark(t), openTemp(t)
	p := pool(t, s, sandbox.PoolOptions{}, word)
	job := waiter(t, word, `
import os
first = os.read(0, 3)
open("`+dir+`/early", "ab").write(first)
second = os.read(0, 100)
if second:
    open("`+dir+`/ran", "ab").write(second)
print(first, second)
`)
	job.Mounts = append(job.Mounts, rw(dir))
	job.Stdin, job.Early = []byte("input"), 3
	lies := func(name string) string { b, _ := os.ReadFile(dir + "/" + name); return string(b) }
	// The first of all is started for its call.
	call(t, p, release, job)
	if lies("ran") == "" {
		t.Fatal("it did not run")
	}
	clear := func() {
		settled(t, p, word, 1)
		for _, name := range []string{"early", "ran"} {
			_ = os.Remove(dir + "/" + name)
		}
	}
	seen := func() { waitFor(t, "the early part is read", func() bool { return lies("early") == "inp" }) }
	no := errors.New("no")

	clear()
	job.Gate = func() error { seen(); return no }
	if out, err := p.Run(t.Context(), release, job); !errors.Is(err, no) || out.Exit != -1 || lies("ran") != "" {
		t.Errorf("a closed gate: %+v, %v, and %q", out, err, lies("ran"))
	}
	clear()
	job.Gate = func() error {
		seen()
		if lies("ran") != "" {
			t.Error("it did not wait for its gate")
		}
		return nil
	}
	if out := call(t, p, release, job); !out.Warm || string(out.Stdout) != "b'inp' b'ut'\n" || lies("ran") != "ut" {
		t.Errorf("an open gate: %+v\n%s", out, out.Stderr)
	}
	clear()
	job.Gate = func() error {
		seen()
		for _, f := range spared(word) {
			var pid int
			if _, err := fmt.Sscanf(f, "/proc/%d/", &pid); err == nil {
				for syscall.Kill(pid, syscall.SIGKILL) == nil {
					time.Sleep(time.Millisecond)
				}
			}
		}
		return nil
	}
	if out := call(t, p, release, job); !strings.HasSuffix(string(out.Stdout), "ut'\n") || lies("ran") != "ut" {
		t.Errorf("one that ended in between: %+v\n%s", out, out.Stderr)
	}
}

// TestPoolGivenUp: a call that was given up before it came asks no gate and gives no
// program anything.
func TestPoolGivenUp(t *testing.T) {
	s := open(t, "")
	word, dir := mark(t), openTemp(t)
	p := pool(t, s, sandbox.PoolOptions{PerKey: 1}, word)
	job := waiter(t, word, "import sys\nif sys.stdin.read(): open('"+dir+"/ran', 'a').write('x')")
	job.Mounts = append(job.Mounts, rw(dir))
	call(t, p, release, job)
	settled(t, p, word, 1)
	asked := 0
	job.Gate = func() error { asked++; return nil }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := p.Run(ctx, release, job); fault.ReasonOf(err) != "run_cancelled" || out.Exit != -1 || asked != 0 {
		t.Errorf("%+v, %v, the gate was asked %d times", out, err, asked)
	}
	settled(t, p, word, 1)
	// The twin.
	if out := call(t, p, release, job); !out.Warm || asked != 1 {
		t.Errorf("%+v, the gate was asked %d times", out, asked)
	}
	if b, _ := os.ReadFile(dir + "/ran"); string(b) != "xx" {
		t.Errorf("it ran %q, want twice", b)
	}
}

// TestPoolUnheardTime: a program whose time is over before it has read is not replaced
// by another one with as much time again.
func TestPoolUnheardTime(t *testing.T) {
	s := open(t, "")
	word := mark(t)
	p := pool(t, s, sandbox.PoolOptions{PerKey: 1}, word)
	job := waiter(t, word, "import time; time.sleep(60)")
	job.Stdin, job.Early = make([]byte, 1<<20), 1<<19 // more than a pipe holds
	job.Limits.Wall = 500 * time.Millisecond
	for i := range 2 {
		if out := call(t, p, release, job); !out.TimedOut || out.Warm != (i == 1) {
			t.Errorf("call %d: %+v", i, out)
		}
		settled(t, p, word, 1)
	}
}
