package sandbox_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// python is the interpreter of all tests: where it is and what it needs.
type python struct {
	Exe    string
	Mounts []sandbox.Mount
}

// findPython looks for an interpreter that an ordinary user can reach, the
// distribution's own first.
var findPython = sync.OnceValues(func() (python, error) {
	var last error
	for _, name := range []string{"/usr/bin/python3", "/usr/local/bin/python3", "python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			last = err
			continue
		}
		out, err := exec.Command(path, "-I", "-c",
			"import sys,json,os,sysconfig;print(json.dumps([os.path.realpath(sys.executable),sysconfig.get_path('stdlib'),sys.base_prefix]))").Output()
		if err != nil {
			last = err
			continue
		}
		var found [3]string
		if err := json.Unmarshal(out, &found); err != nil {
			last = err
			continue
		}
		mounts := []sandbox.Mount{ro(found[0])}
		if lib, err := filepath.EvalSymlinks(found[1]); err == nil {
			mounts = append(mounts, ro(lib))
		}
		mounts = append(mounts, sandbox.HostLibraries()...)
		if so, _ := filepath.Glob(found[2] + "/lib/libpython*.so*"); !strings.HasPrefix(found[2], "/usr") || found[2] == "/usr/local" {
			for _, f := range so {
				if real, err := filepath.EvalSymlinks(f); err == nil {
					mounts = append(mounts, sandbox.Mount{Source: real, Target: f})
				}
			}
		}
		return python{found[0], mounts}, nil
	}
	return python{}, last
})

func ro(p string) sandbox.Mount { return sandbox.Mount{Source: p, Target: p} }
func rw(p string) sandbox.Mount { return sandbox.Mount{Source: p, Target: p, Write: true} }

// tool is a job that runs Python source as the product does: the source in
// /tmp/tool.py, its arguments on standard input from /tmp/args.json.
func tool(tb testing.TB, source string) sandbox.Job {
	tb.Helper()
	py, err := findPython()
	if err != nil {
		tb.Skipf("no python3 on this machine: %v", err)
	}
	return sandbox.Job{
		Argv:      []string{py.Exe, "-I", "-S", "-B", "/tmp/tool.py"},
		Env:       []string{"PATH=/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8"},
		Mounts:    append([]sandbox.Mount(nil), py.Mounts...),
		StdinFile: "/tmp/args.json",
		Files: []sandbox.File{
			{Target: "/tmp/tool.py", Data: []byte(source)},
			{Target: "/tmp/args.json", Data: []byte("{}")},
		},
		Limits: sandbox.Limits{Wall: 20 * time.Second},
	}
}

func open(tb testing.TB, driver string) *sandbox.Sandbox {
	tb.Helper()
	elsewhere(tb, driver)
	s, err := sandbox.Open(tb.Context(), sandbox.Options{Now: time.Now, Driver: driver, Temp: realTemp(tb)})
	if err != nil {
		tb.Fatalf("open %s: %v", driver, err)
	}
	return s
}

func run(tb testing.TB, s *sandbox.Sandbox, j sandbox.Job) sandbox.Outcome {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	out, err := s.Run(ctx, j)
	if err != nil {
		tb.Fatalf("run: %v", err)
	}
	return out
}

// realTemp is a directory of the test that others can pass through, without
// a link on its way.
func realTemp(tb testing.TB) string {
	tb.Helper()
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	for _, p := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(p, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func mkdir(tb testing.TB, d string) {
	tb.Helper()
	if err := os.MkdirAll(d, 0o755); err != nil {
		tb.Fatal(err)
	}
}
