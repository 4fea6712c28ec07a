package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

var release = sandbox.Tool{Name: "tool", Release: "sha256:1"}

// waiter is a job of a program that reads its input first; mark is among its
// arguments, so that its processes are found.
func waiter(tb testing.TB, mark, source string) sandbox.Job {
	tb.Helper()
	job := tool(tb, source)
	job.Argv = append(job.Argv, mark)
	job.StdinFile, job.Late, job.Stdin = "", true, []byte("input")
	return job
}

// eventually waits until something is true.
func waitFor(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	tb.Fatalf("never: %s", what)
}

func call(tb testing.TB, p *sandbox.Pool, of sandbox.Tool, j sandbox.Job) sandbox.Outcome {
	tb.Helper()
	out, err := p.Run(tb.Context(), of, j)
	if err != nil {
		tb.Fatalf("run: %v", err)
	}
	return out
}

// pool makes a pool that is closed, and empty, at the end of the test.
func pool(t *testing.T, s *sandbox.Sandbox, o sandbox.PoolOptions, mark string) *sandbox.Pool {
	t.Helper()
	p := sandbox.NewPool(s, o)
	t.Cleanup(func() {
		p.Close()
		if pids := spared(mark); len(pids) > 0 {
			t.Errorf("a closed pool left %v", pids)
		}
	})
	return p
}

// settled waits until so many programs wait, and have got as far as to be them.
func settled(tb testing.TB, p *sandbox.Pool, mark string, n int) {
	tb.Helper()
	waitFor(tb, fmt.Sprintf("%d programs wait", n), func() bool { return p.Waiting() == n && len(spared(mark)) == n })
}

func mark(t *testing.T) string {
	return "mark-" + filepath.Base(realTemp(t)) + fmt.Sprint(time.Now().UnixNano())
}

// stateful says what it finds, and leaves all that it can.
const stateful = `
import sys
given = sys.stdin.read()
import builtins, json, os, time
def shm():
    try: return sorted(os.listdir("/dev/shm"))
    except OSError: return None
found = {
    "given": given, "tmp": sorted(os.listdir(os.environ["TMPDIR"])), "shm": shm(),
    "global": getattr(builtins, "left", None), "env": sorted(os.environ), "cwd": os.getcwd() == os.path.realpath(os.environ["TMPDIR"]),
    "descriptors": len([n for n in range(200) if not os.system is None and os.path.exists("/proc/self/fd/%d" % n)]),
    "umask": os.umask(0o077), "others": os.path.exists("/proc/2"),
}
print(json.dumps(found), flush=True)
builtins.left = 1
os.environ["LEFT"] = "1"
open(os.environ["TMPDIR"] + "/left", "w").write("x")
if shm() is not None: open("/dev/shm/left", "w").write("x")
os.chdir("/")
keep = [open("/dev/null") for i in range(5)]
if os.fork() == 0:
    try: os.setsid()
    except OSError: pass
    os.close(1); os.close(2); time.sleep(60)
`

// TestPoolKeepsNoState: nothing that one call leaves is seen by the next, which
// was started while the first ran.
func TestPoolKeepsNoState(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		word := mark(t)
		p := pool(t, s, sandbox.PoolOptions{PerKey: 1}, word)
		job := waiter(t, word, stateful)
		first := call(t, p, release, job)
		if first.Exit != 0 || first.Warm || !strings.Contains(string(first.Stdout), `"given": "input"`) {
			t.Fatalf("the first: %+v\n%s\n%s", first, first.Stdout, first.Stderr)
		}
		for range 3 {
			settled(t, p, word, 1)
			next := call(t, p, release, job)
			if string(next.Stdout) != string(first.Stdout) || !next.Warm {
				t.Errorf("warm %v: got %swant %s", next.Warm, next.Stdout, first.Stdout)
			}
		}
	})
}

// TestPoolOften: a tool that was called once has one program that waits, and one
// that is called again has as many as may wait, so that two calls at once find one
// each.
func TestPoolOften(t *testing.T) {
	s := open(t, "")
	word := mark(t)
	p := pool(t, s, sandbox.PoolOptions{PerKey: 3}, word)
	job := waiter(t, word, hello)
	call(t, p, release, job)
	settled(t, p, word, 1)
	time.Sleep(500 * time.Millisecond) // longer than others would take to follow
	settled(t, p, word, 1)
	if out := call(t, p, release, job); !out.Warm {
		t.Fatal("it did not wait")
	}
	settled(t, p, word, 3)
	for range 2 {
		if out := call(t, p, release, job); !out.Warm {
			t.Error("the next did not wait")
		}
	}
}

