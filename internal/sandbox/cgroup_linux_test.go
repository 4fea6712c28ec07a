package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupMount is a line of mountinfo, as systemd's hosts have it.
const cgroupMount = "31 23 0:27 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n"

func TestOwnGroup(t *testing.T) {
	for table, want := range map[string]string{
		"0::/user.slice/user-1000.slice/session-3.scope\n": "/user.slice/user-1000.slice/session-3.scope",
		"0::/": "/",
		"9:name=systemd:/\n4:memory:/job\n0::/own\n": "/own",
		"9:name=systemd:/\n4:memory:/job\n":          "", // v1 alone
		"0::/../sibling\n":                           "", // outside of this cgroup namespace
		"0::\n":                                      "",
		"10::/x\n":                                   "",
		"":                                           "",
	} {
		if got := ownGroup([]byte(table)); got != want {
			t.Errorf("%q: got %q, want %q", table, got, want)
		}
	}
}

func TestGroupMount(t *testing.T) {
	for _, c := range []struct{ name, mounts, own, top, rest string }{
		{"systemd", cgroupMount, "/a/b", "/sys/fs/cgroup", "/a/b"},
		{"its root", cgroupMount, "/", "/sys/fs/cgroup", ""},
		{"part of it", strings.Replace(cgroupMount, " / ", " /a ", 1), "/a/b", "/sys/fs/cgroup", "/b"},
		{"exactly it", strings.Replace(cgroupMount, " / ", " /a/b ", 1), "/a/b", "/sys/fs/cgroup", ""},
		{"a space", strings.Replace(cgroupMount, "/sys/fs/cgroup", `/sys/my\040groups`, 1), "/a", "/sys/my groups", "/a"},
		{"over another", cgroupMount + strings.Replace(cgroupMount, "/sys/fs", "/mnt", 1), "/a", "/mnt/cgroup", "/a"},
	} {
		if top, rest, ok := groupMount([]byte(c.mounts), c.own); !ok || top != c.top || rest != c.rest {
			t.Errorf("%s: got %q %q %v, want %q %q", c.name, top, rest, ok, c.top, c.rest)
		}
	}
	for name, mounts := range map[string]string{
		"none":              "",
		"v1":                strings.ReplaceAll(cgroupMount, "cgroup2", "cgroup"),
		"other part":        strings.Replace(cgroupMount, " / ", " /a/bc ", 1),
		"above a namespace": strings.Replace(cgroupMount, " / ", " /.. ", 1),
		"read-only mount":   strings.Replace(cgroupMount, "rw,nosuid", "ro,nosuid", 1),
		"read-only system":  strings.Replace(cgroupMount, "rw,nsdelegate", "ro,nsdelegate", 1),
		"cut short":         cgroupMount[:40],
		"no separator":      strings.Replace(cgroupMount, " - ", " ", 1),
	} {
		if top, rest, ok := groupMount([]byte(mounts), "/a/b"); ok {
			t.Errorf("%s: got %q %q", name, top, rest)
		}
	}
}

func FuzzGroupTables(f *testing.F) {
	f.Add([]byte("9:name=systemd:/\n0::/a/b\n"), []byte(cgroupMount))
	f.Add([]byte("0::/"), []byte(`1 2 0:1 /x\040y /sys/\134040 rw - cgroup2 c rw`))
	f.Fuzz(func(t *testing.T, table, mounts []byte) {
		own := ownGroup(table)
		if own == "" {
			return
		}
		top, rest, ok := groupMount(mounts, own)
		if ok && (!cleanAbsolute(top) || rest != "" && !cleanAbsolute(rest) || !strings.HasSuffix(own, rest)) {
			t.Errorf("%q in %q leads to %q, %q", own, mounts, top, rest)
		}
	})
}

