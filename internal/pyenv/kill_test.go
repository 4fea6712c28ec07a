package pyenv

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/ledger"
)

// victimVariable makes this test's program an installer that kills itself.
const victimVariable = "PYENV_TEST_VICTIM"

// victim is what the installer is told.
type victim struct {
	Root, Mirror string
	Step         int // the sign of life after which it dies
	Python       Interpreter
	Closure      ledger.Closure

	Build          *standalone.Build // to install this interpreter in place of packages
	Facts, Archive string            // to unpack this one, as if it were embedded
}

// beVictim installs, and ends by its own SIGKILL at the given sign of life,
// with files open and half written.
func beVictim(text string) error {
	var v victim
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return err
	}
	ctx := context.Background()
	if v.Python.Path == "" && v.Build == nil && v.Archive == "" {
		return v.fetch(ctx)
	}
	s, err := sandbox.Open(ctx, sandbox.Options{Now: time.Now})
	if err != nil {
		return err
	}
	var signs atomic.Int64 // they come from several goroutines
	sign := func() {
		if signs.Add(1) == int64(v.Step) {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
	}
	h := &host.Host{
		Getenv: func(string) string { return "" }, Now: time.Now, GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		Paths: paths.Paths{Root: v.Root}, HTTP: func() *http.Client { return http.DefaultClient },
	}
	if v.Build != nil || v.Archive != "" {
		return v.download(ctx, h, s, sign)
	}
	_, err = New(h, signing{s, sign}).Install(ctx, &v.Python, &v.Closure, InstallOptions{
		Mirrors: []string{v.Mirror}, Progress: func(Progress) { sign() },
	})
	sign() // after the last rename
	return err
}

// fetch fetches the one wheel of the closure without installing it.
func (v victim) fetch(ctx context.Context) error {
	signs := 0
	f := &fetcher{client: calm(http.DefaultClient), own: calm(http.DefaultClient), dir: v.Root, told: func(Progress) {
		if signs++; signs == v.Step {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
	}}
	file, err := f.one(ctx, v.Closure.Targets[""][0])
	if err == nil {
		err = file.Close()
	}
	return err
}

// signing gives a sign of life around every job.
type signing struct {
	Box
	sign func()
}

func (s signing) Run(ctx context.Context, job sandbox.Job) (sandbox.Outcome, error) {
	s.sign()
	defer s.sign()
	return s.Box.Run(ctx, job)
}

// Killed at any of its steps, an installation leaves nothing that the next one
// takes for finished, and the next one succeeds.
func TestKilled(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	c := newCellar(t)
	closure := closureFor(in,
		c.add("a", member{name: "a.py", data: "VALUE = 1\n"}, member{name: "pkg/__init__.py", data: strings.Repeat("x = 1\n", 20_000)}),
		c.add("b", member{name: "b.py", data: "VALUE = 41\n"}))
	finished := false
	for step := 1; !finished; step++ {
		if step > 40 {
			t.Fatal("the installation never came to its end")
		}
		p := New(testHost(t, nil), p.box)
		finished = kill(t, victim{Root: p.host.Paths.Root, Mirror: c.URL, Step: step, Python: *in, Closure: *closure}) == nil
		env, err := p.Install(t.Context(), in, closure, InstallOptions{Mirrors: []string{c.URL}})
		if err != nil {
			t.Fatalf("step %d: got %v after a kill, want the installation to succeed", step, err)
		}
		got, _ := filepath.Glob(filepath.Join(env.Dir, "__pycache__", "*.pyc"))
		more, _ := filepath.Glob(filepath.Join(env.Dir, "pkg", "__pycache__", "*.pyc"))
		if len(got)+len(more) != 3 {
			t.Errorf("step %d: got %v %v, want three modules compiled", step, got, more)
		}
	}
}

// What the file system refuses is neither the release's nor the network's
// fault.
func TestInstallWithoutStore(t *testing.T) {
	p := New(testHost(t, nil), noBox{t})
	in := &Interpreter{Version: "3.12.1", Target: "linux-x86_64-glibc2.36"}
	c := newCellar(t)
	closure := closureFor(in, c.add("a", member{name: "a.py"}))
	if err := os.MkdirAll(p.host.Paths.Cache(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.host.Paths.Cache(), "wheels"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := p.Install(t.Context(), in, closure, InstallOptions{Mirrors: []string{c.URL}})
	if err == nil || fault.KindOf(err) == fault.NotVerified || fault.ReasonOf(err) == "wheel_download" {
		t.Errorf("got %v (%v %s), want a fault of the disk", err, fault.KindOf(err), fault.ReasonOf(err))
	}
	err = explain(fmt.Errorf("unpack wheel: %w", &os.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}))
	if fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "store" {
		t.Errorf("full disk: got %v (%v), want unavailable", err, fault.KindOf(err))
	}
}
