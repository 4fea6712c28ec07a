package sandbox_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestReady: a program that is ready has read what is early, and runs nothing before a
// call comes; it waits on where none does, and one that read for another input is not
// taken for this one.
func TestReady(t *testing.T) {
	s := open(t, "")
	word, dir := mark(t), openTemp(t)
	p := pool(t, s, sandbox.PoolOptions{PerKey: 1}, word)
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
	if p.Ready(release) {
		t.Error("something is ready that nobody called yet")
	}
	call(t, p, release, job)
	// ready has what waits read, and waits until it has.
	ready := func() {
		t.Helper()
		settled(t, p, word, 1)
		for _, name := range []string{"early", "ran"} {
			_ = os.Remove(dir + "/" + name)
		}
		if p.Ready(sandbox.Tool{Name: release.Name, Release: "another"}) || p.Ready(sandbox.Tool{Name: "other", Release: release.Release}) {
			t.Fatal("a program of one release reads for another")
		}
		if !p.Ready(release) {
			t.Fatal("nothing is ready")
		}
		waitFor(t, "the early part is read", func() bool { return lies("early") == "inp" })
		if p.Ready(release) {
			t.Error("it reads twice")
		}
		if p.Waiting() != 1 || lies("ran") != "" {
			t.Errorf("%d wait, and it ran with %q", p.Waiting(), lies("ran"))
		}
	}

	no := errors.New("no")
	shut := job
	shut.Gate = func() error { return no }
	ready()
	if out, err := p.Run(t.Context(), release, shut); !errors.Is(err, no) || out.Exit != -1 {
		t.Errorf("a closed gate: %+v, %v", out, err)
	}
	settled(t, p, word, 1) // the one in its place
	if lies("ran") != "" {
		t.Errorf("a closed gate: it ran with %q", lies("ran"))
	}

	for what, change := range map[string]func(*sandbox.Tool, *sandbox.Job){
		"another input": func(_ *sandbox.Tool, j *sandbox.Job) { j.Stdin = []byte("other") },
		"another job":   func(_ *sandbox.Tool, j *sandbox.Job) { j.Env = append(j.Env, "A=b") },
		"another tool":  func(k *sandbox.Tool, _ *sandbox.Job) { k.Name = "other" },
	} {
		ready()
		tool, other := release, job
		change(&tool, &other)
		want := string(other.Stdin[3:])
		if out, err := p.Run(t.Context(), tool, other); err != nil || out.Warm || lies("ran") != want {
			t.Errorf("%s: %+v, %v, it ran with %q", what, out, err, lies("ran"))
		}
		p.Close()
		if pids := spared(word); len(pids) > 0 {
			t.Errorf("%s: left %v", what, pids)
		}
		p = pool(t, s, sandbox.PoolOptions{PerKey: 1}, word)
		call(t, p, release, job)
	}

	// The twin.
	ready()
	if out, err := p.Run(t.Context(), release, job); err != nil || !out.Warm || string(out.Stdout) != "b'inp' b'ut'\n" || lies("ran") != "ut" {
		t.Errorf("its run: %+v, %v\n%s", out, err, out.Stderr)
	}
	settled(t, p, word, 1)
}

