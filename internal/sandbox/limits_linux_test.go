package sandbox_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

const mib = 1 << 20

func number(t *testing.T, out sandbox.Outcome) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(string(out.Stdout)))
	if err != nil {
		t.Fatalf("no number: %+v\n%s\n%s", out, out.Stdout, out.Stderr)
	}
	return n
}

func TestOutputIsBounded(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, "import sys\nwhile True: sys.stdout.write('x' * 65536)")
		job.Limits.Stdout = 100_000
		out := run(t, s, job)
		if len(out.Stdout) != 100_000 || !out.StdoutCut || out.TimedOut || out.Signal != "SIGKILL" {
			t.Errorf("%d bytes, cut %v, %+v", len(out.Stdout), out.StdoutCut, out.Signal)
		}
		// The twin stays just below.
		job = tool(t, "import sys\nsys.stdout.write('x' * 100000)")
		job.Limits.Stdout = 100_000
		if out = run(t, s, job); len(out.Stdout) != 100_000 || out.StdoutCut || out.Exit != 0 {
			t.Errorf("%d bytes, cut %v, exit %d", len(out.Stdout), out.StdoutCut, out.Exit)
		}
		// Standard error never ends a run, and its end is kept.
		job = tool(t, "import sys\nfor i in range(100): sys.stderr.write('y' * 65536)\nsys.stderr.write('the end')\nprint('ok')")
		job.Limits.Stderr = 100_000
		out = run(t, s, job)
		if len(out.Stderr) != 100_000 || !out.StderrCut || !strings.HasSuffix(string(out.Stderr), "the end") || string(out.Stdout) != "ok\n" {
			t.Errorf("%d bytes, cut %v, %q", len(out.Stderr), out.StderrCut, out.Stdout)
		}
	})
}

// bomb forks until it may not, up to a few hundred, and says how far it came.
// Children only sleep, and die with the run.
const bomb = `
import os, time, sys
n = 0
for n in range(300):
    try: pid = os.fork()
    except OSError: break
    if pid == 0:
        time.sleep(60); os._exit(0)
print(n, flush=True)
time.sleep(float(sys.argv[1]))
`

func TestForkBombIsBounded(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, bomb)
		job.Argv = append(job.Argv, "0.3")
		job.Limits.Processes = 20
		out := run(t, s, job)
		if !out.TooManyProcesses {
			t.Errorf("not noticed: %+v\n%s", out, out.Stderr)
		}
		// Either the kernel stopped it at the limit, or the count ended the run.
		if out.Signal == "" && number(t, out) >= 20 {
			t.Errorf("%s processes started", out.Stdout)
		}
		job.Argv[len(job.Argv)-1] = "0"
		job.Files[0].Data = []byte("import os\nfor i in range(10):\n  p=os.fork()\n  if p==0: os._exit(0)\n  os.waitpid(p,0)\nprint('ok')")
		if out = run(t, s, job); out.TooManyProcesses || string(out.Stdout) != "ok\n" {
			t.Errorf("ten children one by one: %+v\n%s", out, out.Stderr)
		}
	})
}

// TestForkBombOfRoot has a mount that only root can read, so that processes
// are root's, whom the kernel does not count.
func TestForkBombOfRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("for root only")
	}
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir := realTemp(t)
		if err := os.WriteFile(dir+"/mine", []byte("roots"), 0o600); err != nil {
			t.Fatal(err)
		}
		job := tool(t, strings.Replace(bomb, "import os", "import os\nassert open('"+dir+"/mine').read() == 'roots'\nimport os", 1))
		job.Argv = append(job.Argv, "5")
		job.Mounts = append(job.Mounts, ro(dir+"/mine"))
		job.Limits.Processes = 20
		out := run(t, s, job)
		// The watch ends such a run; in a control group the kernel refuses.
		// A container's limit has room for the relay, so there the watch is first.
		if !out.TooManyProcesses || (watched(t, out) || s.Driver() == "container") != (out.Signal == "SIGKILL") || out.TimedOut || out.Signal == "" && number(t, out) != 19 {
			t.Errorf("got %+v\n%s", out, out.Stderr)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	if raced {
		t.Skip("the helper is this binary, and the race detector's own memory does not fit into the limits")
	}
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, "a=[]\ntry:\n  while True: a.append(bytearray(16<<20))\nexcept MemoryError: n=len(a)*16; a=None; print(n)")
		job.Limits.Memory = 256 * mib
		if n := number(t, run(t, s, job)); n < 64 || n > 256 {
			t.Errorf("one process got %d MiB of 256", n)
		}
		// Each child stays below what one process may have.
		job = tool(t, "import os,time\nfor i in range(8):\n  if os.fork()==0:\n    x=bytearray(os.urandom(1))*(100<<20); time.sleep(60); os._exit(0)\ntime.sleep(60)")
		job.Limits.Memory = 256 * mib
		out := run(t, s, job)
		if !out.OutOfMemory || out.TimedOut || out.Signal != "SIGKILL" {
			t.Errorf("children together: %+v\n%s", out, out.Stderr)
		}
		// The twin shares its memory with its children, so it is held once.
		job = tool(t, "import os,time\nx=bytearray(os.urandom(1))*(100<<20)\nfor i in range(8):\n  if os.fork()==0: time.sleep(60); os._exit(0)\ntime.sleep(0.3); print('ok')")
		job.Limits.Memory = 256 * mib
		if out = run(t, s, job); out.OutOfMemory || string(out.Stdout) != "ok\n" {
			t.Errorf("shared memory: %+v\n%s", out, out.Stderr)
		}
	})
}

func TestFilesAreBounded(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		fill := `
import os, sys
t, n = os.environ["TMPDIR"], 0
block = b"x" * (1 << 20)
try:
    for i in range(int(sys.argv[1])):
        with open(t + "/fill%d" % i, "wb", buffering=0) as f:
            for k in range(12):
                n += f.write(block)
except OSError: pass
print(n >> 10)
`
		job := tool(t, fill)
		job.Argv = append(job.Argv, "1")
		job.Limits.FileSize = 4 * mib
		if n := number(t, run(t, s, job)); n != 4096 {
			t.Errorf("one file got %d KiB, want 4096", n)
		}
		if s.Driver() != "namespaces" {
			return // in NotEnforced
		}
		job.Argv[len(job.Argv)-1] = "5"
		job.Limits.FileSize, job.Limits.Scratch = 0, 8*mib
		if n := number(t, run(t, s, job)); n < 8<<10 || n > 10<<10 {
			t.Errorf("the scratch took %d KiB, want 8192", n)
		}
		job.Env = append(job.Env[:0:0], "TMPDIR=/dev/shm")
		if n := number(t, run(t, s, job)); n < 8<<10 || n > 10<<10 {
			t.Errorf("/dev/shm took %d KiB, want 8192", n)
		}
	})
}

func TestProcessorTimeIsBounded(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, "while True: pass")
		job.Limits.CPU = time.Second
		out := run(t, s, job)
		if !out.TimedOut || out.Signal != "SIGKILL" {
			t.Errorf("got %+v", out)
		}
	})
}

func TestOpenFilesAreBounded(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, "import os\nn=0\ntry:\n  while True: os.dup(0); n+=1\nexcept OSError: print(n)")
		job.Limits.OpenFiles = 40
		if n := number(t, run(t, s, job)); n > 40 || n < 30 {
			t.Errorf("%d descriptors of 40", n)
		}
	})
}