// host makes a tree of files that looks like a machine's.
func host(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestPlaces: where groups are looked for, and why nowhere. Each host differs
// from one that is accepted in one point.
func TestPlaces(t *testing.T) {
	const all = "cpuset cpu io memory hugetlb pids rdma\n"
	self := strconv.Itoa(os.Getpid()) + "\n"
	base := func(own string, files map[string]string) map[string]string {
		h := map[string]string{"proc/self/cgroup": "0::" + own + "\n", "proc/self/mountinfo": cgroupMount}
		for name, text := range files {
			h["sys/fs/cgroup"+name] = text
		}
		return h
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		root  string // what root is offered: places below /sys/fs/cgroup, "!" for one that has to be stepped out of
		user  string // what others are
	}{
		{"the root of all", base("/", map[string]string{"/cgroup.controllers": all}), "", "-"},
		{"a container of its own", base("/", map[string]string{"/cgroup.controllers": all, "/cgroup.type": "domain\n", "/cgroup.procs": self}), "!", "!"},
		{"a container with others", base("/", map[string]string{"/cgroup.controllers": all, "/cgroup.type": "domain\n", "/cgroup.procs": "1\n" + self}), "", ""},
		{"a session of systemd", base("/user/session", map[string]string{
			"/user/cgroup.type": "domain\n", "/user/session/cgroup.controllers": all, "/user/session/cgroup.type": "domain\n", "/user/session/cgroup.procs": "1\n" + self,
		}), "-", "/user/session /user"},
		{"a threaded group", base("/", map[string]string{"/cgroup.controllers": all, "/cgroup.type": "threaded\n"}), "-", "-"},
		{"an invalid group", base("/", map[string]string{"/cgroup.controllers": all, "/cgroup.type": "domain invalid\n"}), "-", "-"},
		{"a threaded root", base("/", map[string]string{"/cgroup.controllers": all, "/cgroup.type": "domain threaded\n"}), "-", "-"},
		{"no controllers", base("/", map[string]string{"/cgroup.controllers": "\n"}), "-", "-"},
		{"no such group", base("/gone (deleted)", nil), "-", "-"},
		{"v1", map[string]string{"proc/self/cgroup": "4:memory:/\n", "proc/self/mountinfo": cgroupMount}, "-", "-"},
		{"no proc", nil, "-", "-"},
	} {
		want := c.user
		if os.Getuid() == 0 {
			want = c.root
		}
		root := host(t, c.files)
		found, err := places(root)
		var got []string
		for _, p := range found {
			name := strings.TrimPrefix(p.dir, root+"/sys/fs/cgroup")
			if p.alone {
				name = "!" + name
			}
			got = append(got, name)
		}
		text := strings.Join(got, " ")
		if err != nil {
			text = "-"
		}
		if text != want {
			t.Errorf("%s: got %q (%v), want %q", c.name, text, err, want)
		}
		// What only looks like control groups is not used.
		if g, err := findGroups(root); err == nil {
			t.Errorf("%s: an ordinary folder %s served", c.name, g.dir)
		}
	}
}

// TestRememberedPlace: what was found about groups is kept for each group that
// this program was started in, and nothing that is none is believed.
func TestRememberedPlace(t *testing.T) {
	n := notes{"namespaces", []string{"/a\t", "/b\t/no/such/place", "/c\t" + t.TempDir(), "broken", ""}}
	for own, known := range map[string]bool{"/a": true, "/b": false, "/c": false, "/d": false, "broken": false, "": false} {
		if g, ok := n.place(own); g != nil || ok != known {
			t.Errorf("%q: got %v, %v", own, g, ok)
		}
	}
	file := filepath.Join(t.TempDir(), "driver")
	for range 3 {
		remember(file, "namespaces", nil)
		if n := readNotes(file); n.driver != "namespaces" || len(n.places) > 1 {
			t.Fatalf("got %+v", n)
		}
	}
	if name, g := remembered(file); name != "namespaces" || g != nil {
		t.Errorf("got %q, %v", name, g)
	}
	if err := os.WriteFile(file, []byte("namespaces\nof another boot\n/\t"), 0o600); err != nil {
		t.Fatal(err)
	}
	if name, _ := remembered(file); name != "" {
		t.Errorf("another boot's driver %q", name)
	}
}

// joined starts a process in a group, as clone3 does for a run.
func joined(r *group) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: r.fd}
}

