package consume

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// counting is a tool that counts how often it was called in one process, in a
// file of its scratch and in a module's variable.
const counting = `# ---
# name: count_calls
# version: %s
# description: Counts the calls that it can remember.
# inputs:
#   - name: text
#     type: string
#     description: What to say.
#     tainted_ok: true
# outputs:
#   type: object
#   description: The text and the counts.
# capabilities:
#   network: false
#   filesystem: read-write
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "%s"
#   packages: []
# ---

import json
import os
import sys


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    # A tool may set this one, and what set it before would be seen.
    sys.tracebacklimit = getattr(sys, "tracebacklimit", 0) + 1
    with open("/tmp/calls", "a") as f:
        f.write("x")
    print(json.dumps({"text": args["text"], "module": sys.tracebacklimit, "file": os.path.getsize("/tmp/calls"), "version": "%s"}))
`

// installed publishes and pulls versions of the tool.
func installed(tb testing.TB, python string, versions ...spec.Version) (*scene, []spec.Ref) {
	tb.Helper()
	var sources []string
	for _, v := range versions {
		sources = append(sources, fmt.Sprintf(counting, v, python, v))
	}
	return pulled(tb, sources...)
}

// pulled publishes and pulls tools, on a machine that can run them.
func pulled(tb testing.TB, sources ...string) (*scene, []spec.Ref) {
	tb.Helper()
	if _, err := sandbox.Open(tb.Context(), sandbox.Options{Now: time.Now}); err != nil {
		tb.Skipf("this machine confines nothing, so nothing can be run: %v", err)
	}
	s := newScene(tb)
	h := s.client.Host
	root, err := filepath.EvalSymlinks(h.Paths.Root)
	if err != nil {
		tb.Fatal(err)
	}
	h.Paths.Root, h.GOOS, h.GOARCH = root, runtime.GOOS, runtime.GOARCH
	h.Home, _ = os.UserHomeDir()
	h.Getenv = func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] }
	var ticks atomic.Int64
	h.Now = func() time.Time { return clock.Add(time.Duration(ticks.Add(1)) * time.Millisecond) } // so that runs have an order
	if s.client, err = New(h); err != nil {
		tb.Fatal(err)
	}
	s.client.Warn = func(text string) { s.warned = append(s.warned, text) }
	var refs []spec.Ref
	for _, source := range sources {
		refs = append(refs, s.pull(source))
	}
	return s, refs
}

