package inspect_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// tree is a published tree in memory with the key that signed it.
type tree struct {
	tb     testing.TB
	key    *signing.Key
	signer registry.Signer
	store  *registry.Memory
	doc    *ledger.Registry
	clock  time.Time
	policy verify.Policy
	index  func(context.Context, []byte) ledger.IndexRoot
}

func newTree(tb testing.TB) *tree {
	tb.Helper()
	key, err := signing.NewKey()
	if err != nil {
		tb.Fatal(err)
	}
	t := &tree{tb: tb, key: key, signer: key, store: registry.NewMemory(), clock: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	t.doc = &ledger.Registry{Schema: ledger.RegistrySchema, Name: "acme/tools", Trust: key.Trust()}
	t.policy = verify.Policy{Registry: t.doc.Name, Trust: key.Trust()}
	t.seal(t.store, registry.Batch{})
	return t
}

func (t *tree) seal(store registry.Store, b registry.Batch) {
	t.tb.Helper()
	t.clock = t.clock.Add(time.Minute)
	_, err := registry.Seal(context.Background(), store, b, registry.SealOptions{
		Registry: t.doc, Signer: t.signer, Now: func() time.Time { return t.clock }, Checker: "patch-git test", Index: t.index,
		CheckHead: func(evidence, head []byte) error {
			_, err := t.policy.HeadOnly(evidence, head)
			return err
		},
	})
	if err != nil {
		t.tb.Fatal(err)
	}
}

// accepted is a checked release of a small tool.
func accepted(tb testing.TB, name spec.Name, version spec.Version) registry.Acceptance {
	tb.Helper()
	tool := &spec.Tool{
		Format: spec.FormatPatch, Name: name, Version: version, Description: "Returns the text that it is given.",
		Inputs:       []spec.Input{{Name: "text", Type: spec.TypeString, Description: "The text.", Required: true}},
		Output:       spec.Output{Type: spec.TypeString},
		Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: "3.9", Packages: []string{}},
	}
	data := append(manifest.Print(tool), "\n\ndef main(text):\n    return text\n"...)
	m, findings := manifest.Read("tool.py", data, manifest.Strict)
	if m == nil || spec.Blocking(findings) {
		tb.Fatalf("the fixture is not valid: %v", findings)
	}
	report := fmt.Appendf(nil, "{\"of\":%q}\n", spec.Ref{Name: name, Version: version}.At())
	return registry.Acceptance{
		Release: &spec.Release{Ref: spec.Ref{Name: name, Version: version}, Tool: m.Tool, Files: []spec.File{
			{Path: "report.json", Data: report}, {Path: "tool.py", Data: data},
		}},
		Contributor: ledger.Owner{Login: "ann", ID: 7}, Report: spec.DigestOf(report),
	}
}

func (t *tree) publish(refs ...string) {
	t.tb.Helper()
	var b registry.Batch
	for _, s := range refs {
		r, err := spec.ParseRef(s)
		if err != nil {
			t.tb.Fatal(err)
		}
		b.Accept = append(b.Accept, accepted(t.tb, r.Name, r.Version))
	}
	t.seal(t.store, b)
}

func (t *tree) withdraw(e ledger.Event, at, reason string) {
	t.tb.Helper()
	r, err := spec.ParseRef(at)
	if err != nil {
		t.tb.Fatal(err)
	}
	t.seal(t.store, registry.Batch{Withdraw: []registry.Withdrawal{{Event: e, Name: r.Name, Version: r.Version, Reason: reason}}})
}

// lived is a tree in which everything has happened once.
func lived(tb testing.TB) *tree {
	tb.Helper()
	t := newTree(tb)
	t.publish("echo_text@1.0.0", "case_text@1.0.0", "word_text@1.0.0")
	t.publish("echo_text@1.1.0")
	t.withdraw(ledger.EventYank, "echo_text@1.0.0", "wrong in Turkish")
	t.withdraw(ledger.EventYank, "word_text@1.0.0", "slow")
	t.withdraw(ledger.EventUnyank, "word_text@1.0.0", "")
	t.withdraw(ledger.EventRevoke, "case_text@1.0.0", "sends the text away")
	t.publish("echo_text@1.2.0")
	return t
}

// filled is a lived tree whose log has more than one tile.
func filled(tb testing.TB, entries int) *tree {
	tb.Helper()
	t := lived(tb)
	var refs []string
	for i := range entries {
		refs = append(refs, fmt.Sprintf("tool_n%d@1.0.0", i))
	}
	t.publish(refs...)
	return t
}

// copied is the same tree with a store of its own.
func (t *tree) copied(tb testing.TB) *tree {
	tb.Helper()
	c := *t
	c.tb, c.store = tb, registry.NewMemory()
	for p, b := range t.store.Files() {
		c.write(p, b)
	}
	return &c
}

func (t *tree) audit(o inspect.Options) *inspect.Report {
	t.tb.Helper()
	r, err := inspect.Tree(context.Background(), t.store, t.policy, o)
	if err != nil {
		t.tb.Fatal(err)
	}
	return r
}

func (t *tree) read(path string) []byte {
	t.tb.Helper()
	b, err := t.store.Read(context.Background(), path, 1<<26)
	if err != nil {
		t.tb.Fatal(err)
	}
	return b
}

func (t *tree) write(path string, data []byte) {
	t.tb.Helper()
	if err := t.store.Write(context.Background(), path, data, false); err != nil {
		t.tb.Fatal(err)
	}
}

