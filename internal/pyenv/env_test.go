package pyenv

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// cellar is a mirror on loopback and a closure of wheels that it serves.
type cellar struct {
	*httptest.Server
	mu     sync.Mutex
	wheels map[string][]byte // by path; a client that was killed may still be served
	hits   atomic.Int64
	handle func(w http.ResponseWriter, r *http.Request, wheel []byte) // nil: just serve
}

func newCellar(tb testing.TB) *cellar {
	tb.Helper()
	c := &cellar{wheels: map[string][]byte{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.hits.Add(1)
		c.mu.Lock()
		wheel, ok := c.wheels[r.URL.Path]
		c.mu.Unlock()
		switch {
		case !ok:
			http.NotFound(w, r)
		case c.handle != nil:
			c.handle(w, r, wheel)
		default:
			_, _ = w.Write(wheel)
		}
	}))
	tb.Cleanup(c.Close)
	return c
}

// add makes the mirror serve a wheel and returns its line of a closure. The
// address in it answers nothing, so that only the mirror can have served.
func (c *cellar) add(name string, members ...member) ledger.Wheel {
	b := wheelOf(members...).bytes()
	w := ledger.Wheel{
		Name: name, Version: "1", File: name + "-1-py3-none-any.whl", SHA256: spec.DigestOf(b), Size: int64(len(b)),
		URL: "https://127.0.0.1:1/" + name,
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wheels["/"+w.SHA256.Hex()+"/"+w.File] = b
	return w
}

// closureFor puts wheels into a closure for one interpreter.
func closureFor(in *Interpreter, wheels ...ledger.Wheel) *ledger.Closure {
	return &ledger.Closure{Schema: ledger.ClosureSchema, Python: in.Minor(), Targets: map[string][]ledger.Wheel{in.Target: wheels}}
}

func TestInstallAndRun(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	c := newCellar(t)
	closure := closureFor(in,
		c.add("alpha", member{name: "alpha/__init__.py", data: "from . import part\nNAME = 'alpha ' + part.NAME\n"}, member{name: "alpha/part.py", data: "NAME = 'part'\n"},
			member{name: "LICENSE", data: "one"}, member{name: "json.py", data: "raise SystemError('shadowed')\n"},
			member{name: "run.pth", data: "import os; os._exit(66)\n"}),
		c.add("beta", member{name: "beta.py", data: "def f():\n    raise ValueError('from beta')\n"}, member{name: "LICENSE", data: "two"},
			member{name: "broken.py", data: "print 'python 2'\n"}, member{name: "beta-1.data/scripts/run", data: "x"}),
	)
	var steps []string
	env, err := p.Install(t.Context(), in, closure, InstallOptions{Mirrors: []string{c.URL}, Progress: func(p Progress) { steps = append(steps, p.Step) }})
	if err != nil {
		t.Fatal(err)
	}
	out := run(t, p, in, "import json, alpha, beta\nprint(json.dumps([alpha.NAME, alpha.__cached__ is not None]))\nbeta.f()\n", Call{Args: []byte("{}"), Env: env})
	if string(out.Stdout) != "[\"alpha part\", true]\n" || !strings.Contains(string(out.Stderr), "raise ValueError('from beta')") || out.Exit != 1 {
		t.Errorf("got exit %d, %q, %s", out.Exit, out.Stdout, out.Stderr)
	}
	if !strings.Contains(string(out.Stderr), filepath.Join(env.Dir, "beta.py")) {
		t.Errorf("got traceback %s, want the environment's path in it", out.Stderr)
	}
	// The environment is read-only to the tool.
	out = run(t, p, in, "import alpha\ntry:\n    open(alpha.__file__ + 'x', 'w')\nexcept OSError:\n    print('refused')\n", Call{Args: []byte("{}"), Env: env})
	if string(out.Stdout) != "refused\n" {
		t.Errorf("got %q %s, want the write refused", out.Stdout, out.Stderr)
	}
	if want := "compile"; len(steps) == 0 || steps[len(steps)-1] != want {
		t.Errorf("got steps %v, want %q last", steps, want)
	}
	// Every module is compiled so that nothing is compiled again on import.
	compiled := 0
	err = filepath.WalkDir(env.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Mode() != 0o444 {
			t.Errorf("%s has mode %v, want 0444", path, info.Mode())
		}
		if strings.HasSuffix(path, ".pyc") {
			compiled++
			if b, err := os.ReadFile(path); err != nil || binary.LittleEndian.Uint32(b[4:]) != pycUnchecked {
				t.Errorf("%s has flags %v, want %d", path, b[4:8], pycUnchecked)
			}
		}
		return nil
	})
	if err != nil || compiled != 4 {
		t.Errorf("got %d bytecode files, %v, want 4 (broken.py has none)", compiled, err)
	}
	// Again: nothing is downloaded, nothing is started.
	before := c.hits.Load()
	if again, err := p.Install(t.Context(), in, closure, InstallOptions{}); err != nil || again != env || c.hits.Load() != before {
		t.Errorf("got %v, %v after %d downloads, want the same at once", again, err, c.hits.Load()-before)
	}
	// A closure with the same wheels under other names is the same environment.
	closure.Targets[in.Target][0].Name = "another"
	if again, ready, err := p.EnvFor(in, closure); err != nil || !ready || again != env {
		t.Errorf("got %v, %v, %v, want the same environment", again, ready, err)
	}
}

