package served_test

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/packed"
	"github.com/patch-cat/patch-git/internal/served"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// tree is a published tree whose head states an index.
type tree struct {
	t     *testing.T
	key   *signing.Key
	store *registry.Memory
	clock time.Time
	index func(context.Context, []byte) ledger.IndexRoot
}

func newTree(t *testing.T) *tree {
	t.Helper()
	key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return &tree{t, key, registry.NewMemory(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), func(ctx context.Context, catalogue []byte) ledger.IndexRoot {
		segment, err := served.Segment(ctx, catalogue)
		if err != nil {
			t.Error(err)
		}
		return ledger.IndexRoot{Edition: index.Edition, Segment: spec.DigestOf(segment)}
	}}
}

// publish accepts versions of tools and returns the catalogue.
func (tr *tree) publish(refs ...string) []byte {
	tr.t.Helper()
	var b registry.Batch
	for _, at := range refs {
		r, err := spec.ParseRef(at)
		if err != nil {
			tr.t.Fatal(err)
		}
		report := []byte("{}\n")
		b.Accept = append(b.Accept, registry.Acceptance{
			Release: &spec.Release{
				Ref:   spec.Ref{Name: r.Name, Version: r.Version},
				Tool:  spec.Tool{Format: spec.FormatPatch, Name: r.Name, Version: r.Version, Description: "Does " + spec.DigestOf([]byte(r.Name)).Hex() + ".", Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone}},
				Files: []spec.File{{Path: "report.json", Data: report}, {Path: "tool.py", Data: []byte("# " + at + "\n")}},
			},
			Contributor: ledger.Owner{Login: "ann", ID: 7}, Report: spec.DigestOf(report),
		})
	}
	tr.clock = tr.clock.Add(time.Minute)
	_, err := registry.Seal(tr.t.Context(), tr.store, b, registry.SealOptions{
		Registry: &ledger.Registry{Schema: ledger.RegistrySchema, Name: "acme/tools", Trust: tr.key.Trust()}, Signer: tr.key,
		Now: func() time.Time { return tr.clock }, Checker: "test", CheckHead: func([]byte, []byte) error { return nil }, Index: tr.index,
	})
	if err != nil {
		tr.t.Fatal(err)
	}
	return tr.store.Files()[ledger.CataloguePath]
}

// serve writes the files and sweeps, as who moves the head between the two.
func (tr *tree) serve(dst *registry.Memory, past func(func([]byte) bool)) *served.Files {
	tr.t.Helper()
	f, err := served.Write(tr.t.Context(), dst, tr.store, past)
	if err != nil {
		tr.t.Fatal(err)
	}
	if err := f.Sweep(tr.t.Context()); err != nil {
		tr.t.Fatal(err)
	}
	return f
}

func many(n int) (refs []string) {
	for i := range n {
		refs = append(refs, "tool_"+strings.Repeat("a", i%20+1)+"x"+strings.Repeat("b", i/20)+"@1.0.0")
	}
	return refs
}

