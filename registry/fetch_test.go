package registry_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

var csv = spec.Ref{Name: "csv_to_json", Version: "1.0.0"}

// coldWave is what an exact pull asks for at once: head evidence, head, revoked
// list, buckets, bucket, record; release.json, evidence, proof, tool.py, report.
const coldWave = 11

// likeTenThousand is a registry whose documents on the way to csv_to_json have
// the sizes that they have among 10,000 tools: no bucket is empty, and its own
// has 39 names.
func likeTenThousand(t *testing.T) map[string][]byte {
	t.Helper()
	full := map[int]int{ledger.BucketOf(csv.Name): 38}
	var all []*spec.Release
	for i := 0; len(full) < 256 || full[ledger.BucketOf(csv.Name)] > 0; i++ {
		name := spec.Name(fmt.Sprintf("some_tool_with_a_name_%d", i))
		b := ledger.BucketOf(name)
		if n, seen := full[b]; seen && n == 0 {
			continue
		}
		full[b] = max(full[b]-1, 0)
		all = append(all, registrytest.Release(string(name), "1.0.0"))
	}
	r := registrytest.New(t)
	r.Publish(t, append(all, registrytest.Release("csv_to_json", "1.0.0"))...)
	return r.Files()
}

// TestFetchRoundTrips counts what an exact pull of a single-file tool costs.
func TestFetchRoundTrips(t *testing.T) {
	s := registrytest.NewServer(t, likeTenThousand(t))
	src := mustOpen(t, s.URL, options(t, s))

	s.Gather(coldWave)
	c, err := registry.Fetch(t.Context(), src, csv)
	if err != nil || len(c.Files) != 2 {
		t.Fatalf("cold: %d files, %v", len(c.Files), err)
	}
	cold := s.Take()
	// A proof among 30,000 entries has 15 hashes, this one as many as it has.
	p, err := ledger.ParseProof(c.Proof)
	if err != nil {
		t.Fatal(err)
	}
	size := cold.Bytes + int64(15-len(p.Hashes))*67
	if cold.Short || cold.Waves != 1 || cold.Requests != coldWave || cold.Absent != 0 || size >= 40_000 {
		t.Errorf("cold: %d waves (short: %v), %d requests, %d bytes; want 1, %d, under 40000", cold.Waves, cold.Short, cold.Requests, size, coldWave)
	}
	t.Logf("cold: %d wave, %d requests, %d bytes of bodies", cold.Waves, cold.Requests, size)

	s.Gather(3)
	again, err := registry.Fetch(t.Context(), src, csv)
	if err != nil || !bytes.Equal(again.Files["tool.py"], c.Files["tool.py"]) || !bytes.Equal(again.Chain.Record, c.Chain.Record) {
		t.Fatalf("warm: %v", err)
	}
	if warm := s.Take(); warm.Short || warm.Requests != 3 || warm.NotModified != 3 || warm.Bytes != 0 {
		t.Errorf("warm: %+v, want three answers 304 at once and no bytes", warm)
	}
	if _, err := registry.FetchHead(t.Context(), src); err != nil {
		t.Fatal(err)
	}
	if head := s.Take(); head.Requests != 1 || head.NotModified != 1 {
		t.Errorf("unchanged head: %+v, want one answer 304", head)
	}
	if _, err := registry.FetchRecord(t.Context(), src, csv.Name); err != nil {
		t.Fatal(err)
	}
	if record := s.Take(); record.Requests != 1 || record.NotModified != 1 {
		t.Errorf("unchanged record: %+v, want one answer 304", record)
	}
	// Nobody remembers this bucket and record: one more wave, no more.
	s.Gather(1, 5)
	if chain, err := registry.FetchRecord(t.Context(), src, "some_tool_with_a_name_0"); err != nil || chain.Record == nil {
		t.Fatalf("another record: %v", err)
	}
	if other := s.Take(); other.Short || other.Requests != 6 || other.NotModified != 4 {
		t.Errorf("another record: %+v, want the evidence, then the rest at once", other)
	}
}

