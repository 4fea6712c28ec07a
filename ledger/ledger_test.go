package ledger_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

const now = "2026-11-21T12:00:00Z"

func someHead() *ledger.Head {
	return &ledger.Head{
		Schema: ledger.HeadSchema, Registry: "demo/tools", Seq: 3, Commit: "0a1b", Time: now,
		Buckets: spec.DigestOf([]byte("b")), Revoked: spec.DigestOf([]byte("r")), Catalogue: spec.DigestOf([]byte("c")),
		Log: ledger.LogRoot{Size: 7, Root: spec.DigestOf([]byte("l"))},
	}
}

func someRecord() *ledger.Record {
	v := func(s spec.Version) ledger.RecordVersion {
		return ledger.RecordVersion{Version: s, Release: spec.DigestOf([]byte(s)), Published: now, Permissions: spec.Permissions{Filesystem: spec.FilesystemNone}}
	}
	return &ledger.Record{
		Schema: ledger.RecordSchema, Name: "csv_to_json", Description: "Turns <CSV> into JSON & back.", Owners: []ledger.Owner{{Login: "a", ID: 1}},
		Versions: []ledger.RecordVersion{v("1.0.0"), v("1.2.0"), v("2.0.0-rc.1")}, Summary: ledger.Summary{Format: spec.FormatPatch},
	}
}

func someRelease() *ledger.Release {
	return &ledger.Release{
		Schema: ledger.ReleaseSchema, Registry: "demo/tools", Name: "csv_to_json", Version: "1.0.0", Format: spec.FormatPatch,
		Files: []ledger.ReleaseFile{{Path: "report.json", Size: 2, SHA256: spec.DigestOf([]byte("{}"))}, {Path: "tool.py", Size: 1, SHA256: spec.DigestOf([]byte("x"))}},
	}
}

// TestCanonical: each document reads back from its own bytes, and no other
// spelling of the same content is read.
func TestCanonical(t *testing.T) {
	bucket := ledger.NewBucket()
	bucket.Names["csv_to_json"] = spec.DigestOf([]byte("r"))
	i := ledger.BucketOf("csv_to_json")
	buckets := ledger.NewBuckets()
	buckets.Set(i, spec.DigestOf(ledger.Encode(bucket)))
	docs := map[string]struct {
		bytes []byte
		parse func([]byte) (any, error)
	}{
		"head":    {ledger.Encode(someHead()), func(b []byte) (any, error) { return ledger.ParseHead(b) }},
		"buckets": {ledger.Encode(buckets), func(b []byte) (any, error) { return ledger.ParseBuckets(b) }},
		"bucket":  {ledger.Encode(bucket), func(b []byte) (any, error) { return ledger.ParseBucket(b, i) }},
		"record":  {ledger.Encode(someRecord()), func(b []byte) (any, error) { return ledger.ParseRecord(b, "csv_to_json") }},
		"release": {ledger.Encode(someRelease()), func(b []byte) (any, error) { return ledger.ParseRelease(b) }},
		"revoked": {ledger.Encode(ledger.NewRevoked()), func(b []byte) (any, error) { return ledger.ParseRevoked(b) }},
	}
	for name, d := range docs {
		t.Run(name, func(t *testing.T) {
			got, err := d.parse(d.bytes)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(ledger.Encode(got), d.bytes) {
				t.Error("the document does not survive reading")
			}
			text := string(d.bytes)
			for trick, bad := range map[string]string{
				"no line feed":      strings.TrimSuffix(text, "\n"),
				"white space":       strings.Replace(text, `,`, `, `, 1),
				"unknown member":    `{"x":1,` + text[1:],
				"duplicate member":  `{"schema":"x",` + text[1:],
				"case of a member":  strings.Replace(text, `"schema"`, `"Schema"`, 1),
				"escaped character": strings.Replace(text, `"schema"`, `"sch\u0065ma"`, 1),
				"text after":        text + "{}\n",
				"another schema":    strings.NewReplacer("/v1", "/v3", "/v2", "/v3").Replace(text),
				"nothing":           "",
				"null":              "null\n",
				"array":             "[]\n",
			} {
				if _, err := d.parse([]byte(bad)); err == nil {
					t.Errorf("%s: accepted", trick)
				}
			}
		})
	}
}