// TestPoolAhead: where the caller says so a program has read what is early before it is
// known that a call will come, and no more; it is told that one does, by a word that is
// in no input and never in the middle of one, and again for the next where none came.
func TestPoolAhead(t *testing.T) {
	s := open(t, "")
	for name, c := range map[string]struct {
		ahead       bool
		wake        string
		early, told string // what was read before any word, and when it was told
		again       string // when it was told for another call
		ready       bool
		result      string
	}{
		"ahead":        {ahead: true, wake: "!!", early: "inp", told: "inp!!", again: "inp!!!!", ready: true, result: "inp!!!!ut"},
		"without word": {ahead: true, early: "inp", told: "inp", again: "inp", result: "input"},
		"not ahead":    {wake: "!!", early: "input", told: "inp", again: "inp!!", ready: true, result: "inp!!ut"}, // the one before read that
	} {
		t.Run(name, func(t *testing.T) {
			word, dir := mark(t), openTemp(t)
			p := pool(t, s, sandbox.PoolOptions{PerKey: 1, Ahead: c.ahead}, word)
			job := waiter(t, word, `
import os, time
every, log = b"", "`+dir+`/%020d" % time.time_ns()
while not every.endswith(b"t"):
    some = os.read(0, 100)
    if not some:
        break
    every += some
    open(log, "wb").write(every)
print(every.decode())
`)
			job.Mounts = append(job.Mounts, rw(dir))
			job.Stdin, job.Early = []byte("input"), 3
			if c.wake != "" {
				job.Wake = []byte(c.wake)
			}
			// read is what the program has read that was started last and has read anything.
			read := func() string {
				logs, _ := os.ReadDir(dir)
				if len(logs) == 0 {
					return ""
				}
				b, _ := os.ReadFile(dir + "/" + logs[len(logs)-1].Name())
				return string(b)
			}
			call(t, p, release, job)
			settled(t, p, word, 1)
			waitFor(t, "it reads ahead", func() bool { return read() == c.early })
			ready := func() {
				t.Helper()
				began := time.Now()
				if got := p.Ready(release); got != c.ready {
					t.Errorf("ready: %v", got)
				}
				if twice := p.Ready(release); twice && time.Since(began) < sandbox.Heed {
					t.Error("it is told twice of one call")
				}
			}
			ready()
			waitFor(t, "it is told", func() bool { return read() == c.told })
			time.Sleep(sandbox.Heed)
			ready()
			waitFor(t, "it is told of the next one", func() bool { return read() == c.again })
			if out := call(t, p, release, job); !out.Warm || string(out.Stdout) != c.result+"\n" {
				t.Errorf("%+v\n%s", out, out.Stderr)
			}
			settled(t, p, word, 1)
		})
	}

	// More than a pipe holds: the word would stand in its middle.
	word := mark(t)
	p := pool(t, s, sandbox.PoolOptions{PerKey: 1, Ahead: true}, word)
	job := waiter(t, word, "import sys, time\ntime.sleep(0.5)\nprint(sys.stdin.buffer.read().count(b'!'))")
	job.Stdin, job.Early, job.Wake = make([]byte, 1<<20), 1<<19, []byte("!!")
	call(t, p, release, job)
	settled(t, p, word, 1)
	for range 3 {
		p.Ready(release)
		time.Sleep(sandbox.Heed)
	}
	if out := call(t, p, release, job); !out.Warm || string(out.Stdout) != "0\n" {
		t.Errorf("%+v\n%s", out, out.Stderr)
	}
	settled(t, p, word, 1)
}

// TestPoolAheadOfAll: each program that waits has read what is early, however it came to
// be started, and more of it than a pipe holds.
func TestPoolAheadOfAll(t *testing.T) {
	s := open(t, "")
	word, dir := mark(t), openTemp(t)
	p := pool(t, s, sandbox.PoolOptions{PerKey: 3, Ahead: true}, word)
	job := waiter(t, word, `
import os, time
every, log = b"", "`+dir+`/%020d" % time.time_ns()
while not every.endswith(b"t"):
    every += os.read(0, 1 << 20)
    open(log, "w").write(str(len(every)))
`)
	job.Mounts = append(job.Mounts, rw(dir))
	job.Stdin, job.Early, job.Wake = append(make([]byte, 100_000), "and t"...), 100_000, []byte("!!")
	// read is how many of the programs of the pool have read so much.
	read := func(n string) (have int) {
		logs, _ := os.ReadDir(dir)
		for _, f := range logs {
			if b, _ := os.ReadFile(dir + "/" + f.Name()); string(b) == n {
				have++
			}
		}
		return have
	}
	call(t, p, release, job)
	settled(t, p, word, 1)
	call(t, p, release, job)
	settled(t, p, word, 3)
	waitFor(t, "all have read ahead", func() bool { return read("100000") == 3 })
	for n := range 3 {
		if !p.Ready(release) {
			t.Errorf("the %d. is not told", n)
		}
	}
	waitFor(t, "all are told", func() bool { return read("100002") == 3 })
}