func TestInstallRefusals(t *testing.T) {
	in := &Interpreter{Version: "3.12.1", Target: "linux-x86_64-glibc2.36", Build: spec.DigestOf([]byte("build"))}
	module := member{name: "m.py", data: "x = 1\n"}
	for name, tt := range map[string]struct {
		closure func(c *cellar) *ledger.Closure
		handle  func(http.ResponseWriter, *http.Request, []byte)
		kind    fault.Kind
		reason  string
	}{
		"other bytes": {
			closure: func(c *cellar) *ledger.Closure { return closureFor(in, c.add("a", module)) },
			handle: func(w http.ResponseWriter, _ *http.Request, b []byte) {
				b = append([]byte{}, b...)
				b[3] ^= 1
				_, _ = w.Write(b)
			},
			kind: fault.Unavailable, reason: "wheel_download", // the closure's own address could not be asked
		},
		"too long": {
			closure: func(c *cellar) *ledger.Closure { return closureFor(in, c.add("a", module)) },
			handle:  func(w http.ResponseWriter, _ *http.Request, b []byte) { _, _ = w.Write(append(b, b...)) },
			kind:    fault.Unavailable, reason: "wheel_download",
		},
		"nowhere": {
			closure: func(c *cellar) *ledger.Closure {
				w := c.add("a", module)
				clear(c.wheels)
				return closureFor(in, w)
			},
			kind: fault.Unavailable, reason: "wheel_download",
		},
		"unsafe wheel": {
			closure: func(c *cellar) *ledger.Closure { return closureFor(in, c.add("a", member{name: "../m.py"})) },
			kind:    fault.NotVerified, reason: "wheel_unsafe",
		},
		"other platform": {
			closure: func(c *cellar) *ledger.Closure {
				return &ledger.Closure{Python: "3.12", Targets: map[string][]ledger.Wheel{"linux-x86_64-glibc2.40": {c.add("a", module)}}}
			},
			kind: fault.Unavailable, reason: "no_target",
		},
		"other python": {
			closure: func(c *cellar) *ledger.Closure {
				cl := closureFor(in, c.add("a", module))
				cl.Python = "3.13"
				return cl
			},
			kind: fault.Unavailable, reason: "no_python",
		},
		"wheels disagree": {
			closure: func(c *cellar) *ledger.Closure {
				return closureFor(in, c.add("a", module), c.add("b", member{name: "m.py", data: "x = 2\n"}))
			},
			kind: fault.NotVerified, reason: "wheel_conflict",
		},
		"wheels differ in case": {
			closure: func(c *cellar) *ledger.Closure {
				return closureFor(in, c.add("a", module), c.add("b", member{name: "M.py", data: "x = 1\n"}))
			},
			kind: fault.NotVerified, reason: "wheel_conflict",
		},
		"file where a directory is": {
			closure: func(c *cellar) *ledger.Closure {
				return closureFor(in, c.add("a", member{name: "pkg/x.txt"}), c.add("b", member{name: "pkg"}))
			},
			kind: fault.NotVerified, reason: "wheel_conflict",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCellar(t)
			c.handle = tt.handle
			p := New(testHost(t, map[string]string{WheelHosts: "127.0.0.1:1"}), noBox{t})
			_, err := p.Install(t.Context(), in, tt.closure(c), InstallOptions{Mirrors: []string{c.URL}})
			if fault.KindOf(err) != tt.kind || fault.ReasonOf(err) != tt.reason {
				t.Errorf("got %v (%v %s), want %v %s", err, fault.KindOf(err), fault.ReasonOf(err), tt.kind, tt.reason)
			}
			// Nothing but finished directories remains.
			left, _ := filepath.Glob(filepath.Join(p.host.Paths.Envs(), "staging", "*"))
			temp, _ := filepath.Glob(filepath.Join(p.downloads(), "*.part"))
			envs, _ := filepath.Glob(filepath.Join(p.host.Paths.Envs(), "????????????????????????????????????????????????????????????????"))
			if len(left)+len(temp)+len(envs) != 0 {
				t.Errorf("got %v %v %v left behind, want nothing", left, temp, envs)
			}
		})
	}
}