// pull publishes a tool and pulls it.
func (s *scene) pull(source string) spec.Ref {
	s.t.Helper()
	report := []byte("{}\n")
	doc, findings := manifest.Read("tool.py", []byte(source), manifest.Strict)
	if doc == nil {
		s.t.Fatal(findings)
	}
	ref := spec.Ref{Name: doc.Tool.Name, Version: doc.Tool.Version}
	s.seal(s.dir, registry.Batch{Accept: []registry.Acceptance{{
		Release:     &spec.Release{Ref: ref, Tool: doc.Tool, Files: []spec.File{{Path: ledger.ReportFileName, Data: report}, {Path: "tool.py", Data: []byte(source)}}},
		Contributor: ledger.Owner{Login: "ann", ID: 1}, Report: spec.DigestOf(report),
	}}})
	if pins, err := s.client.Box.Pins(); err != nil || len(pins) == 0 {
		if _, err := s.client.AddRegistry(s.t.Context(), s.dir, AddOptions{}); err != nil {
			s.t.Fatal(err)
		}
	}
	// As Pull does it, but that nothing is parsed: that takes longer than all the rest,
	// and has tests of its own.
	f, err := s.client.find(s.t.Context(), ref, s.doc.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	receipt, err := s.client.Box.Install(s.t.Context(), f.release)
	if err == nil {
		err = s.client.Box.KeepRecheck(s.t.Context(), receipt, toolbox.Recheck{Rules: quarantine.RulesVersion, Despite: true})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return ref
}

func text(s string) json.RawMessage { return json.RawMessage(`{"text":` + fmt.Sprintf("%q", s) + `}`) }

// TestWarmCalls: calls in one process are each verified, answered by a program
// that has seen no other, and recorded.
func TestWarmCalls(t *testing.T) {
	s, refs := installed(t, "3.9", "1.0.0", "1.1.0")
	w, err := s.client.Warm(t.Context(), sandbox.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	warm := 0
	call := func(ref spec.Ref, said string) {
		t.Helper()
		ran, err := w.Run(t.Context(), ref, text(said), RunOptions{HostApp: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if ran.Warm {
			warm++
		}
		want := fmt.Sprintf(`{"text": %q, "module": 1, "file": 1, "version": "%s"}`, said, ref.Version)
		if string(ran.Result) != want {
			t.Errorf("got %s, want %s", ran.Result, want)
		}
	}
	for i := range 5 {
		call(refs[1], fmt.Sprint("call ", i))
		time.Sleep(50 * time.Millisecond)
	}
	if warm < 3 {
		t.Errorf("%d of 5 calls found a program", warm)
	}
	// Another version is another tool.
	before := warm
	call(refs[0], "older")
	if warm != before {
		t.Error("a program that waited for one version served another")
	}
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			ran, err := w.Run(t.Context(), refs[i%2], text("at once"), RunOptions{HostApp: "test"})
			if err != nil || !strings.Contains(string(ran.Result), string(refs[i%2].Version)) {
				t.Errorf("%+v, %v", ran, err)
			}
		})
	}
	group.Wait()
	rep, err := s.client.Journal.Check(t.Context())
	if err != nil || rep.Records != 16 || rep.Unfinished != 0 || len(rep.Problems) != 0 {
		t.Errorf("recorded: %+v, %v; want 16 runs", rep, err)
	}
}

// TestWarmRefuses: what waits serves nobody whom a single run would refuse.
func TestWarmRefuses(t *testing.T) {
	s, refs := installed(t, "3.9", "1.0.0")
	w, err := s.client.Warm(t.Context(), sandbox.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	call := func(o RunOptions) (*Ran, error) { return w.Run(t.Context(), refs[0], text("x"), o) }
	if _, err := call(RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := call(RunOptions{UnsafeNoSandbox: true}); fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "unsafe" {
		t.Errorf("without a sandbox: %v", err)
	}
	if _, err := w.Run(t.Context(), refs[0], json.RawMessage(`{"text":1}`), RunOptions{}); fault.KindOf(err) != fault.Usage {
		t.Errorf("other arguments: %v", err)
	}
	// Its file is changed while a program waits for it.
	stored := map[string][]byte{} // every copy
	err = filepath.WalkDir(s.client.Host.Paths.Root, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte("os.path.getsize")) && bytes.HasPrefix(b, []byte("# ---")) {
				stored[path] = b
			}
		}
		return err
	})
	if err != nil || len(stored) == 0 {
		t.Fatalf("the tool is not to be found: %v", err)
	}
	put := func(change func([]byte) []byte) {
		for path, b := range stored {
			_ = os.Chmod(path, 0o600)
			if err := os.WriteFile(path, change(b), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(func(b []byte) []byte {
		return bytes.Replace(b, []byte("os.path.getsize"), []byte("print or os.path"), 1)
	})
	runs := func() int {
		rep, err := s.client.Journal.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return rep.Records
	}
	before := runs()
	if ran, err := call(RunOptions{}); fault.KindOf(err) != fault.NotVerified || runs() != before {
		t.Errorf("a changed tool: %+v, %v", ran, err)
	}
	put(func(b []byte) []byte { return b })
	if ran, err := call(RunOptions{}); err != nil || !ran.Warm {
		t.Errorf("the tool as it was: %+v, %v", ran, err)
	}
}

// BenchmarkPoolCalls compares, in turns, the bare interpreter with calls of an
// installed tool in a process that lives on: verified, sandboxed and recorded,
// started for the call or waiting for it. PATCH_GIT_BENCH_PYTHON is the minor
// version, 3.12 unless set.
//
//	go test -run '^$' -bench PoolCalls -benchtime 100x ./internal/consume
func BenchmarkPoolCalls(b *testing.B) {
	minor := os.Getenv("PATCH_GIT_BENCH_PYTHON")
	if minor == "" {
		minor = "3.12"
	}
	s, refs := installed(b, minor, "1.0.0")
	s.client.Journal = audit.Open(s.client.Host.Paths, time.Now, leaks)
	s.client.Host.Now = time.Now
	w, err := s.client.Warm(b.Context(), sandbox.PoolOptions{PerKey: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	cold, err := s.client.Warm(b.Context(), sandbox.PoolOptions{})
	if err != nil {
		b.Fatal(err)
	}
	cold.Close() // a closed pool starts every program when it is called
	ran, err := w.Run(b.Context(), refs[0], text("x"), RunOptions{})
	if err != nil {
		b.Skipf("no Python %s here: %v", minor, err)
	}
	_ = ran
	subject, err := s.client.Installed(b.Context(), refs[0])
	if err != nil {
		b.Fatal(err)
	}
	_, python, release, err := s.client.job(b.Context(), w, w.box, subject, []byte("{}"), nil, sandbox.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer release()
	tool := filepath.Join(b.TempDir(), "tool.py")
	if err := os.WriteFile(tool, subject.Main, 0o600); err != nil {
		b.Fatal(err)
	}
	names := []string{"bare", "cold", "pool"}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for _, name := range names {
			if name == "pool" {
				time.Sleep(150 * time.Millisecond) // the program has booted
			}
			began, warm := time.Now(), false
			switch name {
			case "bare":
				cmd := exec.Command(python.Path, "-I", tool)
				cmd.Stdin = strings.NewReader(`{"text":"x"}`)
				if out, err := cmd.Output(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			case "cold":
				if _, err := cold.Run(b.Context(), refs[0], text("x"), RunOptions{}); err != nil {
					b.Fatal(err)
				}
			case "pool":
				ran, err := w.Run(b.Context(), refs[0], text("x"), RunOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if warm = ran.Warm; !warm {
					continue // it counts for nothing
				}
			}
			took[name] = append(took[name], time.Since(began))
			_ = os.Remove("/tmp/calls") // of the bare one
		}
		time.Sleep(60 * time.Millisecond) // the next one has booted
	}
	for _, name := range names {
		slices.Sort(took[name])
		b.ReportMetric(float64(took[name][len(took[name])/2].Microseconds())/1000, name+"-ms")
	}
}
