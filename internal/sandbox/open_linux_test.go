package sandbox_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestNotEnforcedIsTrue tries each sentence that a driver says about itself:
// what it says is open is open there, and closed where nobody says so.
func TestNotEnforcedIsTrue(t *testing.T) {
	claims := map[string]struct {
		source string
		open   string   // what the tool prints where it is open
		whose  []string // who says so
	}{
		"hidden paths: that a host file exists": {"import os\nprint(os.path.exists('HIDDEN'))", "True", []string{"landlock"}},
		"scratch: its size is limited, the number of its files is not": {
			"import os\nn=0\ntry:\n  for n in range(12000): open(os.environ['TMPDIR']+'/%d'%n,'w').close()\nexcept OSError: pass\nprint(n == 11999)", "True", []string{"bubblewrap", "landlock"},
		},
		"machine: /proc": {"import os\ntry: print(len(open('/proc/cpuinfo').read()) > 0)\nexcept OSError: print('no')", "True", []string{"bubblewrap", "container"}},
		"scratch: /dev/shm has 1 MiB of its own": {
			"import os\nif not os.path.isdir('/dev/shm'): print('no')\nelse:\n  s=os.statvfs('/dev/shm'); print(s.f_blocks*s.f_frsize == 1<<20)", "True", []string{"container"},
		},
		"scratch: each file is limited, their sum is not": {
			"import os\nn=0\ntry:\n  for i in range(6):\n    with open(os.environ['TMPDIR']+'/%d'%i,'wb',buffering=0) as f: n+=f.write(b'x'*(2<<20))\nexcept OSError: pass\nprint(n == 12<<20)", "True", []string{"landlock"},
		},
	}
	hidden := openTemp(t)
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		for claim, c := range claims {
			// In the text, for as an argument it would be moved to the scratch.
			job := tool(t, strings.ReplaceAll(c.source, "HIDDEN", hidden))
			job.Limits.Scratch = 8 << 20
			out := run(t, s, job)
			if out.Exit != 0 {
				t.Fatalf("%s: %+v\n%s", claim, out, out.Stderr)
			}
			open := strings.TrimSpace(string(out.Stdout)) == c.open
			podman := slices.Contains(out.NotEnforced, "scratch: podman limits its size, and not the number of its files")
			want := slices.Contains(c.whose, s.Driver()) || podman && strings.HasPrefix(claim, "scratch: its size")
			if open != want {
				t.Errorf("%s: open %v, want %v (%s)", claim, open, want, out.Stdout)
			}
			said := slices.ContainsFunc(out.NotEnforced, func(n string) bool { return strings.HasPrefix(n, claim) })
			if said && !open {
				t.Errorf("it says %q, and that is closed", claim)
			}
		}
	})
}

// TestBurstOfProcesses: how far beyond the limit a tool comes is what the
// driver says.
func TestBurstOfProcesses(t *testing.T) {
	most := map[string]int{"namespaces": 20, "bubblewrap": 20, "landlock": 80, "container": 20 + 32}
	if os.Getuid() == 0 {
		if _, err := os.Stat(tool(t, "").Argv[0]); err != nil {
			t.Skip(err)
		}
	}
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, bomb)
		job.Argv = append(job.Argv, "0")
		job.Limits.Processes = 20
		// Landlock's limit counts all processes of the user: what others have at
		// the start is room for the tool as soon as they end. Those that come
		// between our look and the driver's are few, and do not come three times.
		for try := 0; ; try++ {
			admitted := most[s.Driver()]
			if s.Driver() == "landlock" {
				admitted += sandbox.TasksOfTools()
			}
			out := run(t, s, job)
			if out.Signal != "" || number(t, out) <= admitted {
				return
			}
			if try == 2 || s.Driver() != "landlock" {
				t.Errorf("%s processes, at most %d are admitted", out.Stdout, admitted)
				return
			}
		}
	})
}

// TestBwrapGetsNoDescriptors looks at bwrap while it runs: whatever this
// process was started with and did not mean to hand on.
func TestBwrapGetsNoDescriptors(t *testing.T) {
	s := needs(t, "bubblewrap")
	dir := openTemp(t)
	leak, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY, 0) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leak)
	job := tool(t, "import os,time,sys\nprint(os.listdir('/proc/self/fd'), flush=True)\nopen(sys.argv[1]+'/began','w').close()\nwhile not os.path.exists(sys.argv[1]+'/looked'): time.sleep(0.01)")
	job.Argv = append(job.Argv, dir)
	job.Mounts = append(job.Mounts, rw(dir))
	job.Limits.Wall = 5 * time.Second
	found := make(chan string, 1)
	go func() {
		defer func() { _ = os.WriteFile(dir+"/looked", nil, 0o600) }()
		for !began(dir + "/began") {
			time.Sleep(5 * time.Millisecond)
		}
		seen := 0
		for _, proc := range spared(dir) {
			fds, _ := filepath.Glob(filepath.Dir(proc) + "/fd/*")
			for _, fd := range fds {
				to, err := os.Readlink(fd)
				if err == nil && proc != "/proc/"+fmt.Sprint(os.Getpid())+"/cmdline" {
					if seen++; to == dir {
						found <- proc
						return
					}
				}
			}
		}
		found <- fmt.Sprint("seen ", seen > 0)
	}()
	out := run(t, s, job)
	if got := <-found; got != "seen true" {
		t.Errorf("got %s", got)
	}
	if !bytes.Contains(out.Stdout, []byte("['0', '1', '2', '3']")) { // and the one that lists
		t.Errorf("the tool has %s", out.Stdout)
	}
}

// TestRelayIsOutOfReach: process 1 of a container is the tool's own user and
// carries its words out. It cannot be read, changed, or ended.
func TestRelayIsOutOfReach(t *testing.T) {
	s := needs(t, "container")
	if !demanded("container") {
		t.Skip("PATCH_GIT_TEST_DRIVERS does not name it")
	}
	out := run(t, s, tool(t, `
import ctypes, os, signal
got = []
for f in ("fd", "fdinfo", "mem", "environ", "maps", "cwd", "root", "exe", "task/1/mem"):
    try:
        p = "/proc/1/" + f
        got.append((f, os.listdir(p) if f.startswith("fd") else os.readlink(p) if f in ("cwd", "root", "exe") else open(p, "rb").read(1)))
    except OSError: pass
for s in range(1, 65):
    try: os.kill(1, s)
    except OSError: pass
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(16, 1, 0, 0) == 0: got.append("ptrace")
print("S", end="", flush=True)
os.write(1, b"\x53\0\0\0\x01f\x58\0\0\0\0")
print(got)
`))
	if want := "S\x53\x00\x00\x00\x01f\x58\x00\x00\x00\x00[]\n"; string(out.Stdout) != want || out.Exit != 0 {
		t.Errorf("exit %d, %s: got %q\n%s", out.Exit, out.Signal, out.Stdout, out.Stderr)
	}
}