// A release with more files takes a second wave, the latest version a wave to
// find out which it is.
func TestFetchMoreWaves(t *testing.T) {
	s := registrytest.NewServer(t, registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0",
		spec.File{Path: "closure.json", Data: []byte("{}\n")}, spec.File{Path: "pylock.toml", Data: []byte("x = 1\n")})))
	s.Gather(coldWave, 2)
	if c, err := registry.Fetch(t.Context(), mustOpen(t, s.URL, options(t, s)), csv); err != nil || len(c.Files) != 4 {
		t.Fatalf("exact: %d files, %v", len(c.Files), err)
	}
	if got := s.Take(); got.Short || got.Requests != coldWave+2 {
		t.Errorf("exact: %+v, want %d requests and then 2", got, coldWave)
	}
	s.Gather(6, 5, 2)
	if c, err := registry.Fetch(t.Context(), mustOpen(t, s.URL, options(t, s)), spec.Ref{Name: csv.Name}); err != nil || len(c.Files) != 4 {
		t.Fatalf("latest: %d files, %v", len(c.Files), err)
	}
	if got := s.Take(); got.Short || got.Requests != 13 {
		t.Errorf("latest: %+v, want 6, 5 and 2 requests", got)
	}
}

// TestFetchChanged: a warm client learns of a new head and gets the rest at once.
func TestFetchChanged(t *testing.T) {
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	s := registrytest.NewServer(t, r.Files())
	src := mustOpen(t, s.URL, options(t, s))
	if _, err := registry.Fetch(t.Context(), src, csv); err != nil {
		t.Fatal(err)
	}
	r.Withdraw(t, ledger.EventRevoke, csv, "sends its input away")
	s.Serve(r.Files())
	s.Take()
	c, err := registry.FetchHead(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := ledger.ParseRevoked(c.Revoked); err != nil || list.Reason(csv.Name, csv.Version) == "" {
		t.Errorf("the revocation is not seen: %v", err)
	}
	if got := s.Take(); got.Requests != 3 {
		t.Errorf("requests %v, want the evidence, the head and the list", got.Paths)
	}
}

// Edge caches that hold old files for those who do not ask past them, and that
// have not even the objects: the second attempt asks past them.
func TestFetchPastStaleCaches(t *testing.T) {
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "0.9.0"))
	old := r.Files()
	for i := range 3 { // so that the objects of old are gone
		r.Publish(t, registrytest.Release("csv_to_json", fmt.Sprintf("0.9.%d", i+1)))
	}
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	now := r.Files()
	for name, stale := range map[string][]string{
		"record":           {ledger.RecordPath(csv.Name)},
		"evidence":         {ledger.HeadEvidencePath},
		"the whole chain":  {ledger.HeadEvidencePath, ledger.HeadPath, ledger.BucketsPath, ledger.BucketPath(ledger.BucketOf(csv.Name)), ledger.RecordPath(csv.Name)},
		"all but the list": {ledger.HeadEvidencePath, ledger.HeadPath, ledger.BucketsPath, ledger.BucketPath(ledger.BucketOf(csv.Name))},
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.NewServer(t, now)
			s.Handle(func(w http.ResponseWriter, req *http.Request, path string) bool {
				if req.URL.Query().Get("fresh") != "" {
					if req.Header.Get("Cache-Control") != "no-cache" || req.Header.Get("If-None-Match") != "" {
						t.Errorf("a fresh request has the headers %v", req.Header)
					}
					return false
				}
				if strings.HasPrefix(path, "objects/") {
					w.WriteHeader(http.StatusNotFound)
					return true
				}
				if slices.Contains(stale, path) {
					_, _ = w.Write(old[path])
					return true
				}
				return false
			})
			src := mustOpen(t, s.URL, options(t, s))
			c, err := registry.Fetch(t.Context(), src, csv)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(c.Chain.Record, now[ledger.RecordPath(csv.Name)]) || len(c.Files) != 2 {
				t.Errorf("the old state was not left: record %s, %d files", c.Chain.Record, len(c.Files))
			}
		})
	}
}

// graft puts a release.json of anybody's making into a tree so that every
// digest from the head down fits; only signatures do not.
func graft(t *testing.T, tree map[string][]byte, ref spec.Ref, release []byte) map[string][]byte {
	t.Helper()
	out := maps.Clone(tree)
	record, err := ledger.ParseRecord(tree[ledger.RecordPath(ref.Name)], ref.Name)
	if err != nil {
		t.Fatal(err)
	}
	i := ledger.BucketOf(ref.Name)
	bucket, err1 := ledger.ParseBucket(tree[ledger.BucketPath(i)], i)
	buckets, err2 := ledger.ParseBuckets(tree[ledger.BucketsPath])
	head, err3 := ledger.ParseHead(tree[ledger.HeadPath])
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	put := func(path string, doc any) spec.Digest {
		out[path] = ledger.Encode(doc)
		return spec.DigestOf(out[path])
	}
	out[ledger.ReleasePath(ref.Name, ref.Version, ledger.ReleaseFileName)] = release
	record.Find(ref.Version).Release = spec.DigestOf(release)
	bucket.Names[ref.Name] = put(ledger.RecordPath(ref.Name), record)
	buckets.Set(i, put(ledger.BucketPath(i), bucket))
	head.Buckets = put(ledger.BucketsPath, buckets)
	st := ledger.NewStatement(registrytest.Name.HeadSubject(), put(ledger.HeadPath, head), ledger.PredicateHead, ledger.HeadPredicate{})
	put(ledger.HeadEvidencePath, ledger.NewBundle("", ledger.Encode(st), []byte("none")))
	return out
}