// noBox fails the test when something wants to run.
type noBox struct{ t testing.TB }

func (b noBox) Run(context.Context, sandboxJob) (sandboxOutcome, error) {
	b.t.Error("something was run")
	return sandboxOutcome{Exit: -1}, errors.New("nothing runs here")
}

// fetching is a fetcher that may go to loopback.
func fetching(t *testing.T) *fetcher {
	t.Helper()
	return &fetcher{client: calm(http.DefaultClient), own: calm(http.DefaultClient), dir: t.TempDir()}
}

// take is one without its file.
func (f *fetcher) take(t *testing.T, w ledger.Wheel) error {
	t.Helper()
	file, err := f.one(t.Context(), w)
	if err == nil {
		err = file.Close()
	}
	return err
}

// Wrong bytes from every source are an answer: no. The twin has one source
// that is right.
func TestFetchSources(t *testing.T) {
	bad, good := newCellar(t), newCellar(t)
	wheel := bad.add("a", member{name: "m.py", data: "x = 1\n"})
	good.add("a", member{name: "m.py", data: "x = 1\n"})
	bad.handle = func(w http.ResponseWriter, _ *http.Request, b []byte) {
		_, _ = io.WriteString(w, strings.Repeat("y", len(b)))
	}
	wheel.URL = bad.URL + "/" + wheel.SHA256.Hex() + "/" + wheel.File
	f := fetching(t)
	f.mirrors = []string{bad.URL}
	err := f.take(t, wheel)
	if fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "wheel_digest" {
		t.Errorf("all wrong: got %v, want wheel_digest", err)
	}
	f.mirrors = []string{bad.URL, good.URL}
	if err := f.take(t, wheel); err != nil {
		t.Errorf("one right: got %v, want it found", err)
	}
	if f.done != wheel.Size {
		t.Errorf("got %d bytes reported, want %d: failed attempts are taken back", f.done, wheel.Size)
	}
}

// A connection that breaks is tried again; a server that says no is not.
func TestFetchRetries(t *testing.T) {
	c := newCellar(t)
	wheel := c.add("a", member{name: "m.py", data: "x = 1\n"})
	wheel.URL = c.URL + "/" + wheel.SHA256.Hex() + "/" + wheel.File
	var tries atomic.Int64
	c.handle = func(w http.ResponseWriter, _ *http.Request, b []byte) {
		if tries.Add(1) < 3 {
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
			_, _ = w.Write(b[:len(b)/2]) // the server hangs up in the middle
			return
		}
		_, _ = w.Write(b)
	}
	f := fetching(t)
	if err := f.take(t, wheel); err != nil || tries.Load() != 3 {
		t.Errorf("got %v after %d tries, want success at the third", err, tries.Load())
	}
	tries.Store(0)
	c.handle = func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		tries.Add(1)
		http.Error(w, "no", http.StatusForbidden)
	}
	f.dir = t.TempDir()
	if err := f.take(t, wheel); fault.ReasonOf(err) != "wheel_download" || tries.Load() != 1 {
		t.Errorf("got %v after %d tries, want one try", err, tries.Load())
	}
}

