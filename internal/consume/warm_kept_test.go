package consume

import (
	"bytes"
	"go/ast"
	syntax "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// TestKeptIsLookedAt: what a server holds in memory is no older than the files that
// it was read from. Each change is seen by the very next call.
func TestKeptIsLookedAt(t *testing.T) {
	s, refs := pulled(t, kind{name: "say_plain"}.source())
	began := time.Now()
	s.client.Host.Now = func() time.Time { return clock.Add(100*365*24*time.Hour + time.Since(began)) } // every file is settled
	w, err := s.client.Warm(t.Context(), sandbox.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	name := spec.Ref{Name: refs[0].Name} // the current version
	call := func() error {
		_, err := w.Run(t.Context(), name, text("a"), RunOptions{Session: NewSession("")})
		return err
	}
	held := func() *Subject { s, _ := w.subjects.get(w.likely(called{ref: name})); return s }
	if err := call(); err != nil {
		t.Fatal(err)
	}
	first := held()
	if first == nil {
		t.Fatal("nothing is held")
	}
	w.noting.Wait()
	p := s.client.Host.Paths
	if index, err := os.ReadFile(p.Index()); err != nil || !bytes.Contains(index, []byte("last_used")) {
		t.Fatalf("the use is not noted: %s, %v", index, err)
	}
	if err := call(); err != nil || held() != first {
		t.Error("it is verified at each call, or after each use that was noted:", err)
	}
	receipts := filepath.Join(p.Receipts(), "say_plain", "1.0.0")
	for what, file := range map[string]string{
		"the tool's file": p.Tool("say_plain"), "the evidence": filepath.Join(receipts, ledger.EvidenceFileName),
		"the release": filepath.Join(receipts, ledger.ReleaseFileName), "the proof": filepath.Join(receipts, ledger.ProofFileName),
	} {
		old, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := call(); err != nil || held() == nil {
			t.Fatal(what, err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Millisecond) // the clock of the file system goes in steps
		changed := slices.Clone(old)
		changed[len(changed)/2] ^= 1
		if err := os.WriteFile(file, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.Chtimes(file, info.ModTime(), info.ModTime()) // the same size, under the old time
		if err := call(); fault.KindOf(err) != fault.NotVerified {
			t.Errorf("%s changed: %v", what, err)
		}
		if err := os.WriteFile(file, old, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := call(); err != nil {
			t.Errorf("%s as it was: %v", what, err)
		}
	}
	// What a person gave it, edited by hand: no folder tells of that.
	given := filepath.Join(receipts, "deployed.json")
	for _, d := range []string{`{"allow_net":["a:1"]}`, `{"allow_net":["b:1"]}`} {
		time.Sleep(15 * time.Millisecond)
		if err := os.WriteFile(given, []byte(d), 0o600); err != nil {
			t.Fatal(err)
		}
		if held() != nil {
			t.Errorf("it is held as it was before %s was given", d)
		}
		if err := call(); err != nil || held() == nil {
			t.Errorf("behind %s: %v", d, err)
		}
	}
	// A version that is revoked, one that is pulled, one that is removed.
	s.pull(kind{name: "say_plain", version: "1.1.0"}.source())
	if err := call(); err != nil || held().Ref.Version != "1.1.0" {
		t.Errorf("an upgrade: %v, %s is held", err, held().Ref)
	}
	s.seal(s.dir, registry.Batch{Withdraw: []registry.Withdrawal{{Event: ledger.EventRevoke, Name: "say_plain", Version: "1.1.0", Reason: "it lies"}}})
	if _, err := s.client.Search(t.Context(), SearchOptions{Query: "say"}); err != nil { // which follows the head
		t.Fatal(err)
	}
	if err := call(); fault.ReasonOf(err) != "revoked" {
		t.Errorf("a revoked version: %v", err)
	}
	if _, err := s.client.Box.Remove(t.Context(), spec.Ref{Name: "say_plain", Version: "1.1.0"}); err != nil {
		t.Fatal(err)
	}
	if err := call(); err != nil || held().Ref.Version != "1.0.0" {
		t.Errorf("the twin, which is left: %v", err)
	}
	if err := s.client.Box.RemovePin(t.Context(), "demo/tools"); err != nil {
		t.Fatal(err)
	}
	if err := call(); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("a registry that is not trusted any more: %v", err)
	}
}

// TestJustWrittenIsNotKept: a file that was written a moment ago may be written once
// more without another time.
func TestJustWrittenIsNotKept(t *testing.T) {
	s, refs := pulled(t, kind{name: "say_plain"}.source())
	s.client.Host.Now = time.Now
	w, err := s.client.Warm(t.Context(), sandbox.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.subjects.now = time.Now
	began := time.Now()
	if _, err := w.Run(t.Context(), refs[0], text("a"), RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.subjects.get(called{ref: refs[0]}); ok && time.Since(began) < time.Second {
		t.Error("what was pulled a moment ago is held")
	}
}

// TestKeeper forgets what was used longest ago once it holds too much, and what is
// old.
func TestKeeper(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now().Add(time.Hour)
	k := keeper[string, int]{now: func() time.Time { now = now.Add(time.Second); return now }, most: 30}
	put := func(name string, v int) { k.put(name, v, 10, k.now(), []string{file}) }
	for i, name := range []string{"a", "b", "c"} {
		put(name, i)
	}
	if _, ok := k.get("a"); !ok {
		t.Fatal("nothing is held")
	}
	put("d", 3)
	for name, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if _, ok := k.get(name); ok != want {
			t.Errorf("%s is held: %v", name, ok)
		}
	}
	now = now.Add(time.Hour)
	if _, ok := k.get("a"); ok {
		t.Error("it is believed for ever")
	}
}

// TestOneWay: in this package one function starts tools, and one calls it. Whoever
// adds another way has to change this test, and to say why.
func TestOneWay(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	callers := map[string][]string{} // of what matters, by its name
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := syntax.ParseFile(token.NewFileSet(), name, nil, syntax.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			by := fn.Name.Name
			if fn.Recv != nil {
				of := fn.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				if named, ok := of.(*ast.Ident); ok {
					by = named.Name + "." + by
				}
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					switch s.Sel.Name {
					case "start", "serve", "Job", "Gate", "gate", "Begin", "Take", "Do", "prepare":
						callers[s.Sel.Name] = append(callers[s.Sel.Name], by)
					case "Run":
						if x, ok := s.X.(*ast.Ident); ok && (x.Name == "box" || x.Name == "pool" || x.Name == "ready") {
							callers["box.Run"] = append(callers["box.Run"], by)
						}
					case "run":
						if x, ok := s.X.(*ast.SelectorExpr); ok && x.Sel.Name == "program" {
							callers["program.run"] = append(callers["program.run"], by)
						}
					}
				}
				return true
			})
		}
	}
	want := map[string][]string{
		"start":       {"Client.Run", "python.run", "action.say"}, // the stage, and in it what starts a job
		"program.run": {"call.start"},
		"gate":        {"python.run", "action.job", "action.over", "action.contain", "engine.run"}, // what each kind of program waits for
		"Gate":        {"python.run", "action.job", "action.converse"},
		// examine reads a search index by this program itself; shell is the smoke test and the
		// kill switch of a tool, by the person's own pull and revoke.
		"box.Run": {"Client.Warm", "Client.examine", "RunOptions.start", "action.start", "action.converse", "deployedTool.shell"},
		"serve":   {"RunOptions.start"},
		"Do":      {"action.once", "deployedTool.request"}, // a request of an action; of a smoke test or kill switch
		"Job":     {"Client.examine", "Client.job", "action.job", "RunOptions.start", "deployedTool.shell"},
		"Begin":   {"call.begin", "Client.denied"},                   // a call; a no that a person said
		"Take":    {"call.hold", "Client.Confirm", "Client.sandbox"}, // an approval twice, and what was started ahead
	}
	for what, by := range want {
		got := callers[what]
		slices.Sort(got)
		got = slices.Compact(got)
		slices.Sort(by)
		if !slices.Equal(got, by) {
			t.Errorf("%s is in %q, want %q", what, got, by)
		}
	}
}
