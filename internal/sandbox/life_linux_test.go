package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// lifeline is a named pipe in a granted directory. Whoever holds its other end
// is alive: it ends when all of them are dead, without anybody waiting for a
// time to pass.
type lifeline struct{ file *os.File }

func newLifeline(t *testing.T, dir string) lifeline {
	t.Helper()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	p := dir + "/life"
	if err := syscall.Mkfifo(p, 0o666); err != nil {
		t.Fatal(err)
	}
	os.Chmod(p, 0o666)
	f, err := os.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return lifeline{f}
}

// ended reads until every holder is dead and returns what they wrote.
func (l lifeline) ended(t *testing.T) string {
	t.Helper()
	l.file.SetReadDeadline(time.Now().Add(5 * time.Second))
	var all []byte
	b := make([]byte, 4096)
	for {
		n, err := l.file.Read(b)
		all = append(all, b[:n]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("something is still alive")
		}
		if err != nil {
			return string(all)
		}
	}
}

// stubborn is a tree that wants to live: it ignores signals, has children in
// other sessions and groups where it may, and holds the lifeline everywhere.
const stubborn = `
import ctypes, json, os, signal, sys, time
libc = ctypes.CDLL(None)
for s in range(1, 65):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
libc.prctl(1, 0, 0, 0, 0)   # PR_SET_PDEATHSIG: outlive the parent
libc.prctl(36, 0, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
life = os.open(sys.argv[1] + "/life", os.O_WRONLY)
for how in (os.setsid, lambda: os.setpgid(0, 0), lambda: None):
    if os.fork() == 0:
        try: how()
        except OSError: pass
        if os.fork() == 0:
            libc.prctl(1, 0, 0, 0, 0)
            os.close(0); os.close(1); os.close(2)
            os.write(life, b"daemon ")
            while True: time.sleep(100)
        os._exit(0)
os.write(life, b"leader ")
`

func stubbornJob(t *testing.T, dir, then string) sandbox.Job {
	t.Helper()
	job := tool(t, stubborn+then)
	job.Argv = append(job.Argv, dir)
	job.Mounts = append(job.Mounts, rw(dir))
	return job
}

func TestTimeoutKillsTheTree(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir := realTemp(t)
		life := newLifeline(t, dir)
		job := stubbornJob(t, dir, "while True: time.sleep(100)")
		job.Limits.Wall = time.Second
		if s.Driver() == "container" {
			job.Limits.Wall = 4 * time.Second // an engine takes its time to begin
		}
		out := run(t, s, job)
		if !out.TimedOut || out.Exit != -1 || out.Signal != "SIGKILL" {
			t.Errorf("got %v exit %d signal %q, want a timeout by SIGKILL", out.TimedOut, out.Exit, out.Signal)
		}
		if got := life.ended(t); strings.Count(got, "daemon") != 3 {
			t.Errorf("the tree was %q\n%s", got, out.Stderr)
		}
		if out.Duration > job.Limits.Wall+5*time.Second {
			t.Errorf("it took %v", out.Duration)
		}
	})
}

// TestNoTimeToStart: what ended a program that had not begun was its time, too.
func TestNoTimeToStart(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		if s.Driver() == "container" {
			t.Skip("an engine is asked, and not killed")
		}
		job := tool(t, "import time; time.sleep(100)")
		for _, wall := range []time.Duration{time.Nanosecond, time.Millisecond} {
			job.Limits.Wall = wall
			if out, err := s.Run(t.Context(), job); err != nil || !out.TimedOut || out.Exit != -1 {
				t.Errorf("%v: %+v, %v", wall, out, err)
			}
		}
	})
}

// TestCancelledEarly: a run that is given up ends, however little of it has begun.
func TestCancelledEarly(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		plain := tool(t, "import time; time.sleep(20)")
		late := tool(t, "import sys, time; sys.stdin.read(1); time.sleep(20)")
		late.StdinFile, late.Late, late.Stdin = "", true, []byte("x")
		times, pause := 40, 200*time.Microsecond
		if s.Driver() == "container" {
			times, pause = 3, 200*time.Millisecond // an engine takes its time to begin
		}
		for i := range times {
			for _, job := range []sandbox.Job{plain, late} {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Duration(i)*pause, cancel)
				began := time.Now()
				if out, err := s.Run(ctx, job); fault.ReasonOf(err) != "run_cancelled" || time.Since(began) > 15*time.Second {
					t.Errorf("given up after %d pauses: %+v, %v after %v", i, out, err, time.Since(began))
				}
				cancel()
			}
		}
	})
}

// TestNothingSurvivesTheTool is the same with a leader that ends by itself.
func TestNothingSurvivesTheTool(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir := realTemp(t)
		life := newLifeline(t, dir)
		out := run(t, s, stubbornJob(t, dir, "time.sleep(0.1); print('done')"))
		if out.Exit != 0 || string(out.Stdout) != "done\n" || out.TimedOut {
			t.Errorf("got %+v", out)
		}
		if got := life.ended(t); !strings.Contains(got, "leader") {
			t.Errorf("the tree was %q", got)
		}
	})
}