// TestFetchHostileList: a release.json can make us ask for what it lists and
// for nothing else.
func TestFetchHostileList(t *testing.T) {
	tree := registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0"))
	doc := func(change func(*ledger.Release)) []byte {
		d, err := ledger.ParseRelease(tree[ledger.ReleasePath(csv.Name, csv.Version, ledger.ReleaseFileName)])
		if err != nil {
			t.Fatal(err)
		}
		change(d)
		return ledger.Encode(d)
	}
	file := func(path string, size int64) ledger.ReleaseFile { return ledger.ReleaseFile{Path: path, Size: size} }
	for name, one := range map[string]struct {
		release []byte
		asked   int // paths beside the first wave, in the first attempt
	}{
		"the twin that is accepted": {doc(func(d *ledger.Release) { d.Files = append(d.Files, file("x.txt", 1)) }), 1},
		"a million files": {doc(func(d *ledger.Release) {
			for i := range 20_000 { // as many as a document can hold, nearly
				d.Files = append(d.Files, file(fmt.Sprintf("x%06d", i), 1))
			}
		}), 0},
		"201 files": {doc(func(d *ledger.Release) {
			for i := range 199 {
				d.Files = append(d.Files, file(fmt.Sprintf("x%06d", i), 1))
			}
		}), 0},
		"a huge file":      {doc(func(d *ledger.Release) { d.Files = append(d.Files, file("x.txt", 1<<40)) }), 0},
		"a negative file":  {doc(func(d *ledger.Release) { d.Files = append(d.Files, file("x.txt", -1)) }), 0},
		"a climbing path":  {doc(func(d *ledger.Release) { d.Files = append(d.Files, file("x/../../../../secret", 1)) }), 0},
		"an absolute path": {doc(func(d *ledger.Release) { d.Files = append([]ledger.ReleaseFile{file("/etc/passwd", 1)}, d.Files...) }), 0},
		"another address":  {doc(func(d *ledger.Release) { d.Files = append(d.Files, file("x://evil/y", 1)) }), 0},
		"no document":      {[]byte("<html>welcome to the airport</html>"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.NewServer(t, graft(t, tree, csv, one.release))
			c, err := registry.Fetch(t.Context(), mustOpen(t, s.URL, options(t, s)), csv)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(c.Release, one.release) {
				t.Error("the release.json was not handed on as it is")
			}
			got := s.Take()
			asked := 0
			for _, p := range got.Paths {
				if strings.Contains(p, "/x") || strings.Contains(p, "etc") {
					if !strings.Contains(p, "fresh=") {
						asked++
					}
				}
			}
			if asked != one.asked || got.Requests > 2*(coldWave+one.asked) {
				t.Errorf("%d of its paths were asked for, want %d; %d requests in all", asked, one.asked, got.Requests)
			}
		})
	}
}

// A file that is larger than release.json says is cut off, not read.
func TestFetchLyingSize(t *testing.T) {
	tree := registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0", spec.File{Path: "words.txt", Data: []byte("abc")}))
	path := ledger.ReleasePath(csv.Name, csv.Version, "words.txt")
	tree[path] = bytes.Repeat([]byte("a"), 1<<20)
	s := registrytest.NewServer(t, tree)
	_, err := registry.Fetch(t.Context(), mustOpen(t, s.URL, options(t, s)), csv)
	if fault.ReasonOf(err) != "too_large" || fault.KindOf(err) != fault.NotVerified {
		t.Errorf("got %v, want too_large", err)
	}
	tree[path] = []byte("abc")
	s.Serve(tree)
	if c, err := registry.Fetch(t.Context(), mustOpen(t, s.URL, options(t, s)), csv); err != nil || string(c.Files["words.txt"]) != "abc" {
		t.Errorf("the honest twin: %v", err)
	}
}

