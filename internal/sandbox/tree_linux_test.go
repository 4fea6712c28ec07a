package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// watched tells that a run had no control group: its tree was watched.
func watched(t *testing.T, out sandbox.Outcome) bool {
	t.Helper()
	w := slices.ContainsFunc(out.NotEnforced, func(n string) bool { return strings.HasPrefix(n, "memory: ") })
	if want := os.Getenv("SANDBOX_TEST_GROUPS"); want == "yes" && w || want == "no" && !w {
		t.Errorf("watched %v, and control groups were to be used: %s", w, want)
	}
	return w
}

// crowd starts children that hold memory each, and waits.
const crowd = `
import os, sys, time
children, mib, pause = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
go, ready = os.pipe(), os.pipe()
for i in range(children):
    if os.fork() == 0:
        os.close(go[1]); os.read(go[0], 1)
        block = bytearray(os.urandom(1)) * (mib << 20)
        os.write(ready[1], b'x')
        time.sleep(60); os._exit(0)
os.close(go[1])
held = 0
while held < children: held += len(os.read(ready[0], children))
time.sleep(pause)
print('held')
`

// TestSumOfChildren: each stays below what one process may have; together they
// do not. A control group ends them at once, however short the burst is.
func TestSumOfChildren(t *testing.T) {
	if raced {
		t.Skip("the race detector's own memory does not fit into the limits")
	}
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		for _, c := range []struct {
			name     string
			children int
			over     bool
		}{{"over the limit", 6, true}, {"just below it", 3, false}} {
			job := tool(t, crowd)
			job.Argv = append(job.Argv, strconv.Itoa(c.children), "64", "0.3")
			job.Limits.Memory = 256 * mib
			out := run(t, s, job)
			if out.OutOfMemory != c.over || (out.Exit == 0) == c.over || out.TimedOut || c.over && out.Signal != "SIGKILL" {
				t.Errorf("%s: %+v\n%s", c.name, out, out.Stderr)
			}
			if watched(t, out) || !c.over {
				continue
			}
			// The same, over as soon as it is reached: too short for a watch.
			job.Argv[len(job.Argv)-1] = "0"
			if out := run(t, s, job); !out.OutOfMemory || out.Signal != "SIGKILL" || len(out.Stdout) > 0 {
				t.Errorf("a burst: %+v", out)
			}
		}
	})
}

// TestScratchIsMemory: what lies in the scratch of the namespaces driver is
// memory too, and a control group counts it.
func TestScratchIsMemory(t *testing.T) {
	if raced {
		t.Skip("the race detector's own memory does not fit into the limits")
	}
	s := open(t, "")
	for _, c := range []struct {
		name string
		mib  int
		over bool
	}{{"over", 192, true}, {"below", 64, false}} {
		job := tool(t, "import os\nb=bytes(1<<20)\nf=open('/dev/shm/x','wb',buffering=0)\nfor i in range("+strconv.Itoa(c.mib)+"): f.write(b)\nprint('written')")
		job.Limits.Memory, job.Limits.Scratch, job.Limits.FileSize = 128*mib, 512*mib, 512*mib
		out := run(t, s, job)
		if out.Driver != "namespaces" || watched(t, out) {
			t.Skip("this host's tree is watched, and the scratch bounded for itself")
		}
		if out.OutOfMemory != c.over || (string(out.Stdout) == "written\n") == c.over {
			t.Errorf("%s: %+v\n%s", c.name, out, out.Stderr)
		}
	}
}

// TestThreadsAreBounded: threads count as processes.
func TestThreadsAreBounded(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		source := `
import threading, sys, time
stop, n = threading.Event(), 0
try:
    for i in range(int(sys.argv[1])):
        threading.Thread(target=stop.wait).start(); n += 1
except RuntimeError: pass
time.sleep(0.3)
stop.set()
print(n)
`
		job := tool(t, source)
		job.Limits.Processes = 20
		job.Argv = append(job.Argv, "200")
		out := run(t, s, job)
		if !out.TooManyProcesses || out.Signal == "" && number(t, out) >= 20 {
			t.Errorf("over: %+v\n%s", out, out.Stderr)
		}
		job.Argv[len(job.Argv)-1] = "18"
		if out = run(t, s, job); out.TooManyProcesses || number(t, out) != 18 {
			t.Errorf("just below: %+v\n%s", out, out.Stderr)
		}
	})
}

