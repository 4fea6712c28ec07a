package registrytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Run is what every registry.Source must pass. open returns a source that
// serves the files, by path relative to v1/.
func Run(t *testing.T, open func(t *testing.T, tree map[string][]byte) registry.Source) {
	r := New(t)
	r.Publish(t, Release("csv_to_json", "1.0.0"), Release("text_diff", "0.1.0"))
	r.Publish(t, Release("csv_to_json", "1.1.0", spec.File{Path: "data/words.txt", Data: []byte("a\nb\n")}, spec.File{Path: "pylock.toml", Data: []byte("lock-version = \"1.0\"\n")}))
	old := r.Files()
	r.Publish(t, Release("csv_to_json", "2.0.0-rc.1"), Release("hash_file", "1.0.0"))
	now := r.Files()

	s := open(t, now)
	t.Run("cancel", func(t *testing.T) { cancel(t, s) })
	t.Run("fetch", func(t *testing.T) { fetching(t, s, now) })
	t.Run("absence", func(t *testing.T) { absence(t, s, now) })
	t.Run("tiles", func(t *testing.T) { tiles(t, s, old, now) })
	t.Run("read", func(t *testing.T) { reading(t, s, now) })
	t.Run("paths", func(t *testing.T) { paths(t, s) })
	t.Run("concurrency", func(t *testing.T) { concurrency(t, s.Refresh(), now) })
	t.Run("generations", func(t *testing.T) { generations(t, open, old, now) })
	t.Run("damage", func(t *testing.T) { damage(t, open, now) })
	t.Run("nothing", func(t *testing.T) { nothing(t, open(t, map[string][]byte{"other/file": []byte("x")})) })
}

func reading(t *testing.T, s registry.Source, tree map[string][]byte) {
	ctx := t.Context()
	for path, want := range tree {
		got, err := s.Read(ctx, path, int64(len(want)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("Read(%s) = %d bytes, %v, want %d bytes", path, len(got), err, len(want))
		}
		if _, err := s.Read(ctx, path, int64(len(want))-1); fault.ReasonOf(err) != "too_large" || fault.KindOf(err) != fault.NotVerified {
			t.Errorf("Read(%s) with one byte too few allowed: %v, want too_large", path, err)
		}
	}
	for _, path := range []string{"none.json", "records/zz/zz_top.json", "objects/00/none"} {
		if _, err := s.Read(ctx, path, 100); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Read(%s): %v, want fs.ErrNotExist", path, err)
		}
	}
	// A caller that changes what it got changes nobody else's.
	first, err := s.Read(ctx, ledger.HeadPath, limits.Document)
	if err != nil {
		t.Fatal(err)
	}
	clear(first)
	for _, again := range []registry.Source{s, s.Refresh()} {
		if got, err := again.Read(ctx, ledger.HeadPath, limits.Document); err != nil || !bytes.Equal(got, tree[ledger.HeadPath]) {
			t.Errorf("second Read: %q, %v", got, err)
		}
	}
	if s.Location() == "" || s.Refresh().Location() != s.Location() {
		t.Errorf("Location is %q, refreshed %q", s.Location(), s.Refresh().Location())
	}
}

func paths(t *testing.T, s registry.Source) {
	for _, path := range []string{
		"", ".", "..", "/", "/etc/passwd", "../x", "../../etc/passwd", "records/../head.json", "a//b", "a/./b", "head.json/",
		`a\b`, "a\x00b", ".git/config", "head.json?x=y", "head.json#f", "%2e%2e/x", "http://x/", "nul/x", "ü",
	} {
		if b, err := s.Read(t.Context(), path, 1000); fault.ReasonOf(err) != "unsafe_path" {
			t.Errorf("Read(%q) = %q, %v, want unsafe_path", path, b, err)
		}
	}
}

func cancel(t *testing.T, s registry.Source) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Read(ctx, ledger.HeadPath, limits.Document); !errors.Is(err, context.Canceled) {
		t.Errorf("Read: %v, want context.Canceled", err)
	}
	if _, err := registry.Fetch(ctx, s, ref(t, "csv_to_json@1.0.0")); !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Interrupted {
		t.Errorf("Fetch: %v, want context.Canceled", err)
	}
	if _, err := s.Read(t.Context(), ledger.HeadPath, limits.Document); err != nil {
		t.Errorf("Read after a cancelled one: %v", err)
	}
}