// What could not be told is not passed off as absent.
func TestFetchUnavailable(t *testing.T) {
	tree := registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0"))
	for _, path := range []string{
		ledger.HeadEvidencePath, ledger.BucketPath(ledger.BucketOf(csv.Name)), ledger.RecordPath(csv.Name),
		ledger.ReleasePath(csv.Name, csv.Version, ledger.ProofFileName), ledger.ReleasePath(csv.Name, csv.Version, "tool.py"),
	} {
		s := registrytest.NewServer(t, tree)
		s.Handle(func(w http.ResponseWriter, _ *http.Request, p string) bool {
			if p == path {
				w.WriteHeader(http.StatusBadGateway)
			}
			return p == path
		})
		_, err := registry.Fetch(t.Context(), mustOpen(t, s.URL, options(t, s)), csv)
		if fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "http_502" {
			t.Errorf("%s: %v, want http_502", path, err)
		}
	}
	// A guess that is not in the list may fail without harm.
	r := registrytest.Release("csv_to_json", "1.0.0")
	r.Files = slices.DeleteFunc(r.Files, func(f spec.File) bool { return f.Path == ledger.ReportFileName })
	s := registrytest.NewServer(t, registrytest.Tree(t, r))
	s.Handle(func(w http.ResponseWriter, _ *http.Request, p string) bool {
		if strings.HasSuffix(p, ledger.ReportFileName) {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	})
	if c, err := registry.Fetch(t.Context(), mustOpen(t, s.URL, options(t, s)), csv); err != nil || len(c.Files) != 1 {
		t.Errorf("a failed guess: %d files, %v", len(c.Files), err)
	}
}

func TestFetchZeroRef(t *testing.T) {
	m := registry.NewMemory()
	if _, err := registry.Fetch(t.Context(), m, spec.Ref{}); fault.ReasonOf(err) != "ref" {
		t.Errorf("Fetch: %v", err)
	}
	if _, err := registry.FetchRecord(t.Context(), m, ""); fault.ReasonOf(err) != "ref" {
		t.Errorf("FetchRecord: %v", err)
	}
}

// BenchmarkFetchHTTP pulls an exact version with 50 ms on the way there and
// back, into an empty cache.
func BenchmarkFetchHTTP(b *testing.B) {
	s := registrytest.NewServer(b, registrytest.Tree(b, registrytest.Release("csv_to_json", "1.0.0")))
	s.Latency = 100 * time.Millisecond
	for b.Loop() {
		src, err := registry.Open(b.Context(), s.URL, registry.Options{HTTP: s.Client(), CacheDir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := registry.Fetch(b.Context(), src, csv); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(s.Take().Waves)/float64(b.N), "waves/op")
}

// One document by its digest: at its own path, among the objects, past the
// caches, and if nowhere, then what there is.
func TestFetchObject(t *testing.T) {
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	old := r.Files()[ledger.CataloguePath]
	r.Publish(t, registrytest.Release("text_diff", "1.0.0"))
	tree := r.Files()
	digest := spec.DigestOf(tree[ledger.CataloguePath])
	for name, one := range map[string]struct {
		stale func(path string, fresh bool) []byte // what a cache answers; nil to pass it on, empty for 404
		want  []byte
	}{
		"at its path":     {func(string, bool) []byte { return nil }, tree[ledger.CataloguePath]},
		"among objects":   {func(p string, _ bool) []byte { return map[string][]byte{ledger.CataloguePath: old}[p] }, tree[ledger.CataloguePath]},
		"past the caches": {func(p string, fresh bool) []byte { return map[bool][]byte{false: old}[fresh] }, tree[ledger.CataloguePath]},
		"nowhere":         {func(string, bool) []byte { return old }, old},
		"absent":          {func(string, bool) []byte { return []byte{} }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.NewServer(t, tree)
			if err := r.Write(t.Context(), ledger.ObjectPath(digest), tree[ledger.CataloguePath], false); err != nil {
				t.Fatal(err)
			}
			s.Serve(r.Files())
			s.Handle(func(w http.ResponseWriter, req *http.Request, path string) bool {
				b := one.stale(path, req.URL.Query().Has("fresh"))
				switch {
				case b == nil:
					return false
				case len(b) == 0:
					w.WriteHeader(http.StatusNotFound)
				default:
					_, _ = w.Write(b)
				}
				return true
			})
			got, err := registry.FetchObject(t.Context(), mustOpen(t, s.URL, options(t, s)), ledger.CataloguePath, digest, 1<<20)
			if !bytes.Equal(got, one.want) || (one.want == nil) != errors.Is(err, fs.ErrNotExist) || one.want != nil && err != nil {
				t.Errorf("got %q, %v, want %q", got, err, one.want)
			}
		})
	}
}