// TestShortBomb: a bomb that is over before anybody looks meets the limit of
// a control group all the same, and the outcome tells.
func TestShortBomb(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		for _, kind := range []string{"anybody's", "root's"} {
			job := tool(t, bomb)
			if kind == "root's" {
				dir := realTemp(t)
				if os.Getuid() != 0 {
					continue
				}
				if err := os.WriteFile(dir+"/mine", nil, 0o600); err != nil {
					t.Fatal(err)
				}
				job.Mounts = append(job.Mounts, ro(dir+"/mine"))
			}
			job.Argv = append(job.Argv, "0")
			job.Limits.Processes = 20
			out := run(t, s, job)
			if watched(t, out) {
				t.Skip("this host's tree is watched")
			}
			if !out.TooManyProcesses || out.Signal != "" || number(t, out) != 19 {
				t.Errorf("%s: %+v\n%s", kind, out, out.Stderr)
			}
		}
	})
}

// groupOf is where a driver's runs get their control groups here, "" for nowhere.
func groupOf(t *testing.T, driver string) string {
	t.Helper()
	for _, r := range sandbox.Probe(t.Context(), sandbox.Options{Now: time.Now, Driver: driver}) {
		if r.Name == driver {
			return r.Group
		}
	}
	return ""
}

// TestGroupsAreGone: a run removes its group, and the next caller that of one
// who was killed.
func TestGroupsAreGone(t *testing.T) {
	for _, driver := range []string{"namespaces", "landlock"} {
		dir := groupOf(t, driver)
		if dir == "" {
			t.Logf("%s: this host's tree is watched", driver)
			continue
		}
		left := func(pid int) []string {
			names, _ := filepath.Glob(filepath.Join(dir, "patch-git-"+strconv.Itoa(pid)+"-*"))
			return names
		}
		s := open(t, driver)
		if out := run(t, s, tool(t, "print(1)")); watched(t, out) || len(left(os.Getpid())) != 0 {
			t.Errorf("left behind: %v", left(os.Getpid()))
		}
		home := openTemp(t)
		mark := filepath.Join(home, "began")
		job := tool(t, "import time,sys\nopen(sys.argv[1],'w').close()\ntime.sleep(60)")
		job.Argv = append(job.Argv, mark)
		job.Mounts = append(job.Mounts, rw(home))
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
		cmd.Env = []string{"SANDBOX_TEST_ACTOR=run", "DRIVER=" + driver, "JOB=" + jobText(t, job)}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for i := 0; !began(mark); i++ {
			if i == 2000 {
				t.Fatal("the tool did not start")
			}
			time.Sleep(10 * time.Millisecond)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if len(left(cmd.Process.Pid)) != 1 {
			t.Errorf("%s: a killed caller left %v, want its group", driver, left(cmd.Process.Pid))
		}
		_ = open(t, driver)
		if names := left(cmd.Process.Pid); len(names) != 0 {
			t.Errorf("%s: nobody cleared away %v", driver, names)
		}
		if pids := spared(mark); len(pids) != 0 {
			t.Errorf("%s: %v live on", driver, pids)
		}
	}
}

// TestResultAndTextAgree: what docs/sandbox.md says of the watch is said of a
// run where it is true.
func TestResultAndTextAgree(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		out := run(t, s, tool(t, "print(1)"))
		if grouped := groupOf(t, s.Driver()) != ""; watched(t, out) == grouped {
			t.Errorf("a control group %v, and the run says %q", grouped, out.NotEnforced)
		}
		for _, n := range out.NotEnforced {
			if strings.Contains(n, "burst") && !watched(t, out) {
				t.Errorf("in a control group no burst exceeds a limit: %q", n)
			}
		}
	})
}
