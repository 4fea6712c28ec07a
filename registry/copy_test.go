package registry_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

// withoutObjects are the files of a tree but those that are of the state before:
// objects and tiles that were not full. A copy has them of its own history.
func withoutObjects(files map[string][]byte) map[string]string {
	out := map[string]string{}
	var size int64
	if h, err := ledger.ParseHead(files[ledger.HeadPath]); err == nil {
		size = h.Log.Size
	}
	for p, b := range files {
		if !strings.HasPrefix(p, ledger.ObjectsDir+"/") && (!strings.Contains(p, ".p/") || slices.Contains(ledger.PartialTilePaths(size), p)) {
			out[p] = string(b)
		}
	}
	return out
}

func mustCopy(t *testing.T, dst registry.Store, src registry.Source) registry.Copied {
	t.Helper()
	done, err := registry.Copy(t.Context(), dst, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// TestCopy follows a tree through its life, one state at a time and, in another
// copy, two at a time; both end as the tree itself.
func TestCopy(t *testing.T) {
	r := registrytest.New(t)
	each, some := registry.NewMemory(), registry.NewMemory()
	life := []func(){
		func() {},
		func() {
			r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"), registrytest.Release("text_diff", "0.1.0"))
		},
		func() {
			r.Publish(t, registrytest.Release("csv_to_json", "1.1.0", spec.File{Path: "data/words.txt", Data: []byte("a\n")}))
		},
		func() { r.Withdraw(t, ledger.EventYank, ref(t, "csv_to_json@1.0.0"), "wrong") },
		func() { r.Withdraw(t, ledger.EventRevoke, ref(t, "text_diff@0.1.0"), "malware") },
		func() {
			for i := range 300 { // into the second tile
				r.Publish(t, registrytest.Release(fmt.Sprintf("tool_%d", i), "1.0.0"))
			}
		},
	}
	for i, step := range life {
		step()
		before := each.Files()
		done := mustCopy(t, each, r)
		if want := withoutObjects(r.Files()); !maps.Equal(withoutObjects(each.Files()), want) {
			t.Fatalf("after step %d: %s", i, differ(withoutObjects(each.Files()), want))
		}
		if !done.New || done.Head.Seq == 0 {
			t.Errorf("step %d: %+v", i, done)
		}
		// A reader of the state before finds each document that it knows by digest.
		for _, p := range []string{ledger.HeadPath, ledger.BucketsPath, ledger.RecordPath("csv_to_json"), ledger.CataloguePath} {
			if old, ok := before[p]; ok && string(old) != string(each.Files()[p]) {
				if _, err := each.Read(t.Context(), ledger.ObjectPath(spec.DigestOf(old)), 1<<20); err != nil {
					t.Errorf("step %d: the old %s is gone: %v", i, p, err)
				}
			}
		}
		if again := mustCopy(t, each, r); again.New || again.Files != 0 {
			t.Errorf("step %d once more: %+v", i, again)
		}
		if i%2 == 1 {
			mustCopy(t, some, r)
		}
	}
	if want := withoutObjects(r.Files()); !maps.Equal(withoutObjects(some.Files()), want) {
		t.Error(differ(withoutObjects(some.Files()), want))
	}
}

func differ(got, want map[string]string) string {
	var out []string
	for p := range want {
		if got[p] != want[p] {
			out = append(out, "differs or is missing: "+p)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			out = append(out, "too much: "+p)
		}
	}
	slices.Sort(out)
	return strings.Join(out[:min(len(out), 20)], "\n")
}

// TestCopyTakesNothingElse: what the head does not lead to stays behind, and so
// does what a branch leaves out and somebody put there.
func TestCopyTakesNothingElse(t *testing.T) {
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	want := withoutObjects(r.Files())
	for p, data := range map[string]string{
		"index.html": "<script>", "records/zz/zz_top.json": "{}", "releases/cs/csv_to_json/9.9.9/tool.py": "evil",
		"releases/cs/csv_to_json/1.0.0/more.py": "evil", "log/tile/entries/x999/000": "evil",
	} {
		if err := r.Write(t.Context(), p, []byte(data), true); err != nil {
			t.Fatal(err)
		}
	}
	dst := registry.NewMemory()
	mustCopy(t, dst, r)
	if got := withoutObjects(dst.Files()); !maps.Equal(got, want) {
		t.Error(differ(got, want))
	}
	// A document that is not the stated one, at either place, stops the copy.
	if err := r.Write(t.Context(), "releases/cs/csv_to_json/1.0.0/tool.py", []byte("evil"), true); err != nil {
		t.Fatal(err)
	}
	dst = registry.NewMemory()
	if _, err := registry.Copy(t.Context(), dst, r, nil); err == nil {
		t.Error("a file with other bytes was copied")
	}
	if _, err := dst.Read(t.Context(), ledger.HeadEvidencePath, 1<<20); err == nil {
		t.Error("the head moved all the same")
	}
}

// TestCopyKilled ends a copy at every write. A reader finds the old or the new
// state each time, and the same call finishes it.
func TestCopyKilled(t *testing.T) {
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	old := registry.NewMemory()
	mustCopy(t, old, r)
	r.Publish(t, registrytest.Release("csv_to_json", "1.1.0"))
	second := filled(t, r.Files())
	r.Publish(t, registrytest.Release("text_diff", "1.0.0"))
	killed := errors.New("killed")
	for _, begun := range []bool{true, false} {
		for at := 0; ; at++ {
			dst := registry.NewMemory()
			if begun {
				dst = filled(t, old.Files())
			}
			var n atomic.Int64 // several write at once
			dst.Hook(registry.Hooks{Write: func(string, []byte) error {
				if n.Add(1) > int64(at) {
					return killed
				}
				return nil
			}})
			_, err := registry.Copy(t.Context(), dst, second, nil)
			dst.Hook(registry.Hooks{})
			if err == nil {
				break
			}
			if !errors.Is(err, killed) {
				t.Fatal(err)
			}
			c, err := registry.Fetch(context.Background(), dst, ref(t, "csv_to_json@1.0.0"))
			if begun && (err != nil || len(c.Files) != 2) {
				t.Fatalf("killed at write %d: %v", at, err)
			}
			late := filled(t, dst.Files())
			for to, src := range map[*registry.Memory]registry.Source{dst: second, late: r} { // or the tree got on meanwhile
				mustCopy(t, to, src)
				want := second.Files()
				if to == late {
					want = r.Files()
				}
				if got, want := withoutObjects(to.Files()), withoutObjects(want); !maps.Equal(got, want) {
					t.Fatalf("killed at write %d: %s", at, differ(got, want))
				}
			}
		}
	}
}

// filled is a store with files.
func filled(t *testing.T, files map[string][]byte) *registry.Memory {
	t.Helper()
	m := registry.NewMemory()
	for p, b := range files {
		if err := m.Write(t.Context(), p, b, true); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestSettled: of a commit every document lies where it belongs.
func TestSettled(t *testing.T) {
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	r.Publish(t, registrytest.Release("csv_to_json", "1.1.0"))
	if err := registry.Settled(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := registry.Settled(t.Context(), registry.NewMemory()); err != nil {
		t.Errorf("an empty one: %v", err)
	}
	for _, p := range []string{
		ledger.HeadPath, ledger.BucketsPath, ledger.RevokedPath, ledger.RecordPath("csv_to_json"), ledger.BucketPath(ledger.BucketOf("csv_to_json")),
	} {
		good, err := r.Read(t.Context(), p, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range [][]byte{nil, append(slices.Clone(good), ' ')} {
			if bad == nil {
				err = r.Remove(t.Context(), p)
			} else {
				err = r.Write(t.Context(), p, bad, true)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := registry.Settled(t.Context(), r); err == nil {
				t.Errorf("%s with %d bytes is taken for settled", p, len(bad))
			}
		}
		if err := r.Write(t.Context(), p, good, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := registry.Settled(t.Context(), r); err != nil {
		t.Errorf("put back: %v", err)
	}
}

func ref(t *testing.T, s string) spec.Ref {
	t.Helper()
	r, err := spec.ParseRef(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