// TestPoolKeys: a program serves its release and its job, once, and no other.
func TestPoolKeys(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		word := mark(t)
		granted := openTemp(t)
		for _, c := range []struct {
			name  string
			alter func(*sandbox.Tool, *sandbox.Job)
			warm  bool
			left  int // programs that wait afterwards
		}{
			{"the same", func(*sandbox.Tool, *sandbox.Job) {}, true, 1},
			{"other input", func(_ *sandbox.Tool, j *sandbox.Job) { j.Stdin = []byte("other") }, true, 1},
			{"a gate", func(_ *sandbox.Tool, j *sandbox.Job) { j.Gate = func() error { return nil } }, true, 1},
			{"other tool", func(k *sandbox.Tool, _ *sandbox.Job) { k.Name = "other" }, false, 2},
			{"other release", func(k *sandbox.Tool, _ *sandbox.Job) { k.Release = "sha256:2" }, false, 1}, // the stale one is ended
			{"a grant", func(_ *sandbox.Tool, j *sandbox.Job) { j.Mounts = append(j.Mounts, ro(granted)) }, false, 2},
			{"network", func(_ *sandbox.Tool, j *sandbox.Job) { j.Network = true }, false, 2},
			{"limits", func(_ *sandbox.Tool, j *sandbox.Job) { j.Limits.Memory = 1 << 30 }, false, 2},
			{"environment", func(_ *sandbox.Tool, j *sandbox.Job) { j.Env = append(j.Env, "A=b") }, false, 2},
			{"not late", func(_ *sandbox.Tool, j *sandbox.Job) { j.Late = false }, false, 1},
		} {
			p := pool(t, s, sandbox.PoolOptions{PerKey: 1}, word)
			job := waiter(t, word, "import sys; print(sys.stdin.read())")
			call(t, p, release, job)
			settled(t, p, word, 1)
			key := release
			c.alter(&key, &job)
			out := call(t, p, key, job)
			if out.Warm != c.warm || string(out.Stdout) != string(job.Stdin)+"\n" {
				t.Errorf("%s: warm %v, %q\n%s", c.name, out.Warm, out.Stdout, out.Stderr)
			}
			settled(t, p, word, c.left)
			p.Close()
		}
	})
}

// TestPoolGrants: a program may wait with a grant to write, and serves only
// who has the very same.
func TestPoolGrants(t *testing.T) {
	s := open(t, "")
	word, dir := mark(t), openTemp(t)
	p := pool(t, s, sandbox.PoolOptions{}, word)
	job := waiter(t, word, "import sys; open('"+dir+"/out', 'a').write(sys.stdin.read())")
	job.Mounts = append(job.Mounts, rw(dir))
	call(t, p, release, job)
	settled(t, p, word, 1)
	lesser := waiter(t, word, "import sys; open('"+dir+"/out', 'a').write(sys.stdin.read())")
	lesser.Mounts = append(lesser.Mounts, ro(dir))
	if out := call(t, p, release, lesser); out.Warm || out.Exit == 0 {
		t.Errorf("without the grant: %+v", out)
	}
	if out := call(t, p, release, job); !out.Warm || out.Exit != 0 {
		t.Errorf("with it: %+v\n%s", out, out.Stderr)
	}
	if b, err := os.ReadFile(dir + "/out"); err != nil || string(b) != "inputinput" {
		t.Errorf("written: %q, %v", b, err)
	}
}