func TestCancelKillsTheTree(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir := realTemp(t)
		life := newLifeline(t, dir)
		ctx, cancel := context.WithCancel(t.Context())
		job := stubbornJob(t, dir, "while True: time.sleep(100)")
		go func() {
			// The first byte says that the tool runs.
			life.file.SetReadDeadline(time.Now().Add(10 * time.Second))
			for b := make([]byte, 1); ; {
				if n, _ := life.file.Read(b); n > 0 || ctx.Err() != nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		out, err := s.Run(ctx, job)
		if !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Interrupted || out.Exit != -1 {
			t.Errorf("got %v %+v", err, out)
		}
		life.ended(t)
	})
}

// runForParent is the actor of TestDeathOfTheCaller.
func runForParent() {
	s := actorOpen(os.Getenv("DRIVER"), "")
	out, err := s.Run(context.Background(), actorJob())
	die(errors.Join(fmt.Errorf("the run ended: %+v", out), err))
}

func TestDeathOfTheCaller(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir := realTemp(t)
		life := newLifeline(t, dir)
		job := stubbornJob(t, dir, "os.write(life, b'ready')\nwhile True: time.sleep(100)")
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{"SANDBOX_TEST_ACTOR=run", "DRIVER=" + s.Driver(), "JOB=" + jobText(t, job)}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		life.file.SetReadDeadline(time.Now().Add(10 * time.Second))
		for seen := ""; !strings.Contains(seen, "ready"); {
			b := make([]byte, 64)
			n, err := life.file.Read(b)
			seen += string(b[:n])
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("the tool did not start: %s", stderr.String())
			}
			time.Sleep(time.Millisecond)
		}
		cmd.Process.Kill()
		cmd.Wait()
		life.ended(t)
	})
}

func TestHowProgramsEnd(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		for _, c := range []struct {
			name, source string
			exit         int
			signals      string // any of these words, "" for none
			stderr       string
		}{
			{"end", "print('x')", 0, "", ""},
			{"exit code", "import sys; sys.exit(3)", 3, "", ""},
			{"exit text", "import sys; sys.exit('sorry')", 1, "", "sorry"},
			{"exception", "raise ValueError('why')", 1, "", "ValueError: why"},
			{"hard exit", "import os; os._exit(7)", 7, "", ""},
			{"fault", "import ctypes; ctypes.string_at(0)", -1, "SIGSEGV", ""},
			// Process 1 of a namespace ignores its own SIGABRT, and the C
			// library then faults on purpose.
			{"abort", "import os; os.abort()", -1, "SIGABRT SIGSEGV SIGTRAP SIGILL", ""},
			{"child fault", "import os,ctypes\np=os.fork()\nif p==0: ctypes.string_at(0)\nprint(os.waitpid(p,0)[1] & 127)", 0, "", ""},
			{"not python", "this is no program", 1, "", "SyntaxError"},
		} {
			out := run(t, s, tool(t, c.source))
			if out.Exit != c.exit || (out.Signal == "") != (c.signals == "") || !strings.Contains(c.signals, out.Signal) {
				t.Errorf("%s: exit %d signal %q, want %d %q\n%s", c.name, out.Exit, out.Signal, c.exit, c.signals, out.Stderr)
			}
			if !strings.Contains(string(out.Stderr), c.stderr) {
				t.Errorf("%s: stderr %q lacks %q", c.name, out.Stderr, c.stderr)
			}
		}
	})
}

func TestInput(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		big := bytes.Repeat([]byte("0123456789abcdef"), 200_000) // beyond any pipe's buffer
		for _, c := range []struct {
			name string
			set  func(*sandbox.Job)
			want int
		}{
			{"nothing", func(j *sandbox.Job) { j.StdinFile = "" }, 0},
			{"bytes", func(j *sandbox.Job) { j.StdinFile, j.Stdin = "", big }, len(big)},
			{"file", func(j *sandbox.Job) { j.Files[1].Data = big }, len(big)},
		} {
			job := tool(t, "import sys; print(len(sys.stdin.buffer.read()))")
			c.set(&job)
			out := run(t, s, job)
			if got := strings.TrimSpace(string(out.Stdout)); got != fmt.Sprint(c.want) {
				t.Errorf("%s: read %s bytes, want %d\n%s", c.name, got, c.want, out.Stderr)
			}
		}
	})
}