// TestGroupOfThisKernel enters a group of this machine's cgroup v2, in
// namespaces of its own, and there does what needs no controller: start in a
// group, kill, remove, sweep.
func TestGroupOfThisKernel(t *testing.T) {
	const inside = "SANDBOX_TEST_INSIDE"
	if os.Getenv(inside) != "" {
		insideGroup(t)
		return
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	top, rest, ok := groupMount(mounts, ownGroup(table))
	if os.Getuid() != 0 || !ok {
		t.Skip("needs root and a cgroup v2 that is mounted")
	}
	g := &groups{top + rest}
	r, err := g.claim()
	if err != nil {
		t.Skipf("no group can be made: %v", err)
	}
	defer r.remove()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestGroupOfThisKernel$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = joined(r)
	cmd.SysProcAttr.Unshareflags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP
	out, err := cmd.CombinedOutput()
	t.Logf("inside:\n%s", out)
	if err != nil {
		t.Error(err)
	}
}

func insideGroup(t *testing.T) {
	t.Helper()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	if err := unix.Mount("cgroup2", top, "cgroup2", 0, ""); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Unmount(top, unix.MNT_DETACH) }()
	g := &groups{top}
	if !g.real() || (&groups{"/proc"}).real() {
		t.Error("cgroup v2 is not told from other file systems")
	}
	if _, err := places(""); err != nil {
		t.Logf("no place: %v", err)
	}
	r, err := g.claim()
	if err != nil {
		t.Fatal(err)
	}
	attr := joined(r)
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env, cmd.SysProcAttr = []string{"SANDBOX_TEST_ACTOR=wait"}, attr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", cmd.Process.Pid))
	if err != nil || ownGroup(table) != "/"+filepath.Base(r.dir) {
		t.Errorf("started in %s, want %s (%v)", table, r.dir, err)
	}
	// Another process that sweeps leaves alone what is in use.
	g.sweep()
	if !r.has("cgroup.procs") {
		t.Error("a group in use was swept")
	}
	r.kill()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("killed: %v", err)
	}
	r.remove()
	if _, err := os.Stat(r.dir); err == nil {
		t.Error("the group is still there")
	}
	// What a killed caller left, with a process that still runs, is cleared away.
	left, err := g.claim()
	if err != nil {
		t.Fatal(err)
	}
	attr = joined(left)
	cmd = exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env, cmd.SysProcAttr = []string{"SANDBOX_TEST_ACTOR=wait"}, attr
	if cmd.Stdin, err = os.Open("/dev/zero"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(left.fd) // as the death of the caller would
	keep := filepath.Join(top, "keep")
	if err := os.Mkdir(keep, 0o755); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	g.sweep()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("a process in a group that was left lives on")
	}
	if _, err := os.Stat(left.dir); err == nil {
		t.Error("a group that was left is still there")
	}
	if err := os.Remove(keep); err != nil {
		t.Errorf("a group of somebody else's: %v", err)
	}
}

// BenchmarkGroup is what a group costs a run, limits aside.
func BenchmarkGroup(b *testing.B) {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	table, _ := os.ReadFile("/proc/self/cgroup")
	top, rest, ok := groupMount(mounts, ownGroup(table))
	g := &groups{top + rest}
	if r, err := g.claim(); !ok || err != nil {
		b.Skip("no group can be made here")
	} else {
		r.remove()
	}
	b.Run("none", func(b *testing.B) {
		for b.Loop() {
			_, _ = remembered("")
			_, _ = os.ReadFile("/proc/self/cgroup")
		}
	})
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			r, err := g.claim()
			if err != nil {
				b.Fatal(err)
			}
			_ = r.limit(Limits{Memory: 1 << 30, Processes: 64})
			r.kill()
			_, _ = r.tally()
			r.remove()
		}
	})
}
