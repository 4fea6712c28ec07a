package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	_ "embed"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

//go:embed testdata/probes.py
var probes string

// world is everything that the probes try to reach: made by the test, looked
// at by the test afterwards.
type world struct {
	Args     map[string]any
	outside  string // directory without a grant, holds secret and doomed
	ro, rw   string // granted
	victim   *exec.Cmd
	datagram atomic.Int32 // datagrams that arrived anywhere
	mark     string
}

const secretText = "the secret of the host"

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := realTemp(t)
	w := &world{outside: dir + "/outside", ro: dir + "/ro", rw: dir + "/rw", mark: filepath.Base(filepath.Dir(dir))}
	for _, d := range []string{w.outside, w.ro, w.rw} {
		mkdir(t, d)
	}
	if err := os.Chmod(w.rw, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{w.outside + "/secret", w.outside + "/doomed", w.ro + "/file"} {
		if err := os.WriteFile(f, []byte(secretText), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	host, _ := os.Hostname()
	w.Args = map[string]any{
		"secret": w.outside + "/secret", "doomed": w.outside + "/doomed", "outside": w.outside, "ro": w.ro, "rw": w.rw,
		"mark": w.mark, "hostname": host, "tcp6": 0,
		"abstract": w.mark + "-stream", "abstractgram": w.mark + "-gram",
	}
	listen := func(network, address string) net.Listener {
		l, err := net.Listen(network, address)
		if err != nil {
			return nil
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				fmt.Fprint(c, "banner")
				c.Close()
			}
		}()
		return l
	}
	w.Args["tcp"] = listen("tcp4", "127.0.0.1:0").Addr().(*net.TCPAddr).Port
	if l := listen("tcp6", "[::1]:0"); l != nil {
		w.Args["tcp6"] = l.Addr().(*net.TCPAddr).Port
	}
	// A short directory, for a socket's name has 107 bytes at most.
	short, err := os.MkdirTemp("/tmp", "sb") //nolint:usetesting // the path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	os.Chmod(short, 0o755)
	listen("unix", short+"/s")
	os.Chmod(short+"/s", 0o777)
	listen("unix", "@"+w.mark+"-stream")
	w.Args["unix"], w.Args["unixgram"] = short+"/s", short+"/g"
	receive := func(network, address string) net.PacketConn {
		c, err := net.ListenPacket(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		go func() {
			for b := make([]byte, 64); ; {
				if _, _, err := c.ReadFrom(b); err != nil {
					return
				}
				w.datagram.Add(1)
			}
		}()
		return c
	}
	w.Args["udp"] = receive("udp4", "127.0.0.1:0").LocalAddr().(*net.UDPAddr).Port
	receive("unixgram", short+"/g")
	os.Chmod(short+"/g", 0o777)
	receive("unixgram", "@"+w.mark+"-gram")

	w.victim = exec.Command("/proc/self/exe")
	w.victim.Env = []string{"SANDBOX_TEST_ACTOR=wait", "VICTIM_SECRET=x"}
	in, err := w.victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); w.victim.Wait() })
	w.Args["victim"] = w.victim.Process.Pid
	return w
}

func mkdir(tb testing.TB, d string) {
	tb.Helper()
	if err := os.MkdirAll(d, 0o755); err != nil {
		tb.Fatal(err)
	}
}

type answer struct{ Got, Refused string }

func (w *world) args(only ...string) []byte {
	a := map[string]any{"only": only}
	maps.Copy(a, w.Args)
	b, _ := json.Marshal(a)
	return b
}

func answers(t *testing.T, stdout, stderr []byte) map[string]answer {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(stdout), []byte("\n"))
	var got map[string]answer
	if err := json.Unmarshal(lines[len(lines)-1], &got); err != nil {
		t.Fatalf("probes did not finish: %v\n%s\n%s", err, stdout, stderr)
	}
	return got
}