func TestScratchIsPrivateAndGone(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, "import os,tempfile\nt=os.environ['TMPDIR']\nprint(sorted(os.listdir(t)))\nopen(t+'/left','w').close()\nos.makedirs(t+'/a/b'); os.chmod(t+'/a',0)")
		for range 2 {
			out := run(t, s, job)
			if string(out.Stdout) != "['args.json', 'tool.py']\n" {
				t.Errorf("got %s %s", out.Stdout, out.Stderr)
			}
		}
		if left, _ := filepath.Glob(filepath.Dir(realTemp(t)) + "/*/patch-git-run-*"); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				job := tool(t, "import sys,os; print(sys.stdin.read(), len(os.listdir(os.environ['TMPDIR'])))")
				job.Files[1].Data = fmt.Append(nil, i)
				out, err := s.Run(t.Context(), job)
				if want := fmt.Sprintln(i, 2); err != nil || string(out.Stdout) != want {
					t.Errorf("run %d: %q %v\n%s", i, out.Stdout, err, out.Stderr)
				}
			})
		}
		group.Wait()
	})
}

// late is a job that copies its input, with what it was given as argument
// before it. It says on a file of the host that it began.
func late(t *testing.T, mark string) sandbox.Job {
	job := tool(t, "import sys\nopen(sys.argv[1], 'w').close()\nprint(sys.stdin.read(), end='')\n")
	job.Argv = append(job.Argv, mark)
	job.Mounts = append(job.Mounts, sandbox.Mount{Source: filepath.Dir(mark), Target: filepath.Dir(mark), Write: true})
	job.StdinFile, job.Late = "", true
	return job
}

// openTemp is a real directory that every user may write to.
func openTemp(t *testing.T) string {
	t.Helper()
	dir := realTemp(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func began(mark string) bool {
	_, err := os.Stat(mark)
	return err == nil
}

// TestLate: a late program runs before its gate opens, gets its input after,
// and nothing when the gate says no.
func TestLate(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		mark := filepath.Join(openTemp(t), "began")
		job := late(t, mark)
		job.Stdin = bytes.Repeat([]byte("x"), 1<<20) // more than a pipe holds
		job.Gate = func() error {
			for i := 0; !began(mark); i++ {
				if i == 1000 {
					return errors.New("the program did not begin before its gate opened")
				}
				time.Sleep(10 * time.Millisecond)
			}
			return nil
		}
		if out := run(t, s, job); !bytes.Equal(out.Stdout, job.Stdin) || out.Warm {
			t.Errorf("got %d bytes, warm %v, %s", len(out.Stdout), out.Warm, out.Stderr)
		}
		no := errors.New("no")
		job.Gate = func() error { return no }
		if out, err := s.Run(t.Context(), job); !errors.Is(err, no) || out.Exit != -1 {
			t.Errorf("a closed gate: %+v, %v", out, err)
		}
	})
}

// TestWarm: a program that waits serves the very same job and no other, and is
// gone when it is not needed.
func TestWarm(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		mark := filepath.Join(openTemp(t), "began")
		warm := func() {
			t.Helper()
			_ = os.Remove(mark)
			s.Warm(late(t, mark))
			s.Warm(late(t, mark)) // one is enough
			for range 1000 {
				if began(mark) {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Fatal("the program was not started")
		}
		for _, c := range []struct {
			name  string
			alter func(*sandbox.Job)
			warm  bool
		}{
			{"the same", func(*sandbox.Job) {}, true},
			{"with a gate", func(j *sandbox.Job) { j.Gate = func() error { return nil } }, true},
			{"other arguments", func(j *sandbox.Job) { j.Argv = append(j.Argv, "x") }, false},
			{"other file", func(j *sandbox.Job) { j.Files[1].Data = []byte("x") }, false},
			{"other mount", func(j *sandbox.Job) { j.Mounts[len(j.Mounts)-1].Write = false }, false},
			{"network", func(j *sandbox.Job) { j.Network = true }, false},
			{"other limit", func(j *sandbox.Job) { j.Limits.Memory = 1 << 30 }, false},
			{"other environment", func(j *sandbox.Job) { j.Env = append(j.Env, "A=b") }, false},
		} {
			warm()
			job := late(t, mark)
			job.Stdin = []byte(c.name)
			c.alter(&job)
			out, err := s.Run(t.Context(), job)
			if err != nil || out.Warm != c.warm || (out.Exit == 0 && string(out.Stdout) != c.name) {
				t.Errorf("%s: got %q, warm %v, %v\n%s", c.name, out.Stdout, out.Warm, err, out.Stderr)
			}
			if again, err := s.Run(t.Context(), job); err != nil || again.Warm {
				t.Errorf("%s: a program served twice: %v, %v", c.name, again.Warm, err)
			}
		}
		warm()
		s.Close()
		s.Close()
		if left := spared(mark); len(left) > 0 {
			t.Errorf("Close left processes %v", left)
		}
		job := late(t, mark)
		if out := run(t, s, job); out.Warm {
			t.Error("a closed spare served")
		}
	})
}

// spared are the processes of this machine that have a word among their arguments.
func spared(word string) (pids []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(word)) {
			pids = append(pids, f)
		}
	}
	return pids
}