func (t *tree) remove(path string) {
	t.tb.Helper()
	if err := t.store.Remove(context.Background(), path); err != nil {
		t.tb.Fatal(err)
	}
}

// alone takes away what stands in for a fixed path of another generation.
func (t *tree) alone() {
	t.tb.Helper()
	for p := range t.store.Files() {
		if len(p) > len(ledger.ObjectsDir) && p[:len(ledger.ObjectsDir)] == ledger.ObjectsDir {
			t.remove(p)
		}
	}
}

func (t *tree) flip(path string) {
	t.tb.Helper()
	b := t.read(path)
	b[len(b)/2] ^= 1
	t.write(path, b)
}

// head is what the tree's head says now.
func (t *tree) head() *ledger.Head {
	t.tb.Helper()
	h, err := ledger.ParseHead(t.read(ledger.HeadPath))
	if err != nil {
		t.tb.Fatal(err)
	}
	return h
}

// sign publishes a head as the registry's key would: an insider's lie has a
// signature that fits.
func (t *tree) sign(h *ledger.Head) {
	t.tb.Helper()
	raw := ledger.Encode(h)
	evidence, err := t.key.Sign(context.Background(), ledger.NewStatement(t.doc.Name.HeadSubject(), spec.DigestOf(raw), ledger.PredicateHead,
		ledger.HeadPredicate{Registry: ledger.RegistryID{Name: t.doc.Name}, Seq: h.Seq, LogSize: h.Log.Size}))
	if err != nil {
		t.tb.Fatal(err)
	}
	t.write(ledger.HeadPath, raw)
	t.write(ledger.HeadEvidencePath, evidence)
}

// rewrite changes the record of a name and everything above it, signed anew,
// the catalogue included: what is left is only what the log says. A nil record
// takes the name out.
func (t *tree) rewrite(name spec.Name, change func(*ledger.Record) *ledger.Record) {
	t.tb.Helper()
	must := func(err error) {
		if err != nil {
			t.tb.Helper()
			t.tb.Fatal(err)
		}
	}
	h := t.head()
	buckets, err := ledger.ParseBuckets(t.read(ledger.BucketsPath))
	must(err)
	i := ledger.BucketOf(name)
	bucket := ledger.NewBucket()
	if !buckets.At(i).IsZero() {
		bucket, err = ledger.ParseBucket(t.read(ledger.BucketPath(i)), i)
		must(err)
	}
	record := &ledger.Record{Schema: ledger.RecordSchema, Name: name, Owners: []ledger.Owner{{Login: "eve"}}, Summary: ledger.Summary{Format: spec.FormatPatch}}
	if _, ok := bucket.Names[name]; ok {
		record, err = ledger.ParseRecord(t.read(ledger.RecordPath(name)), name)
		must(err)
	}
	var line *ledger.Listing
	if record = change(record); record == nil {
		delete(bucket.Names, name)
		t.remove(ledger.RecordPath(name))
	} else {
		raw := ledger.Encode(record)
		t.write(ledger.RecordPath(name), raw)
		bucket.Names[name], line = spec.DigestOf(raw), ledger.NewListing(record)
	}
	raw := ledger.Encode(bucket)
	t.write(ledger.BucketPath(i), raw)
	if buckets.Set(i, spec.DigestOf(raw)); len(bucket.Names) == 0 {
		buckets.Set(i, spec.Digest{})
	}
	raw = ledger.Encode(buckets)
	t.write(ledger.BucketsPath, raw)
	h.Buckets = spec.DigestOf(raw)
	list, err := ledger.UpdateCatalogue(t.read(ledger.CataloguePath), map[spec.Name]*ledger.Listing{name: line})
	must(err)
	t.write(ledger.CataloguePath, list)
	h.Catalogue = spec.DigestOf(list)
	t.sign(h)
}

// list changes the catalogue alone, under a head signed anew.
func (t *tree) list(change func(map[spec.Name]*ledger.Listing)) {
	t.tb.Helper()
	lines, err := ledger.ParseCatalogue(t.read(ledger.CataloguePath))
	all := map[spec.Name]*ledger.Listing{}
	for i := range lines {
		all[lines[i].Name] = &lines[i]
	}
	if change(all); err == nil {
		var list []byte
		if list, err = ledger.UpdateCatalogue(ledger.EmptyCatalogue(), all); err == nil {
			t.write(ledger.CataloguePath, list)
			h := t.head()
			h.Catalogue = spec.DigestOf(list)
			t.sign(h)
		}
	}
	if err != nil {
		t.tb.Fatal(err)
	}
}

// revoke replaces the revoked list under a head signed anew.
func (t *tree) revoke(list ...ledger.RevokedRelease) {
	t.tb.Helper()
	doc := ledger.NewRevoked()
	doc.Revoked = append(doc.Revoked, list...)
	raw := ledger.Encode(doc)
	t.write(ledger.RevokedPath, raw)
	h := t.head()
	h.Revoked = spec.DigestOf(raw)
	t.sign(h)
}

// appendLog adds entries to the log that no other document knows of, under a
// head signed anew.
func (t *tree) appendLog(entries ...[]byte) {
	t.tb.Helper()
	h := t.head()
	log, err := ledger.Append(h.Log, entries, registry.ReadTile(context.Background(), t.store))
	if err != nil {
		t.tb.Fatal(err)
	}
	for _, f := range log.Tiles {
		t.write(f.Path, f.Data)
	}
	h.Log = log.Root
	t.sign(h)
}