// harmless probes are the positive controls: outside of a sandbox each of them
// gets what it is after, on things that the test made.
var harmless = []string{
	"net_tcp4", "net_udp", "net_listen", "unix_path", "unix_abstract", "unix_pair_path", "unix_pair_abstract", "unix_pair_raw", "net_netlink",
	"read_secret", "stat_secret", "list_outside", "read_host_program", "proc_root", "dotdot", "link_to_secret", "hard_link_secret",
	"change_outside", "remove_outside", "ro_chmod", "ro_fchmod", "ro_utime", "ro_append", "ro_through_proc", "ro_create", "ro_mmap",
	"ro_open_truncate", "ro_truncate", "ro_write", "ro_rename", "rw_socket", "inotify",
	"dev_list", "sysctl", "environment", "leaked_fds", "no_new_privs", "hostname", "other_processes", "bounding",
	"environ_victim", "mem_victim", "prlimit_victim", "renice_victim", "affinity_victim", "raw_memfd_create", "leave_group", "raw_name_to_handle_at",
}

// openProbes lists, for each driver, the probes that do get something, and why
// that is no way out. What they touched is looked at afterwards.
var openProbes = map[string]map[string]string{
	"namespaces": {
		"leave_group": "a session of its own dies with the namespace",
		"kill_all":    "reaches its own processes only",
	},
	"bubblewrap": {
		"leave_group": "a session of its own dies with the namespace",
		"kill_all":    "reaches its own processes only",
		"sysctl":      "in NotEnforced",
	},
	"container": {
		"leave_group":     "a session of its own dies with the container",
		"kill_all":        "reaches its own processes only",
		"sysctl":          "in NotEnforced",
		"dev_list":        "more names, of which Landlock lets none be opened for writing",
		"other_processes": "the relay, see TestRelayIsOutOfReach",
		"root_groups":     "where the run is root's it is root's group's, as a user without a right",
	},
	"landlock": {
		"stat_secret":    "in NotEnforced",
		"kill_all":       "reaches its own domain only",
		"change_outside": "answered with success and not done",
		"ro_chmod":       "answered with success and not done",
		"ro_fchmod":      "answered with success and not done",
		"ro_utime":       "answered with success and not done",
		"hostname":       "there is one name",
		"bounding":       "kept by ordinary users, who cannot use it under no_new_privs",
	},
}

func TestNothingGetsOut(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) { tryToGetOut(t, s, nil) })
}

// TestNothingGetsOutOfRoots has a mount that only root can read: the processes
// are root's, with no capability.
func TestNothingGetsOutOfRoots(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("for root only")
	}
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		file := realTemp(t) + "/mine"
		if err := os.WriteFile(file, []byte("roots"), 0o600); err != nil {
			t.Fatal(err)
		}
		tryToGetOut(t, s, []sandbox.Mount{ro(file)})
	})
}

func tryToGetOut(t *testing.T, s *sandbox.Sandbox, more []sandbox.Mount) {
	w := newWorld(t)
	// A descriptor that somebody forgot to keep to himself.
	leak, err := syscall.Open("/", syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leak)

	job := tool(t, probes)
	job.Files[1].Data = w.args()
	job.Mounts = append(append(job.Mounts, ro(w.ro), rw(w.rw)), more...)
	out := run(t, s, job)
	got := answers(t, out.Stdout, out.Stderr)
	if len(got) < 100 {
		t.Fatalf("only %d probes ran", len(got))
	}
	for name, a := range got {
		if a.Refused == "" && openProbes[s.Driver()][name] == "" {
			t.Errorf("%s got %s", name, a.Got)
		}
	}
	w.unharmed(t)
	if n := w.datagram.Load(); n != 0 {
		t.Errorf("%d datagrams arrived", n)
	}
}

// unharmed looks at everything that a probe could have changed.
func (w *world) unharmed(t *testing.T) {
	t.Helper()
	for _, f := range []string{w.outside + "/secret", w.outside + "/doomed", w.ro + "/file"} {
		b, err := os.ReadFile(f)
		if err != nil || string(b) != secretText {
			t.Errorf("%s holds %q, %v", f, b, err)
		}
		if info, err := os.Stat(f); err == nil && (info.Mode().Perm() != 0o644 || info.ModTime().Unix() == 1) {
			t.Errorf("%s has mode %v and time %v", f, info.Mode(), info.ModTime())
		}
	}
	for _, d := range []string{w.outside, "/", "/etc", "/usr", "/var/tmp", "/run", "/home", "/root", "/dev", "/tmp", "/dev/shm"} {
		if _, err := os.Lstat(d + "/escaped-" + w.mark); err == nil {
			t.Errorf("%s was written to", d)
		}
	}
	for _, f := range []string{"/hard", "/stolen", "/sock"} {
		if _, err := os.Lstat(w.rw + f); err == nil {
			t.Errorf("%s was made", w.rw+f)
		}
	}
	if err := w.victim.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the victim is dead: %v", err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.victim.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])); f[0] == "Z" || f[16] == "19" {
		t.Errorf("the victim is in state %s with nice %s", f[0], f[16])
	}
}