// TestPoolBounds: programs end when nobody calls, and when there are too many,
// the one whose key was called longest ago first.
func TestPoolBounds(t *testing.T) {
	s := open(t, "")
	word := mark(t)
	of := func(name string) (sandbox.Tool, sandbox.Job) {
		return sandbox.Tool{Name: name, Release: "1"}, waiter(t, word, "import sys; print(sys.stdin.read())")
	}
	t.Run("idle", func(t *testing.T) {
		p := pool(t, s, sandbox.PoolOptions{Idle: time.Second}, word)
		k, j := of("a")
		call(t, p, k, j)
		waitFor(t, "a program waits", func() bool { return p.Waiting() == 1 })
		settled(t, p, word, 0)
		if out := call(t, p, k, j); out.Warm {
			t.Error("a program served that had ended")
		}
	})
	t.Run("per key", func(t *testing.T) {
		p := pool(t, s, sandbox.PoolOptions{PerKey: 2}, word)
		k, j := of("a")
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { call(t, p, k, j) })
		}
		group.Wait()
		settled(t, p, word, 2)
	})
	t.Run("total", func(t *testing.T) {
		p := pool(t, s, sandbox.PoolOptions{Total: 2}, word)
		for _, name := range []string{"a", "b", "a", "c"} { // b goes
			k, j := of(name)
			call(t, p, k, j)
			waitFor(t, "a program of "+name+" waits", func() bool { return p.WaitsFor(name) })
		}
		settled(t, p, word, 2)
		for _, name := range []string{"a", "c"} {
			k, j := of(name)
			if out := call(t, p, k, j); !out.Warm {
				t.Errorf("%s had to be started", name)
			}
			waitFor(t, "another one of "+name+" waits", func() bool { return p.WaitsFor(name) })
			settled(t, p, word, 2)
		}
		k, j := of("b")
		if out := call(t, p, k, j); out.Warm {
			t.Error("b waited, though its key was called longest ago")
		}
	})
	t.Run("memory", func(t *testing.T) {
		if raced {
			t.Skip("what waits is a race detector too")
		}
		p := pool(t, s, sandbox.PoolOptions{Memory: 64 * mib}, word)
		k, j := of("a")
		call(t, p, k, j)
		settled(t, p, word, 1)
		p.Weigh()
		if p.Waiting() != 1 {
			t.Error("a small program was ended")
		}
		p.Close()
		// The twin grows while it waits, without being asked anything.
		k, j = of("a")
		j.Files[0].Data = []byte("import sys\nheld = bytearray(b'x') * (80 << 20)\nprint(sys.stdin.read())")
		p = pool(t, s, sandbox.PoolOptions{Memory: 64 * mib}, word)
		call(t, p, k, j)
		waitFor(t, "a large program is ended", func() bool { return p.Waiting() == 0 })
	})
}

// TestPoolOddPrograms: what a program does that does not wait as it should is
// what it would have done without a pool.
func TestPoolOddPrograms(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		for name, c := range map[string]struct {
			source, want string
			exit         int
		}{
			"speaks first":         {"import sys; print('early', flush=True); print(sys.stdin.read())", "early\ninput\n", 0},
			"speaks of errors":     {"import sys; print('early', file=sys.stderr); print(sys.stdin.read())", "input\n", 0},
			"ends first":           {"print('over')", "over\n", 0},
			"fails first":          {"import sys; sys.exit(3)", "", 3},
			"closes its output":    {"import os,sys; os.close(1); sys.stdin.read(); sys.exit(4)", "", 4},
			"never reads":          {"import time; time.sleep(0.5)", "", 0},
			"closes its own input": {"import sys,os,time; os.close(0); time.sleep(0.2); os.write(1, b'on')", "on", 0},
		} {
			word := mark(t)
			p := pool(t, s, sandbox.PoolOptions{}, word)
			job := waiter(t, word, c.source)
			late := name == "never reads" || name == "closes its own input" // odd only when asked
			refused := false
			// One that was started a moment ago, while the machine was busy, may be
			// taken before it gets as far as to be odd; not one after the other.
			for i := 0; i < 3 || i < 8 && !refused; i++ {
				out := call(t, p, release, job)
				if out.Exit != c.exit || string(out.Stdout) != c.want {
					t.Errorf("%s, call %d: exit %d, %q\n%s", name, i, out.Exit, out.Stdout, out.Stderr)
				}
				if late || s.Driver() == "bubblewrap" || s.Driver() == "container" {
					refused = true // what starts the program is there for longer, and holds the output open
					continue
				}
				refused = refused || i > 0 && !out.Warm
				// It is started at the end of the call or, on a busy machine, a bit
				// later; and one that has ended is cleared away after a while.
				called := time.Now()
				waitFor(t, "what waits is seen to be odd", func() bool {
					return p.Unfit() && (p.Waiting() > 0 || time.Since(called) > time.Second)
				})
			}
			if !refused {
				t.Errorf("%s: it served though it did not wait", name)
			}
		}
	})
}

// TestPoolKilledSpare: one that dies while it waits is replaced, and nobody
// who calls notices.
func TestPoolKilledSpare(t *testing.T) {
	s := open(t, "")
	word := mark(t)
	p := pool(t, s, sandbox.PoolOptions{}, word)
	var asked atomic.Int32
	job := waiter(t, word, "import sys; print(sys.stdin.read())")
	job.Gate = func() error { asked.Add(1); return nil }
	// kill ends what waits; until it was reaped, its input is open.
	kill := func() {
		for _, f := range spared(word) {
			var pid int
			if _, err := fmt.Sscanf(f, "/proc/%d/", &pid); err != nil {
				continue
			}
			for syscall.Kill(pid, syscall.SIGKILL) == nil {
				time.Sleep(time.Millisecond)
			}
		}
	}
	call(t, p, release, job)
	settled(t, p, word, 1)
	kill()
	if out := call(t, p, release, job); string(out.Stdout) != "input\n" {
		t.Errorf("got %+v\n%s", out, out.Stderr)
	}
	// Now it dies between the look at it and its input: in the gate.
	settled(t, p, word, 1)
	asked.Store(0)
	job.Gate = func() error {
		if asked.Add(1) == 1 {
			kill()
			for len(spared(word)) > 0 {
				kill() // the one that replaces it, too
			}
		}
		return nil
	}
	out := call(t, p, release, job)
	if string(out.Stdout) != "input\n" || asked.Load() != 1 {
		t.Errorf("got %+v, the gate was asked %d times\n%s", out, asked.Load(), out.Stderr)
	}
}