// TestFolder: a folder without a history keeps the last lists, makes patches of
// them, and lets the oldest go.
func TestFolder(t *testing.T) {
	tr, dst := newTree(t), registry.NewMemory()
	lists := [][]byte{tr.publish(many(60)...)}
	if f := tr.serve(dst, nil); f.Patches != 0 || !f.Index {
		t.Errorf("the first state: %+v", f)
	}
	for i := range limits.PatchedStates + 2 {
		now := tr.publish("later_tool_" + string(rune('a'+i)) + "@1.0.0")
		lists = append([][]byte{now}, lists...)
		f := tr.serve(dst, nil)
		if want := min(i+1, limits.PatchedStates); f.Patches != want || !f.Index {
			t.Fatalf("state %d: %+v, want %d patches", i+2, f, want)
		}
		files := dst.Files()
		for age, old := range lists[1:] {
			patch, ok := files[ledger.CataloguePatchPath(spec.DigestOf(old), spec.DigestOf(now))]
			if ok != (age < limits.PatchedStates) {
				t.Fatalf("state %d: a patch from %d before it: %v", i+2, age+1, ok)
			}
			if got, err := packed.Apply(old, patch, limits.Catalogue); ok && (err != nil || !bytes.Equal(got, now)) {
				t.Fatalf("state %d: the patch from %d before it: %v", i+2, age+1, err)
			}
		}
		whole, err := packed.Unpack(files[ledger.PackedCataloguePath(spec.DigestOf(now))], limits.Catalogue)
		if err != nil || !bytes.Equal(whole, now) {
			t.Fatalf("state %d: the whole: %v", i+2, err)
		}
	}
	var zaps, patches int
	for p := range dst.Files() {
		if strings.HasSuffix(p, ".zap.zst") {
			zaps++
		}
		if strings.HasSuffix(p, ".patch.zst") {
			patches++
		}
	}
	if zaps != 1 || patches != limits.PatchedStates {
		t.Errorf("%d indexes and %d patches stay", zaps, patches)
	}
	before := dst.Files()
	if f := tr.serve(dst, nil); f.Written != 0 || !maps.EqualFunc(before, dst.Files(), bytes.Equal) {
		t.Errorf("once more: %+v", f)
	}
	// What is kept is damaged: fewer patches, and never a wrong one.
	for p := range before {
		if strings.HasSuffix(p, ".json.zst") {
			if err := dst.Write(t.Context(), p, []byte("<html>"), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	tr.publish("the_last@1.0.0")
	if f := tr.serve(dst, nil); f.Patches != 0 || !f.Index {
		t.Errorf("after the damage: %+v", f)
	}
}

// TestHistory: who has one keeps no lists.
func TestHistory(t *testing.T) {
	tr, dst := newTree(t), registry.NewMemory()
	first := tr.publish(many(40)...)
	tr.serve(dst, nil)
	second := tr.publish("one_more@1.0.0")
	f := tr.serve(dst, slices.Values([][]byte{second, first, first, []byte("not a list\n")}))
	if f.Patches != 1 {
		t.Errorf("%+v", f)
	}
	for p := range dst.Files() {
		if p == ledger.PackedCataloguePath(spec.DigestOf(first)) || strings.HasSuffix(p, "states.json") {
			t.Errorf("%s stays", p)
		}
	}
}

// TestIndexOfTheHead: what does not follow from the catalogue is not served.
func TestIndexOfTheHead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		root  func(right ledger.IndexRoot) ledger.IndexRoot
		there bool
		kind  fault.Kind
	}{
		{"the right one", func(r ledger.IndexRoot) ledger.IndexRoot { return r }, true, 0},
		{"another one", func(r ledger.IndexRoot) ledger.IndexRoot { r.Segment[0] ^= 1; return r }, false, fault.NotVerified},
		{"of another edition", func(r ledger.IndexRoot) ledger.IndexRoot { r.Edition++; return r }, false, 0},
		{"none", func(ledger.IndexRoot) ledger.IndexRoot { return ledger.IndexRoot{} }, false, 0},
	} {
		tr, dst := newTree(t), registry.NewMemory()
		right := tr.index
		tr.index = func(ctx context.Context, c []byte) ledger.IndexRoot { return tt.root(right(ctx, c)) }
		tr.publish("one_tool@1.0.0")
		f, err := served.Write(t.Context(), dst, tr.store, nil)
		if tt.kind != 0 {
			if fault.KindOf(err) != tt.kind {
				t.Errorf("%s: %v", tt.name, err)
			}
		} else if err != nil || f.Index != tt.there {
			t.Errorf("%s: %+v, %v", tt.name, f, err)
		}
		there := slices.ContainsFunc(slices.Collect(maps.Keys(dst.Files())), func(p string) bool { return strings.HasSuffix(p, ".zap.zst") })
		if there != tt.there {
			t.Errorf("%s: an index is served: %v", tt.name, there)
		}
	}
}