// TestProbesWork is the positive control: a probe that cannot succeed anywhere
// proves nothing when it fails in a sandbox.
func TestProbesWork(t *testing.T) {
	py, err := findPython()
	if err != nil {
		t.Skipf("no python3 on this machine: %v", err)
	}
	w := newWorld(t)
	source := w.rw + "/probes.py"
	if err := os.WriteFile(source, []byte(probes), 0o644); err != nil {
		t.Fatal(err)
	}
	leak, err := os.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	cmd := exec.Command(py.Exe, "-I", "-S", "-B", source)
	cmd.Env = []string{"SECRET=1"}
	cmd.Stdin = bytes.NewReader(w.args(harmless...))
	cmd.ExtraFiles = []*os.File{leak}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if os.Getuid() == 0 {
		// Not even a mistake in this list reaches the machine's mounts.
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	}
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	got := answers(t, stdout.Bytes(), stderr.Bytes())
	for _, name := range harmless {
		// The host may itself be a sandbox of some kind.
		if name == "no_new_privs" || name == "bounding" || name == "raw_name_to_handle_at" || name == "mem_victim" {
			continue
		}
		if a, ok := got[name]; !ok || a.Refused != "" {
			t.Errorf("%s is refused without a sandbox: %s", name, a.Refused)
		}
	}
	if w.datagram.Load() == 0 {
		t.Error("no datagram arrived")
	}
}

// TestNetworkIsInternetOnly gives the network and sees that what is no internet
// socket stays closed.
func TestNetworkIsInternetOnly(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		w := newWorld(t)
		only := []string{
			"net_tcp4", "net_udp", "net_raw", "net_ping", "net_packet", "net_netlink", "net_vsock", "net_alg", "unix_path",
			"unix_abstract", "unix_pair_path", "unix_pair_abstract", "unix_pair_raw", "unix_stream_reconnect", "io_uring", "rw_socket", "read_secret",
		}
		job := tool(t, probes)
		job.Files[1].Data = w.args(only...)
		job.Mounts = append(job.Mounts, rw(w.rw))
		job.Network = true
		out := run(t, s, job)
		for name, a := range answers(t, out.Stdout, out.Stderr) {
			if want := slices.Contains([]string{"net_tcp4", "net_udp"}, name); (a.Refused == "") != want {
				t.Errorf("%s: got %q, refused %q", name, a.Got, a.Refused)
			}
		}
	})
}

// TestWhatToolsNeed is the other side: ordinary programs must not notice.
func TestWhatToolsNeed(t *testing.T) {
	source := `
import json, os, sys, socket, subprocess, tempfile, threading, shutil, getpass, time, locale, asyncio, pathlib
a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1) == b"x"
t = threading.Thread(target=lambda: None); t.start(); t.join()
with tempfile.TemporaryDirectory() as d:
    p = pathlib.Path(d, "f"); p.write_text("x"); shutil.copy(p, p.with_name("g")); assert p.with_name("g").read_text() == "x"
    os.rename(p, p.with_name("h")); os.symlink("h", d + "/l"); os.listdir(d)
assert subprocess.run([sys.executable, "-I", "-S", "-c", "print(6*7)"], capture_output=True, text=True).stdout == "42\n"
async def main(): await asyncio.sleep(0); return 5
assert asyncio.run(main()) == 5
assert os.path.expanduser("~") == os.environ["HOME"]
open("/dev/null", "w").write("x"); assert len(open("/dev/urandom", "rb").read(8)) == 8
pid = os.fork()
if pid == 0: os._exit(3)
assert os.waitpid(pid, 0)[1] >> 8 == 3
os.kill(os.getpid(), 0)
print(json.dumps({"cwd": os.getcwd(), "tmp": tempfile.gettempdir()}))
`
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, source)
		out := run(t, s, job)
		if out.Exit != 0 {
			t.Fatalf("exit %d, signal %q\n%s", out.Exit, out.Signal, out.Stderr)
		}
		if out.Driver != s.Driver() {
			t.Errorf("driver %q, want %q", out.Driver, s.Driver())
		}
	})
}
