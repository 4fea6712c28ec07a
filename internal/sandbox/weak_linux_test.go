package sandbox

import (
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
)

// This file is about a bwrap that does less than it is told. The test binary,
// copied, is that program: it spoils one word of its command line and becomes
// the real one.

// init is before the tests' own main, as nothing else tells the copy apart.
func init() {
	if os.Args[0] != "bwrap" {
		return
	}
	exe, err := os.Readlink(self)
	if err != nil {
		os.Exit(9)
	}
	how, err := os.ReadFile(exe + ".how")
	if err != nil {
		os.Exit(9)
	}
	argv, ok := weaken(string(how), os.Args)
	if !ok {
		os.Exit(9)
	}
	_ = syscall.Exec("/usr/bin/bwrap", argv, os.Environ())
	os.Exit(9)
}

// weaken is the command line of a bwrap with a fault.
func weaken(how string, argv []string) (_ []string, ok bool) {
	argv = slices.Clone(argv)
	drop := func(word string, n int) {
		if i := slices.Index(argv, word); i >= 0 {
			argv, ok = slices.Delete(argv, i, i+n), true
		}
	}
	at := func(target string) int { return slices.Index(argv, target) - 2 }
	switch how {
	case "none":
		return argv, true
	case "net":
		drop("--unshare-net", 1)
	case "ipc":
		drop("--unshare-ipc", 1)
	case "uts":
		drop("--unshare-uts", 1)
		drop("--hostname", 2)
	case "pid":
		drop("--unshare-pid", 1)
		drop("--as-pid-1", 1)
	case "root":
		drop("--remount-ro", 2)
	case "size":
		drop("--size", 2)
	case "write":
		argv[at("/data")], ok = "--bind-fd", true
	case "other":
		i := at("/data")
		argv[i], argv[i+1], ok = "--ro-bind", "/etc", true
	case "missing":
		i := at("/data")
		argv, ok = slices.Delete(argv, i, i+3), true
	case "unknown":
		return []string{"bwrap", "--nonsense"}, true
	}
	return argv, ok
}

func TestWeakBwrap(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("for root only: nobody else can make what is root's")
	}
	if err := rehearse(t.Context(), bubblewrap{}, nil, Job{}); err != nil {
		t.Skipf("bubblewrap does not work here: %v", err)
	}
	dir := t.TempDir()
	for d := dir; d != "/tmp" && d != "/"; d = d[:max(1, strings.LastIndexByte(d, '/'))] {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	copyOf(t, dir+"/bwrap")
	if err := os.Mkdir(dir+"/data", 0o755); err != nil {
		t.Fatal(err)
	}
	job, err := Job{
		Argv: []string{"/usr/bin/true"}, Mounts: append(HostLibraries(), Mount{Source: "/usr/bin/true", Target: "/usr/bin/true"}, Mount{Source: dir + "/data", Target: "/data"}),
	}.checked()
	if err != nil {
		t.Fatal(err)
	}
	s := &Sandbox{opts: Options{Now: time.Now}}
	for how, want := range map[string]struct{ reason, says string }{
		"none":    {"", ""},
		"net":     {"sandbox_unavailable", "the net namespace is the host's"},
		"ipc":     {"sandbox_unavailable", "the ipc namespace is the host's"},
		"uts":     {"sandbox_unavailable", "the uts namespace is the host's"},
		"pid":     {"sandbox_unavailable", "the pid namespace is the host's"},
		"root":    {"sandbox_unavailable", "the root can be written"},
		"size":    {"sandbox_unavailable", "the scratch has no bound"},
		"write":   {"sandbox_unavailable", "/data can be written"},
		"other":   {"mount_source", "/data"},
		"missing": {"mount_source", "/data"},
		"unknown": {"sandbox_unavailable", "bwrap says"},
		"?":       {"sandbox_setup", "ended before the tool started"},
	} {
		if err := os.WriteFile(dir+"/bwrap.how", []byte(how), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := s.run(t.Context(), bubblewrap{place: dir}, nil, job)
		if fault.ReasonOf(err) != want.reason || (err == nil) != (want.reason == "") || (err != nil && !strings.Contains(err.Error(), want.says)) {
			t.Errorf("%s: %v, want %s: %s", how, err, want.reason, want.says)
		}
		if (err == nil) != (out.Exit == 0) {
			t.Errorf("%s: exit %d", how, out.Exit)
		}
	}
}

func copyOf(t *testing.T, to string) {
	t.Helper()
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err == nil {
		_, err = io.Copy(f, from)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