// TestPoolGate: a program that waits gets nothing when the gate says no.
func TestPoolGate(t *testing.T) {
	s := open(t, "")
	word, dir := mark(t), openTemp(t)
	p := pool(t, s, sandbox.PoolOptions{}, word)
	job := waiter(t, word, "import sys\nif sys.stdin.read(): open('"+dir+"/ran', 'a').write('x')")
	job.Mounts = append(job.Mounts, rw(dir))
	call(t, p, release, job)
	settled(t, p, word, 1)
	no := errors.New("no")
	job.Gate = func() error { return no }
	if out, err := p.Run(t.Context(), release, job); !errors.Is(err, no) || out.Exit != -1 {
		t.Errorf("a closed gate: %+v, %v", out, err)
	}
	job.Gate = func() error { return nil }
	if out := call(t, p, release, job); out.Exit != 0 {
		t.Errorf("an open one: %+v", out)
	}
	if b, _ := os.ReadFile(dir + "/ran"); string(b) != "xx" {
		t.Errorf("ran %q, want twice", b)
	}
}

// TestPoolTime: the time limit is that of the call, not of the wait before it.
func TestPoolTime(t *testing.T) {
	s := open(t, "")
	word := mark(t)
	p := pool(t, s, sandbox.PoolOptions{}, word)
	job := waiter(t, word, "import sys,time; time.sleep(float(sys.stdin.read())); print('done')")
	job.Limits.Wall = time.Second
	job.Stdin = []byte("0")
	call(t, p, release, job)
	settled(t, p, word, 1)
	time.Sleep(1200 * time.Millisecond)
	if out := call(t, p, release, job); !out.Warm || out.TimedOut || string(out.Stdout) != "done\n" || out.Duration > time.Second {
		t.Errorf("after a long wait: %+v\n%s", out, out.Stderr)
	}
	settled(t, p, word, 1)
	job.Stdin = []byte("60")
	if out := call(t, p, release, job); !out.Warm || !out.TimedOut || out.Duration < time.Second || out.Duration > 5*time.Second {
		t.Errorf("a slow call: %+v", out)
	}
}

// TestPoolManyAtOnce: calls of three tools at once each get their own answer.
func TestPoolManyAtOnce(t *testing.T) {
	s := open(t, "")
	word := mark(t)
	p := pool(t, s, sandbox.PoolOptions{Total: 5, PerKey: 3}, word)
	var warm atomic.Int32
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			job := waiter(t, word, "import sys; print(sys.argv[2], sys.stdin.read())")
			k := sandbox.Tool{Name: fmt.Sprint("tool", i%3), Release: "1"}
			job.Argv, job.Stdin = append(job.Argv, k.Name), fmt.Append(nil, i)
			out, err := p.Run(t.Context(), k, job)
			if want := fmt.Sprintln(k.Name, i); err != nil || string(out.Stdout) != want {
				t.Errorf("call %d: %q, want %q, %v: %+v\n%s", i, out.Stdout, want, err, out, out.Stderr)
			}
			if out.Warm {
				warm.Add(1)
			}
		})
	}
	group.Wait()
	if n := p.Waiting(); n > 5 {
		t.Errorf("%d programs wait", n)
	}
	t.Logf("%d of 100 calls found a program", warm.Load())
}

// servePool is the actor of TestPoolEndsWithItsProcess.
func servePool() {
	s := actorOpen(os.Getenv("DRIVER"), "")
	p := sandbox.NewPool(s, sandbox.PoolOptions{})
	if _, err := p.Run(actorContext(), release, actorJob()); err != nil {
		die(err)
	}
	select {}
}

// TestPoolEndsWithItsProcess: what waits dies with the server, however that dies.
func TestPoolEndsWithItsProcess(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		word := mark(t)
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
		cmd.Env = []string{"SANDBOX_TEST_ACTOR=pool", "DRIVER=" + s.Driver(), "JOB=" + jobText(t, waiter(t, word, "import sys; sys.stdin.read()"))}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "a program waits", func() bool { return len(spared(word)) == 1 })
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		waitFor(t, "it is gone", func() bool { return len(spared(word)) == 0 })
	})
}