func TestBucketHoldsOnlyItsNames(t *testing.T) {
	b := ledger.NewBucket()
	b.Names["csv_to_json"] = spec.DigestOf(nil)
	i := ledger.BucketOf("csv_to_json")
	if _, err := ledger.ParseBucket(ledger.Encode(b), i); err != nil {
		t.Error(err)
	}
	if _, err := ledger.ParseBucket(ledger.Encode(b), (i+1)%256); err == nil {
		t.Error("a name is accepted in a bucket that it does not belong to")
	}
}

func TestReleaseRefusals(t *testing.T) {
	for name, change := range map[string]func(*ledger.Release){
		"path climbs out":    func(r *ledger.Release) { r.Files[0].Path = "../report.json" },
		"absolute path":      func(r *ledger.Release) { r.Files[0].Path = "/report.json" },
		"lists its evidence": func(r *ledger.Release) { r.Files[0].Path = ledger.EvidenceFileName },
		"twice the same":     func(r *ledger.Release) { r.Files[0].Path = "tool.py" },
		"twins in case":      func(r *ledger.Release) { r.Files[0].Path = "TOOL.py" },
		"out of order":       func(r *ledger.Release) { slices.Reverse(r.Files) },
		"no main file":       func(r *ledger.Release) { r.Files = r.Files[:1] },
		"negative size":      func(r *ledger.Release) { r.Files[0].Size = -1 },
		"too large":          func(r *ledger.Release) { r.Files[0].Size = 1 << 40 },
		"unknown format":     func(r *ledger.Release) { r.Format = "exe" },
		"no files":           func(r *ledger.Release) { r.Files = nil },
		"hidden file":        func(r *ledger.Release) { r.Files[0].Path = ".env" },
		"sum of sizes":       func(r *ledger.Release) { r.Files[0].Size, r.Files[1].Size = 2<<20, 2<<20 },
	} {
		r := someRelease()
		change(r)
		if _, err := ledger.ParseRelease(ledger.Encode(r)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	many := someRelease()
	for i := range 201 {
		many.Files = append(many.Files, ledger.ReleaseFile{Path: fmt.Sprintf("x%03d", i)})
	}
	if _, err := ledger.ParseRelease(ledger.Encode(many)); err == nil {
		t.Error("too many files: accepted")
	}
}

func TestLatest(t *testing.T) {
	r := someRecord()
	for _, step := range []struct {
		change func()
		want   spec.Version
	}{
		{func() {}, "1.2.0"}, // a pre-release is never the latest
		{func() { r.Versions[1].Yanked = "broken" }, "1.0.0"},
		{func() { r.Versions[0].Revoked = "malware" }, ""},
		{func() { r.Versions[1].Yanked = "" }, "1.2.0"},
	} {
		step.change()
		got := spec.Version("")
		if v := r.Latest(); v != nil {
			got = v.Version
		}
		if got != step.want {
			t.Errorf("latest is %q, want %q", got, step.want)
		}
	}
}

func newKey(tb testing.TB) (*ecdsa.PrivateKey, []byte) {
	tb.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&k.PublicKey)
	if err != nil {
		tb.Fatal(err)
	}
	return k, der
}

func signed(tb testing.TB, k *ecdsa.PrivateKey, der []byte, root ledger.LogRoot) []byte {
	tb.Helper()
	n, err := ledger.SignCheckpoint("demo/tools", root, der, func(b []byte) ([]byte, error) { return ledger.SignECDSA(k, b) })
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

func TestCheckpoint(t *testing.T) {
	k, der := newKey(t)
	root := ledger.LogRoot{Size: 12, Root: spec.DigestOf([]byte("root"))}
	n := signed(t, k, der, root)
	if !bytes.Equal(n, signed(t, k, der, root)) {
		t.Error("signing twice gives two notes")
	}
	got, err := ledger.OpenCheckpoint(n, "demo/tools", der)
	if err != nil || got != root {
		t.Fatalf("got %v, %v", got, err)
	}
	_, other := newKey(t)
	if _, err := ledger.OpenCheckpoint(n, "demo/tools", other); err == nil {
		t.Error("another key is accepted")
	}
	if _, err := ledger.OpenCheckpoint(n, "demo/other", der); err == nil {
		t.Error("another log is accepted")
	}
	if _, err := ledger.OpenCheckpoint(bytes.Replace(n, []byte("\n12\n"), []byte("\n13\n"), 1), "demo/tools", der); err == nil {
		t.Error("another size is accepted")
	}
}

// logOf is a log in memory, to which entries are added a few at a time.
type logOf struct {
	root  ledger.LogRoot
	tiles map[string][]byte
	last  *ledger.Appended
}

func (l *logOf) read(path string) ([]byte, error) {
	if b, ok := l.tiles[path]; ok {
		return b, nil
	}
	return nil, fmt.Errorf("no tile %s", path)
}

func (l *logOf) add(tb testing.TB, n int) {
	tb.Helper()
	var entries [][]byte
	for i := range n {
		entries = append(entries, entryBytes(l.root.Size+int64(i)))
	}
	a, err := ledger.Append(l.root, entries, l.read)
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range a.Tiles {
		l.tiles[f.Path] = f.Data
	}
	l.root, l.last = a.Root, a
}

func someEntry(i int64) ledger.Entry {
	return ledger.Entry{
		Schema: ledger.EntrySchema, Event: ledger.EventAccept, Name: spec.Name(fmt.Sprintf("tool%d", i)), Version: "1.0.0",
		Release: spec.DigestOf(fmt.Append(nil, i)), Time: now,
	}
}

func entryBytes(i int64) []byte { return ledger.Encode(someEntry(i)) }

// TestLog grows a log over several tile borders and asks of each state: is
// every new entry included, does the state continue all states before, are the
// tiles those of a log that was built at once.
func TestLog(t *testing.T) {
	l := &logOf{tiles: map[string][]byte{}}
	var states []ledger.LogRoot
	for _, n := range []int{1, 1, 3, 250, 1, 1, 300, 2, 70} {
		before := l.root.Size
		l.add(t, n)
		for i := before; i < l.root.Size; i += max(1, (l.root.Size-before)/5) {
			hashes, err := l.last.Prove(i)
			if err != nil {
				t.Fatal(err)
			}
			p := ledger.Proof{Schema: ledger.ProofSchema, Entry: someEntry(i), Index: i, Hashes: hashes}
			if err := p.Included(l.root); err != nil {
				t.Errorf("entry %d of %d: %v", i, l.root.Size, err)
			}
			p.Entry.Reason = "changed"
			if p.Included(l.root) == nil {
				t.Errorf("entry %d of %d: another entry is included too", i, l.root.Size)
			}
		}
		for _, old := range states {
			if err := ledger.Consistent(old, l.root, l.read); err != nil {
				t.Errorf("%d to %d: %v", old.Size, l.root.Size, err)
			}
			forged := old
			forged.Root[0] ^= 1
			if ledger.Consistent(forged, l.root, l.read) == nil {
				t.Errorf("%d to %d: a fork is consistent", old.Size, l.root.Size)
			}
			if ledger.Consistent(l.root, old, l.read) == nil {
				t.Errorf("%d to %d: a shorter log is consistent", l.root.Size, old.Size)
			}
		}
		states = append(states, l.root)
	}
	whole := &logOf{tiles: map[string][]byte{}}
	whole.add(t, int(l.root.Size))
	if whole.root != l.root {
		t.Error("the root depends on how the entries were added")
	}
	for path, data := range whole.tiles {
		if !bytes.Equal(l.tiles[path], data) {
			t.Errorf("tile %s depends on how the entries were added", path)
		}
	}
	var entries [][]byte
	for p := range ledger.EntryTiles(l.root.Size, 0) {
		es, err := p.Split(l.tiles[p.Path])
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, es...)
	}
	for i, e := range entries {
		if !bytes.Equal(e, entryBytes(int64(i))) {
			t.Fatalf("entry %d reads back as %s", i, e)
		}
	}
}

func TestAppendBelievesNoTile(t *testing.T) {
	l := &logOf{tiles: map[string][]byte{}}
	l.add(t, 300)
	for path, data := range maps.Clone(l.tiles) {
		if !strings.Contains(path, "/0/001") {
			continue
		}
		l.tiles[path] = append([]byte{data[0] ^ 1}, data[1:]...)
	}
	if _, err := ledger.Append(l.root, [][]byte{entryBytes(300)}, l.read); err == nil {
		t.Error("a damaged tile is built upon")
	}
}

func TestCatalogue(t *testing.T) {
	c := ledger.EmptyCatalogue()
	for _, change := range []map[spec.Name]*ledger.Listing{
		{"mmm": line("mmm", "m")},
		{"aaa": line("aaa", "a"), "zzz": line("zzz", `quotes " and , and <`)},
		{"mmm": line("mmm", "new")},
		{"abc": line("abc", "x"), "zzz": nil, "nope": nil},
	} {
		var err error
		if c, err = ledger.UpdateCatalogue(c, change); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.ParseCatalogue(c); err != nil {
			t.Fatalf("%v in\n%s", err, c)
		}
	}
	got, err := ledger.ParseCatalogue(c)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range got {
		names = append(names, string(l.Name)+"="+l.Description)
	}
	if want := []string{"aaa=a", "abc=x", "mmm=new"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	for _, bad := range []string{"", "{}", strings.Replace(string(c), "abc", "zzz", 1), strings.TrimSuffix(string(c), "]}\n"), strings.Replace(string(c), "\n]", ",\n]", 1)} {
		if _, err := ledger.ParseCatalogue([]byte(bad)); err == nil {
			t.Errorf("accepted:\n%s", bad)
		}
	}
}

func TestClosure(t *testing.T) {
	good := func() *ledger.Closure {
		return &ledger.Closure{Schema: ledger.ClosureSchema, Python: "3.12", Resolver: "uv 0.9", Targets: map[string][]ledger.Wheel{
			"linux-x86_64-glibc2.28": {{Name: "six", Version: "1.16.0", File: "six-1.16.0-py2.py3-none-any.whl", URL: "https://files.example/six.whl", SHA256: spec.DigestOf([]byte("w")), Size: 11}},
		}}
	}
	if _, err := ledger.ParseClosure(ledger.Encode(good())); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*ledger.Wheel){
		"http":        func(w *ledger.Wheel) { w.URL = "http://files.example/six.whl" },
		"credentials": func(w *ledger.Wheel) { w.URL = "https://u:p@files.example/six.whl" },
		"file URL":    func(w *ledger.Wheel) { w.URL = "file:///etc/passwd" },
		"path":        func(w *ledger.Wheel) { w.File = "../six.whl" },
		"not a wheel": func(w *ledger.Wheel) { w.File = "six.tar.gz" },
		"option":      func(w *ledger.Wheel) { w.Name = "--target" },
		"empty":       func(w *ledger.Wheel) { w.Size = 0 },
		"huge":        func(w *ledger.Wheel) { w.Size = 1 << 40 },
	} {
		c := good()
		change(&c.Targets["linux-x86_64-glibc2.28"][0])
		if _, err := ledger.ParseClosure(ledger.Encode(c)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestBundle(t *testing.T) {
	k, der := newKey(t)
	s := ledger.NewStatement("pkg:patch-git/demo/tools/abc@1.0.0", spec.DigestOf([]byte("x")), ledger.PredicateHead, ledger.HeadPredicate{Registry: ledger.RegistryID{Name: "demo/tools"}, Seq: 1})
	payload := ledger.Encode(s)
	sig, err := ledger.SignECDSA(k, ledger.PAE(ledger.PayloadType, payload))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ledger.ParseBundle(ledger.Encode(ledger.NewBundle(ledger.KeyHint(der), payload, sig)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ledger.ParseStatement(b.Envelope.Payload)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := ledger.ParseHeadPredicate(got); err != nil || p.Seq != 1 {
		t.Errorf("predicate is %v, %v", p, err)
	}
	if got, want := string(ledger.PAE("http://example.com/HelloWorld", []byte("hello world"))), "DSSEv1 29 http://example.com/HelloWorld 11 hello world"; got != want {
		t.Errorf("PAE is %q, want the example of the DSSE specification, %q", got, want)
	}
	two := ledger.NewBundle(ledger.KeyHint(der), payload, sig)
	two.Envelope.Signatures = append(two.Envelope.Signatures, two.Envelope.Signatures[0])
	if _, err := ledger.ParseBundle(ledger.Encode(two)); err == nil {
		t.Error("two signatures are accepted")
	}
	subjects := *s
	subjects.Subject = append(subjects.Subject, subjects.Subject[0])
	if _, err := ledger.ParseStatement(ledger.Encode(subjects)); err == nil {
		t.Error("two subjects are accepted")
	}
	// A statement may carry any predicate; reading it as ours must not be lax.
	odd := *s
	odd.Predicate = []byte(`{"registry":{"name":"demo/tools"},"seq":1,"log_size":0,"more":true}`)
	if _, err := ledger.ParseHeadPredicate(&odd); err == nil {
		t.Error("a predicate with an unknown member is accepted")
	}
}