func concurrency(t *testing.T, s registry.Source, tree map[string][]byte) {
	paths := slices.Sorted(maps.Keys(tree))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range paths {
				p := paths[(i+g*len(paths)/8)%len(paths)]
				if got, err := s.Read(t.Context(), p, limits.Document); err != nil || !bytes.Equal(got, tree[p]) {
					t.Errorf("Read(%s): %d bytes, %v", p, len(got), err)
				}
			}
			if c, err := registry.Fetch(t.Context(), s, ref(t, "csv_to_json@1.1.0")); err != nil || len(c.Files) != 4 {
				t.Errorf("Fetch: %d files, %v", len(c.Files), err)
			}
		})
	}
	wg.Wait()
}

func fetching(t *testing.T, s registry.Source, tree map[string][]byte) {
	for _, one := range []struct {
		ref     string
		version spec.Version
		files   []string
	}{
		{"csv_to_json@1.0.0", "1.0.0", []string{"report.json", "tool.py"}},
		{"csv_to_json@1.1.0", "1.1.0", []string{"data/words.txt", "pylock.toml", "report.json", "tool.py"}},
		{"csv_to_json", "1.1.0", []string{"data/words.txt", "pylock.toml", "report.json", "tool.py"}}, // a pre-release is never the latest
		{"csv_to_json@2.0.0-rc.1", "2.0.0-rc.1", []string{"report.json", "tool.py"}},
	} {
		asked := ref(t, one.ref)
		c, err := registry.Fetch(t.Context(), s, asked)
		if err != nil {
			t.Fatal(err)
		}
		if c.Ref != asked {
			t.Errorf("%s: Ref is %v", one.ref, c.Ref)
		}
		sameChain(t, one.ref, c.Chain, tree, "csv_to_json", true)
		at := func(file string) []byte { return tree[ledger.ReleasePath("csv_to_json", one.version, file)] }
		same(t, one.ref+" release", c.Release, at(ledger.ReleaseFileName))
		same(t, one.ref+" evidence", c.Evidence, at(ledger.EvidenceFileName))
		same(t, one.ref+" proof", c.Proof, at(ledger.ProofFileName))
		if got := slices.Sorted(maps.Keys(c.Files)); !slices.Equal(got, one.files) {
			t.Errorf("%s: files %v, want %v", one.ref, got, one.files)
		}
		for f, data := range c.Files {
			same(t, one.ref+" "+f, data, at(f))
		}
	}
	chain, err := registry.FetchRecord(t.Context(), s, "text_diff")
	if err != nil {
		t.Fatal(err)
	}
	sameChain(t, "record", chain, tree, "text_diff", true)
	if chain, err = registry.FetchHead(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if chain.Buckets != nil || chain.Bucket != nil || chain.Record != nil {
		t.Error("FetchHead brought more than the head")
	}
	same(t, "head", chain.Head, tree[ledger.HeadPath])
	same(t, "evidence", chain.HeadEvidence, tree[ledger.HeadEvidencePath])
	same(t, "revoked", chain.Revoked, tree[ledger.RevokedPath])
}

func absence(t *testing.T, s registry.Source, tree map[string][]byte) {
	// text_diffs shares its bucket with nobody; the neighbour has one with a tool in it.
	neighbour := neighbourOf("csv_to_json")
	for _, name := range []spec.Name{"text_diffs", neighbour} {
		c, err := registry.Fetch(t.Context(), s, spec.Ref{Name: name, Version: "1.0.0"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.Release != nil || c.Files != nil || c.Evidence != nil || c.Proof != nil {
			t.Errorf("%s: something came of a release that does not exist", name)
		}
		sameChain(t, string(name), c.Chain, tree, name, false)
	}
	c, err := registry.Fetch(t.Context(), s, ref(t, "csv_to_json@9.9.9"))
	if err != nil || c.Release != nil || c.Files != nil {
		t.Fatalf("absent version: %v, %q", err, c.Release)
	}
	sameChain(t, "absent version", c.Chain, tree, "csv_to_json", true)
	chain, err := registry.FetchRecord(t.Context(), s, neighbour)
	if err != nil {
		t.Fatal(err)
	}
	sameChain(t, "absent record", chain, tree, neighbour, false)
}

// tiles proves with the source's own tiles that the log continues what it was.
func tiles(t *testing.T, s registry.Source, old, now map[string][]byte) {
	a, b := head(t, old), head(t, now)
	if err := ledger.Consistent(a.Log, b.Log, registry.ReadTile(t.Context(), s)); err != nil {
		t.Errorf("the log from %d to %d entries: %v", a.Log.Size, b.Log.Size, err)
	}
	other := a.Log
	other.Root[0] ^= 1
	if err := ledger.Consistent(other, b.Log, registry.ReadTile(t.Context(), s)); err == nil {
		t.Error("a log with another root seems to be continued")
	}
}

// generations serves mixes of two states of a tree, as edge caches do, and
// expects one whole state, which each of the two is.
func generations(t *testing.T, open func(*testing.T, map[string][]byte) registry.Source, old, now map[string][]byte) {
	fixed := []string{
		ledger.HeadEvidencePath, ledger.HeadPath, ledger.BucketsPath, ledger.RevokedPath,
		ledger.BucketPath(ledger.BucketOf("csv_to_json")), ledger.RecordPath("csv_to_json"),
	}
	for mix := 1; mix < 1<<len(fixed)-1; mix += 7 { // every document is old in some and new in others
		tree := maps.Clone(now)
		for p, b := range old { // objects of both are there
			if _, ok := tree[p]; !ok {
				tree[p] = b
			}
		}
		for i, p := range fixed {
			if mix&(1<<i) != 0 {
				tree[p] = old[p]
			}
		}
		want := now
		if mix&1 != 0 {
			want = old
		}
		c, err := registry.Fetch(t.Context(), open(t, tree), ref(t, "csv_to_json@1.1.0"))
		if err != nil {
			t.Fatalf("mix %06b: %v", mix, err)
		}
		sameChain(t, fmt.Sprintf("mix %06b", mix), c.Chain, want, "csv_to_json", true)
		if len(c.Files) != 4 {
			t.Errorf("mix %06b: %d files", mix, len(c.Files))
		}
	}
}

// damage expects bytes that do not fit to be handed on for the verifier to
// refuse, and nothing to be fetched on the word of a list that is not signed for.
func damage(t *testing.T, open func(*testing.T, map[string][]byte) registry.Source, now map[string][]byte) {
	at := func(file string) string { return ledger.ReleasePath("csv_to_json", "1.1.0", file) }
	for _, path := range []string{
		ledger.HeadPath, ledger.BucketsPath, ledger.RevokedPath, ledger.RecordPath("csv_to_json"),
		at(ledger.ReleaseFileName), at("tool.py"), at("data/words.txt"),
	} {
		tree := maps.Clone(now)
		tree[path] = bytes.Replace(tree[path], []byte("a"), []byte("b"), 1)
		for p := range tree {
			if len(p) > len(ledger.ObjectsDir) && p[:len(ledger.ObjectsDir)+1] == ledger.ObjectsDir+"/" {
				delete(tree, p)
			}
		}
		c, err := registry.Fetch(t.Context(), open(t, tree), ref(t, "csv_to_json@1.1.0"))
		if err != nil {
			t.Errorf("%s: %v, want the bytes as they are", path, err)
			continue
		}
		got := map[string][]byte{
			ledger.HeadPath: c.Chain.Head, ledger.BucketsPath: c.Chain.Buckets, ledger.RevokedPath: c.Chain.Revoked,
			ledger.RecordPath("csv_to_json"): c.Chain.Record, at(ledger.ReleaseFileName): c.Release,
			at("tool.py"): c.Files["tool.py"], at("data/words.txt"): c.Files["data/words.txt"],
		}[path]
		same(t, "damaged "+path, got, tree[path])
		if path == at(ledger.ReleaseFileName) && c.Files != nil {
			t.Errorf("files came on the word of a damaged release.json: %v", slices.Sorted(maps.Keys(c.Files)))
		}
	}
}

func nothing(t *testing.T, s registry.Source) {
	_, err := registry.FetchHead(t.Context(), s)
	if fault.ReasonOf(err) != "no_registry" || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("FetchHead where no registry is: %v, want no_registry", err)
	}
}

// sameChain compares a chain with the documents of a tree at the fixed paths.
func sameChain(t *testing.T, what string, c spec.Chain, tree map[string][]byte, name spec.Name, listed bool) {
	t.Helper()
	same(t, what+": head evidence", c.HeadEvidence, tree[ledger.HeadEvidencePath])
	same(t, what+": head", c.Head, tree[ledger.HeadPath])
	same(t, what+": buckets", c.Buckets, tree[ledger.BucketsPath])
	same(t, what+": bucket", c.Bucket, tree[ledger.BucketPath(ledger.BucketOf(name))])
	same(t, what+": revoked", c.Revoked, tree[ledger.RevokedPath])
	var record []byte
	if listed {
		record = tree[ledger.RecordPath(name)]
	}
	same(t, what+": record", c.Record, record)
}

func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
		t.Errorf("%s: got %.120q, want %.120q", what, got, want)
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

func head(t *testing.T, tree map[string][]byte) *ledger.Head {
	t.Helper()
	h, err := ledger.ParseHead(tree[ledger.HeadPath])
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// neighbourOf finds another name of the same bucket.
func neighbourOf(n spec.Name) spec.Name {
	for i := 0; ; i++ {
		if other := spec.Name(fmt.Sprintf("tool_%d", i)); ledger.BucketOf(other) == ledger.BucketOf(n) {
			return other
		}
	}
}