func TestFetchRedirects(t *testing.T) {
	plain := newCellar(t)
	wheel := plain.add("a", member{name: "m.py", data: "x = 1\n"})
	path := "/" + wheel.SHA256.Hex() + "/" + wheel.File
	var to atomic.Value
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/final" {
			_, _ = w.Write(plain.wheels[path])
			return
		}
		http.Redirect(w, r, to.Load().(string), http.StatusFound)
	}))
	t.Cleanup(secure.Close)
	wheel.URL = secure.URL + "/start"
	f := fetching(t)
	f.client = calm(secure.Client())
	to.Store(plain.URL + path)
	if err := f.take(t, wheel); err == nil || !strings.Contains(err.Error(), "from https to another") {
		t.Errorf("got %v, want a redirect to http refused", err)
	}
	to.Store(secure.URL + "/start")
	if err := f.take(t, wheel); err == nil || !strings.Contains(err.Error(), "redirects") {
		t.Errorf("got %v, want a circle refused", err)
	}
	to.Store(secure.URL + "/final")
	if err := f.take(t, wheel); err != nil {
		t.Errorf("got %v, want a redirect to https followed", err)
	}
}

// A damaged file in the download cache is fetched again.
func TestFetchDamagedCache(t *testing.T) {
	c := newCellar(t)
	wheel := c.add("a", member{name: "m.py", data: "x = 1\n"})
	f := fetching(t)
	f.mirrors = []string{c.URL}
	path := wheelPath(f.dir, wheel.SHA256)
	if err := os.WriteFile(path, []byte("half a whe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.take(t, wheel); err != nil {
			t.Fatal(err)
		}
	}
	if c.hits.Load() != 1 {
		t.Errorf("got %d downloads, want 1: once for the damaged file, none for the good one", c.hits.Load())
	}
}

// Many processes and goroutines that want one environment all get it, and it
// is made once.
func TestInstallAtOnce(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	counted := &counting{Box: p.box}
	p.box = counted
	c := newCellar(t)
	closure := closureFor(in, c.add("a", member{name: "m.py", data: "x = 1\n"}))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := p.Install(t.Context(), in, closure, InstallOptions{Mirrors: []string{c.URL}}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(counted.jobs) != 1 || c.hits.Load() != 1 {
		t.Errorf("got %d compilations and %d downloads, want one of each", len(counted.jobs), c.hits.Load())
	}
}

// What a killed process left behind is taken away, in time and not before.
func TestSweep(t *testing.T) {
	p := New(testHost(t, nil), noBox{t})
	now := time.Now()
	p.host.Now = func() time.Time { return now }
	old, young := filepath.Join(p.staging(), "old"), filepath.Join(p.staging(), "young")
	for _, dir := range []string{old, young} {
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, now, now.Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	p.sweep()
	if isDir(old) || !isDir(young) {
		t.Errorf("got old %v, young %v; want only the young one left", isDir(old), isDir(young))
	}
}

// A module that kills the compiler stays source; the others are compiled.
func TestCompileSurvivesModule(t *testing.T) {
	p := real(t)
	in := anyPython(t, p)
	p.box = killed{p.box}
	c := newCellar(t)
	var members []member
	for i := range 5 {
		members = append(members, member{name: fmt.Sprintf("m%d.py", i), data: "x = 1\n"})
	}
	env, err := p.Install(t.Context(), in, closureFor(in, c.add("a", members...)), InstallOptions{Mirrors: []string{c.URL}})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := filepath.Glob(filepath.Join(env.Dir, "__pycache__", "*.pyc"))
	if len(got) != 4 || strings.Contains(strings.Join(got, " "), "m3") {
		t.Errorf("got %v, want all but m3", got)
	}
}

// killed is a sandbox in which the compiler dies on m3.py.
type killed struct{ Box }

func (k killed) Run(ctx context.Context, job sandboxJob) (sandboxOutcome, error) {
	out, err := k.Box.Run(ctx, job)
	if strings.Contains(string(job.Stdin), "m3.py") {
		out.Exit, out.Signal, out.Stdout = -1, "SIGSEGV", out.Stdout[:len(out.Stdout)/2]
	}
	return out, err
}
