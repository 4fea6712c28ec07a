package inspect_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

func release(name, version, file string) string {
	return ledger.ReleasePath(spec.Name(name), spec.Version(version), file)
}

// damages is each kind of damage, and its twin, the same tree without any: what is done to a sound tree, and what an
// audit must say, as "path reason". The log of the tree has 309 entries in two
// entry tiles; entry 0 is case_text, accepted.
var damages = []struct {
	name string
	do   func(t *tree)
	want []string
}{
	{"nothing", func(*tree) {}, nil},

	// The log.
	{"a byte of a full hash tile", func(t *tree) { t.flip("log/tile/0/000") }, []string{"log/tile/0/000 tile"}},
	{"a byte of a partial hash tile", func(t *tree) { t.flip("log/tile/0/001.p/53") }, []string{"log/tile/0/001.p/53 tile"}},
	{"a byte of a tile above", func(t *tree) { t.flip("log/tile/1/000.p/1") }, []string{"log/tile/1/000.p/1 tile"}},
	{"a hash tile is missing", func(t *tree) { t.remove("log/tile/0/000") }, []string{"log/tile/0/000 missing"}},
	{"a byte of an entry", func(t *tree) {
		b := t.read("log/tile/entries/000")
		b[bytes.Index(b, []byte("slow"))] = 'S'
		t.write("log/tile/entries/000", b)
	}, []string{"log/tile/entries/000 entry"}},
	{"an entry tile is missing", func(t *tree) { t.remove("log/tile/entries/000") }, []string{"log/tile/entries/000 missing"}},
	{"the log is cut inside a tile", func(t *tree) {
		b := t.read("log/tile/entries/001.p/53")
		n := 2 + int(binary.BigEndian.Uint16(b))
		t.write("log/tile/entries/001.p/53", b[n:])
	}, []string{"log/tile/entries/001.p/53 entry"}},
	{"the log is cut to a shorter one", func(t *tree) {
		t.remove("log/tile/entries/001.p/53")
		t.remove("log/tile/0/001.p/53")
	}, []string{"log/tile/entries/001.p/53 missing"}},
	{"entries and hash tiles are another log", func(t *tree) {
		b := t.read("log/tile/entries/000")
		b[bytes.Index(b, []byte("slow"))] = 'S'
		t.write("log/tile/entries/000", b)
		t.flip("log/tile/0/000")
	}, []string{"head.json root", "withdrawals/5.sigstore.json log"}},
	{"the checkpoint is of another log", func(t *tree) {
		root := t.head().Log
		root.Root[0] ^= 1
		note, err := t.key.SignCheckpoint(context.Background(), t.doc.Name, root)
		if err != nil {
			t.tb.Fatal(err)
		}
		t.write(ledger.CheckpointPath, note)
	}, []string{"log/checkpoint root"}},
	{"the checkpoint is not signed", func(t *tree) {
		b := t.read(ledger.CheckpointPath)
		t.write(ledger.CheckpointPath, bytes.Replace(b, []byte("309"), []byte("308"), 1))
	}, []string{"log/checkpoint log"}},
	{"an entry is no entry", func(t *tree) { t.appendLog([]byte("{}\n")) }, []string{"log/tile/entries/001.p/54 entry"}},
	{"a withdrawal of nothing", func(t *tree) {
		t.appendLog(ledger.Encode(ledger.Entry{
			Schema: ledger.EntrySchema, Event: ledger.EventYank, Name: "no_such_tool", Version: "1.0.0", Time: t.head().Time, Reason: "x",
		}))
	}, []string{"log/tile/entries/001.p/54 entry", "withdrawals/309.sigstore.json missing"}},
	{"a withdrawal without its evidence", func(t *tree) {
		t.remove("withdrawals/5.sigstore.json")
	}, []string{"withdrawals/5.sigstore.json missing"}},
	{"the evidence of another withdrawal", func(t *tree) {
		t.write("withdrawals/5.sigstore.json", t.read("withdrawals/6.sigstore.json"))
	}, []string{"withdrawals/5.sigstore.json log"}},
	{"an acceptance as the evidence of a withdrawal", func(t *tree) {
		e := *firstEntry(t)
		t.write("withdrawals/5.sigstore.json", t.read(ledger.ReleasePath(e.Name, e.Version, ledger.EvidenceFileName)))
	}, []string{"withdrawals/5.sigstore.json binding:predicate"}},
	{"a withdrawal as the evidence of a release", func(t *tree) {
		e := *firstEntry(t)
		t.write(ledger.ReleasePath(e.Name, e.Version, ledger.EvidenceFileName), t.read("withdrawals/5.sigstore.json"))
	}, []string{ledger.ReleasePath("case_text", "1.0.0", ledger.EvidenceFileName) + " binding:predicate"}},
	{"a version is accepted twice", func(t *tree) {
		e := *firstEntry(t)
		t.appendLog(ledger.Encode(e))
	}, []string{"log/tile/entries/001.p/54 entry"}},

	// The log against the records.
	{"an entry without its record", func(t *tree) {
		t.appendLog(ledger.Encode(ledger.Entry{
			Schema: ledger.EntrySchema, Event: ledger.EventAccept, Name: "hidden_tool", Version: "1.0.0", Time: t.head().Time,
		}))
	}, []string{"records/hi/hidden_tool.json hidden"}},
	{"a record without its entry", func(t *tree) {
		t.rewrite("extra_tool", func(r *ledger.Record) *ledger.Record {
			r.Versions = []ledger.RecordVersion{t.foreign("echo_text", "1.2.0", "1.0.0")}
			return r
		})
	}, []string{
		"records/ex/extra_tool.json unlogged", "releases/ex/extra_tool/1.0.0/evidence.sigstore.json missing",
		"releases/ex/extra_tool/1.0.0/proof.json missing", "releases/ex/extra_tool/1.0.0/release.json missing",
	}},
	{"a name is taken out", func(t *tree) {
		t.rewrite("word_text", func(*ledger.Record) *ledger.Record { return nil })
	}, []string{"records/wo/word_text.json hidden"}},
	{"a version is taken out of a record", func(t *tree) {
		t.rewrite("echo_text", func(r *ledger.Record) *ledger.Record { r.Versions = r.Versions[:2]; return r })
	}, []string{"records/ec/echo_text.json hidden"}},
	{"a record has one version more", func(t *tree) {
		t.rewrite("echo_text", func(r *ledger.Record) *ledger.Record {
			r.Versions = append(r.Versions, t.foreign("echo_text", "1.2.0", "9.0.0"))
			return r
		})
	}, []string{
		"records/ec/echo_text.json unlogged", "releases/ec/echo_text/9.0.0/evidence.sigstore.json missing",
		"releases/ec/echo_text/9.0.0/proof.json missing", "releases/ec/echo_text/9.0.0/release.json missing",
	}},
	{"a record states another index", func(t *tree) {
		t.rewrite("echo_text", func(r *ledger.Record) *ledger.Record { r.Versions[2].LogIndex--; return r })
	}, []string{"records/ec/echo_text.json unlogged", "releases/ec/echo_text/1.2.0/proof.json log"}},
	{"a record states another time", func(t *tree) {
		t.rewrite("echo_text", func(r *ledger.Record) *ledger.Record { r.Versions[2].Published = "2026-01-01T00:00:00Z"; return r })
	}, []string{"records/ec/echo_text.json unlogged", "releases/ec/echo_text/1.2.0/proof.json log"}},
	{"a yank is hidden", func(t *tree) {
		t.rewrite("echo_text", func(r *ledger.Record) *ledger.Record { r.Versions[0].Yanked = ""; return r })
	}, []string{"records/ec/echo_text.json hidden"}},
	{"a yank was never logged", func(t *tree) {
		t.rewrite("word_text", func(r *ledger.Record) *ledger.Record { r.Versions[0].Yanked = "because"; return r })
	}, []string{"records/wo/word_text.json unlogged"}},
	{"a yank has another reason", func(t *tree) {
		t.rewrite("echo_text", func(r *ledger.Record) *ledger.Record { r.Versions[0].Yanked = "all is well"; return r })
	}, []string{"records/ec/echo_text.json unlogged"}},
	{"a revocation is hidden from the record", func(t *tree) {
		t.rewrite("case_text", func(r *ledger.Record) *ledger.Record { r.Versions[0].Revoked = ""; return r })
	}, []string{"records/ca/case_text.json hidden"}},
	{"a revocation is hidden from the list", func(t *tree) { t.revoke() }, []string{"revoked.json hidden"}},
	{"a revocation was never logged", func(t *tree) {
		t.revoke(ledger.RevokedRelease{Name: "case_text", Version: "1.0.0", Reason: "sends the text away"},
			ledger.RevokedRelease{Name: "echo_text", Version: "1.2.0", Reason: "rivals"})
	}, []string{"revoked.json unlogged"}},
	{"what was revoked never was", func(t *tree) {
		t.revoke(ledger.RevokedRelease{Name: "case_text", Version: "1.0.0", Reason: "sends the text away"},
			ledger.RevokedRelease{Name: "no_such_tool", Version: "1.0.0", Reason: "rivals"})
	}, []string{"revoked.json unlogged"}},
	{"the revoked list is not the head's", func(t *tree) {
		t.write(ledger.RevokedPath, ledger.Encode(ledger.NewRevoked()))
		t.alone()
	}, []string{"revoked.json binding:revoked"}},

	// The dictionary and what follows from it.
	{"buckets are not the head's", func(t *tree) { t.flip(ledger.BucketsPath); t.alone() }, []string{
		"buckets.json binding:buckets",
	}},
	{"two buckets are swapped", func(t *tree) {
		a, b := ledger.BucketPath(ledger.BucketOf("echo_text")), ledger.BucketPath(ledger.BucketOf("word_text"))
		x, y := t.read(a), t.read(b)
		t.write(a, y)
		t.write(b, x)
		t.alone()
	}, []string{"buckets/BB.json binding:bucket", "buckets/BB.json binding:bucket"}},
	{"a bucket is missing", func(t *tree) {
		t.remove(ledger.BucketPath(ledger.BucketOf("echo_text")))
		t.alone()
	}, []string{"buckets/BB.json missing"}},
	{"a record is older than the head", func(t *tree) {
		path := ledger.RecordPath("echo_text")
		old := t.read(path)
		t.publish("echo_text@2.0.0")
		t.write(path, old)
		t.alone()
	}, []string{"records/ec/echo_text.json binding:record"}},
	{"the catalogue is not the head's", func(t *tree) { t.flip(ledger.CataloguePath); t.alone() }, []string{"search/tools.json binding:record"}},
	{"the catalogue says something else", func(t *tree) {
		t.list(func(all map[spec.Name]*ledger.Listing) {
			all["no_such_tool"] = &ledger.Listing{
				Name: "no_such_tool", Latest: "1.0.0", Published: "2026-01-01T00:00:00Z", Summary: ledger.Summary{Format: spec.FormatPatch},
				Permissions: spec.Permissions{Filesystem: spec.FilesystemNone},
			}
			all["echo_text"].Description, all["word_text"] = "Is the best.", nil
		})
	}, []string{"search/tools.json catalogue", "search/tools.json catalogue", "search/tools.json catalogue"}},

	{"a record names another contributor", func(t *tree) {
		t.rewrite("echo_text", func(r *ledger.Record) *ledger.Record { r.Versions[2].Contributor.Login = "google"; return r })
	}, []string{"records/ec/echo_text.json binding:record"}},
	{"a record describes another tool", func(t *tree) {
		t.rewrite("echo_text", func(r *ledger.Record) *ledger.Record { r.Description = "Is the best."; return r })
	}, []string{"records/ec/echo_text.json binding:record"}},
	{"a record has an example that nobody wrote", func(t *tree) {
		t.rewrite("echo_text", func(r *ledger.Record) *ledger.Record { r.Summary.Examples = []string{"Pay my bills"}; return r })
	}, []string{"records/ec/echo_text.json binding:record"}},
	{"the catalogue has an example that nobody wrote", func(t *tree) {
		t.list(func(all map[spec.Name]*ledger.Listing) { all["echo_text"].Summary.Examples = []string{"Pay my bills"} })
	}, []string{"search/tools.json catalogue"}},
	{"the catalogue has an owner that the record has not", func(t *tree) {
		t.list(func(all map[spec.Name]*ledger.Listing) {
			all["echo_text"].Owners = append(all["echo_text"].Owners, "microsoft")
		})
	}, []string{"search/tools.json catalogue"}},
	{"the catalogue calls an owner verified", func(t *tree) {
		t.list(func(all map[spec.Name]*ledger.Listing) { all["echo_text"].Verified = true })
	}, []string{"search/tools.json catalogue"}},

	// The releases.
	{"a file of a release", func(t *tree) { t.flip(release("echo_text", "1.1.0", "tool.py")) }, []string{
		"releases/ec/echo_text/1.1.0/tool.py binding:file",
	}},
	{"a file is longer", func(t *tree) {
		p := release("echo_text", "1.1.0", "report.json")
		t.write(p, append(t.read(p), '\n'))
	}, []string{"releases/ec/echo_text/1.1.0/report.json too_large"}},
	{"a file is missing", func(t *tree) { t.remove(release("echo_text", "1.1.0", "tool.py")) }, []string{
		"releases/ec/echo_text/1.1.0/tool.py missing",
	}},
	{"the evidence is that of another version", func(t *tree) {
		t.write(release("echo_text", "1.0.0", "evidence.sigstore.json"), t.read(release("echo_text", "1.1.0", "evidence.sigstore.json")))
	}, []string{"releases/ec/echo_text/1.0.0/evidence.sigstore.json binding:subject"}},
	{"the evidence is missing, and a file is flipped", func(t *tree) {
		t.remove(release("echo_text", "1.0.0", "evidence.sigstore.json"))
		t.flip(release("echo_text", "1.0.0", "tool.py"))
	}, []string{
		"releases/ec/echo_text/1.0.0/evidence.sigstore.json missing", "releases/ec/echo_text/1.0.0/tool.py binding:file",
	}},
	{"the proof is that of another version", func(t *tree) {
		t.write(release("echo_text", "1.0.0", "proof.json"), t.read(release("echo_text", "1.1.0", "proof.json")))
	}, []string{"releases/ec/echo_text/1.0.0/proof.json log"}},
	{"the proof is of a log that was shown to somebody else", func(t *tree) { t.forkProof() }, []string{
		"releases/ec/echo_text/1.2.0/proof.json root",
	}},
	{"release.json is that of another version", func(t *tree) {
		t.write(release("echo_text", "1.0.0", "release.json"), t.read(release("echo_text", "1.1.0", "release.json")))
	}, []string{"releases/ec/echo_text/1.0.0/release.json binding:release"}},

	// Who it is.
	{"the head is not signed", func(t *tree) { t.flip(ledger.HeadPath); t.alone() }, []string{"head.json head"}},
	{"another key signed the head", func(t *tree) {
		t.write(ledger.HeadEvidencePath, newTree(t.tb).read(ledger.HeadEvidencePath))
	}, []string{"head.sigstore.json identity:key"}},
	{"registry.json offers another key", func(t *tree) {
		t.write(ledger.RegistryPath, newTree(t.tb).read(ledger.RegistryPath))
	}, []string{"registry.json identity"}},
	{"registry.json is of another registry", func(t *tree) {
		t.write(ledger.RegistryPath, bytes.Replace(t.read(ledger.RegistryPath), []byte("acme"), []byte("evil"), 1))
	}, []string{"registry.json identity"}},
	{"registry.json is missing", func(t *tree) { t.remove(ledger.RegistryPath) }, []string{"registry.json missing"}},
}

func TestDamage(t *testing.T) {
	sound := filled(t, 300)
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			tr := sound.copied(t)
			d.do(tr)
			changed := tr.store.Files()
			r := tr.audit(inspect.Options{})
			if got := said(r); !slices.Equal(got, d.want) {
				t.Errorf("said %q, want %q\n%v", got, d.want, r.Problems)
			}
			if len(r.Unread) > 0 {
				t.Errorf("unread: %v", r.Unread)
			}
			wantKind := fault.NotVerified
			if len(d.want) == 0 {
				if r.Err() != nil {
					t.Errorf("a sound tree: %v", r.Err())
				}
			} else if fault.KindOf(r.Err()) != wantKind {
				t.Errorf("kind %v", fault.KindOf(r.Err()))
			}
			if !sameFiles(changed, tr.store.Files()) {
				t.Error("the audit wrote")
			}
		})
	}
}

// said is what a report says, without the names of buckets.
func said(r *inspect.Report) []string {
	var out []string
	for _, p := range r.Problems {
		if strings.HasPrefix(p.Path, "buckets/") {
			p.Path = "buckets/BB.json"
		}
		out = append(out, p.Path+" "+string(p.Reason))
	}
	return out
}

func sameFiles(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for p, x := range a {
		if y, ok := b[p]; !ok || !bytes.Equal(x, y) {
			return false
		}
	}
	return true
}

func firstEntry(t *tree) *ledger.Entry {
	list, err := ledger.SplitEntries(t.read("log/tile/entries/000"))
	if err != nil {
		t.tb.Fatal(err)
	}
	e, err := ledger.ParseEntry(list[0])
	if err != nil {
		t.tb.Fatal(err)
	}
	return e
}

// foreign is an entry of a record that claims the acceptance of another version.
func (t *tree) foreign(name spec.Name, version, as spec.Version) ledger.RecordVersion {
	r, err := ledger.ParseRecord(t.read(ledger.RecordPath(name)), name)
	if err != nil {
		t.tb.Fatal(err)
	}
	v := *r.Find(version)
	v.Version = as
	return v
}

// forkProof gives a release the proof that a fork of the log would have: the
// same entry at the same index under another root that the key signed too.
func (t *tree) forkProof() {
	path := release("echo_text", "1.2.0", "proof.json")
	p, err := ledger.ParseProof(t.read(path))
	if err != nil {
		t.tb.Fatal(err)
	}
	var entries [][]byte
	err = ledger.ReadEntries(t.head().Log, 0, registry.ReadTile(context.Background(), t.store), func(i int64, e *ledger.Entry) error {
		if i == 1 {
			e.Reason = "what the others were shown"
		}
		if i <= p.Index {
			entries = append(entries, ledger.Encode(e))
		}
		return nil
	})
	if err != nil {
		t.tb.Fatal(err)
	}
	fork, err := ledger.Append(ledger.LogRoot{}, entries, nil)
	if err != nil {
		t.tb.Fatal(err)
	}
	if p.Hashes, err = fork.Prove(p.Index); err != nil {
		t.tb.Fatal(err)
	}
	t.write(path, ledger.Encode(p))
	// The acceptance states that other root.
	evidence := release("echo_text", "1.2.0", ledger.EvidenceFileName)
	b, err := ledger.ParseBundle(t.read(evidence))
	if err != nil {
		t.tb.Fatal(err)
	}
	stmt, err := ledger.ParseStatement(b.Envelope.Payload)
	if err != nil {
		t.tb.Fatal(err)
	}
	acc, err := ledger.ParseAcceptance(stmt)
	if err != nil {
		t.tb.Fatal(err)
	}
	acc.Log = fork.Root
	signed, err := t.key.Sign(context.Background(), ledger.NewStatement(stmt.Subject[0].Name, stmt.Subject[0].Digest.SHA256, stmt.PredicateType, acc))
	if err != nil {
		t.tb.Fatal(err)
	}
	t.write(evidence, signed)
}

// TestEveryFile: no byte of a published tree can change without the audit
// saying so, but what only older states need.
func TestEveryFile(t *testing.T) {
	tr := lived(t)
	tr.alone()
	current := map[string]bool{}
	for _, p := range ledger.PartialTilePaths(tr.head().Log.Size) {
		current[p] = true
	}
	for path, was := range tr.store.Files() {
		if strings.Contains(path, ".p/") && !current[path] {
			continue
		}
		for _, damage := range []func(){func() { tr.flip(path) }, func() { tr.write(path, was[:len(was)/2]) }, func() { tr.remove(path) }} {
			if damage(); path == ledger.HeadEvidencePath && len(tr.store.Files()[path]) == 0 {
				tr.write(path, was) // without it there is no registry
				continue
			}
			if r := tr.audit(inspect.Options{}); fault.KindOf(r.Err()) != fault.NotVerified {
				t.Errorf("%s: %v", path, r.Err())
			}
			tr.write(path, was)
		}
	}
	if r := tr.audit(inspect.Options{}); r.Err() != nil {
		t.Errorf("in the end: %v", r.Err())
	}
}

func TestQuick(t *testing.T) {
	tr := lived(t)
	tr.flip(release("echo_text", "1.1.0", "tool.py"))
	if r := tr.audit(inspect.Options{Quick: true}); r.Err() != nil || !r.Quick || r.Counts.Files != 0 {
		t.Errorf("a quick audit read the files: %v %+v", r.Err(), r.Counts)
	}
	tr.flip(release("echo_text", "1.1.0", "evidence.sigstore.json"))
	if r := tr.audit(inspect.Options{Quick: true}); fault.KindOf(r.Err()) != fault.NotVerified {
		t.Errorf("a quick audit did not read the evidence: %v", r.Err())
	}
}

func TestCounts(t *testing.T) {
	r := lived(t).audit(inspect.Options{})
	got := r.Counts
	got.Bytes, got.Buckets = 0, 0
	if want := (inspect.Counts{Entries: 9, Tiles: 2, Records: 3, Releases: 5, Files: 10, Revoked: 1, Yanked: 1}); got != want || r.Counts.Bytes == 0 {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	if r := newTree(t).audit(inspect.Options{}); r.Err() != nil || r.Counts.Releases != 0 {
		t.Errorf("an empty registry: %v %v", r.Err(), r.Problems)
	}
}

// TestSeen: the head must follow the one that was seen before.
func TestSeen(t *testing.T) {
	tr := lived(t)
	older := tr.audit(inspect.Options{}).Head
	back := tr.copied(t)
	tr.publish("echo_text@2.0.0")
	newer := tr.audit(inspect.Options{Seen: older})
	if newer.Err() != nil {
		t.Fatal(newer.Err())
	}
	if got := said(back.audit(inspect.Options{Seen: newer.Head})); !slices.Equal(got, []string{"head.json rollback"}) {
		t.Errorf("yesterday's tree: %q", got)
	}
	back.publish("other_tool@1.0.0")
	if got := said(back.audit(inspect.Options{Seen: newer.Head})); !slices.Equal(got, []string{"head.json split_view"}) {
		t.Errorf("a fork of the same age: %q", got)
	}
	back.publish("other_tool@1.1.0")
	if got := said(back.audit(inspect.Options{Seen: newer.Head})); !slices.Equal(got, []string{"head.json split_view"}) {
		t.Errorf("a longer fork: %q", got)
	}
}

// TestUnread: what could not be read is no damage, and nothing is called sound.
func TestUnread(t *testing.T) {
	tr := lived(t)
	down := fault.New(fault.Unavailable, "network", "the cable is cut")
	for _, path := range []string{
		"log/tile/entries/000.p/9", "log/tile/0/000.p/9", ledger.CheckpointPath, ledger.RegistryPath, ledger.BucketsPath, ledger.CataloguePath,
		ledger.BucketPath(ledger.BucketOf("echo_text")), ledger.RecordPath("echo_text"), release("echo_text", "1.1.0", "release.json"),
		release("echo_text", "1.1.0", "proof.json"), release("echo_text", "1.1.0", "tool.py"),
	} {
		tr.store.Hook(registry.Hooks{Read: func(p string, data []byte, err error) ([]byte, error) {
			if p == path {
				return nil, down
			}
			return data, err
		}})
		r := tr.audit(inspect.Options{})
		if r.ProblemCount != 0 || len(r.Unread) != 1 || r.Unread[0].Path != path || fault.KindOf(r.Err()) != fault.Unavailable {
			t.Errorf("%s: %v, problems %v, unread %v", path, r.Err(), r.Problems, r.Unread)
		}
	}
	tr.store.Hook(registry.Hooks{Read: func(string, []byte, error) ([]byte, error) { return nil, down }})
	if _, err := inspect.Tree(t.Context(), tr.store, tr.policy, inspect.Options{}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("nothing can be read: %v", err)
	}
	tr.store.Hook(registry.Hooks{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := inspect.Tree(ctx, tr.store, tr.policy, inspect.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if r, err := inspect.Tree(t.Context(), tr.store, verify.Policy{}, inspect.Options{}); err != nil || fault.KindOf(r.Err()) != fault.NotVerified {
		t.Errorf("without a policy: %v", err)
	}
}

// TestCap: of much damage the first problems are listed, the same each time; an
// audit that can read nothing ends early.
func TestCap(t *testing.T) {
	tr := filled(t, 300)
	for p := range tr.store.Files() {
		if strings.HasSuffix(p, "/tool.py") {
			tr.flip(p)
		}
	}
	r := tr.audit(inspect.Options{})
	if len(r.Problems) != 100 || r.ProblemCount != 305 || r.Problems[0].Path != release("case_text", "1.0.0", "tool.py") {
		t.Errorf("%d problems of %d, first %v", len(r.Problems), r.ProblemCount, r.Problems[0])
	}
	if again := tr.audit(inspect.Options{Workers: 3}); !slices.Equal(r.Problems, again.Problems) {
		t.Error("the list depends on the workers")
	}
	tr.store.Hook(registry.Hooks{Read: func(p string, data []byte, err error) ([]byte, error) {
		if strings.HasPrefix(p, "releases/") {
			return nil, fault.New(fault.Unavailable, "network", "the cable is cut")
		}
		return data, err
	}})
	if r := tr.audit(inspect.Options{}); !r.Stopped || r.Counts.Releases > 200 || fault.KindOf(r.Err()) != fault.Unavailable {
		t.Errorf("went on: %+v %v", r.Counts, r.Err())
	}
}

// TestPublishedMeanwhile: a tree that moves on while it is read is not damaged.
func TestPublishedMeanwhile(t *testing.T) {
	tr := lived(t)
	done := false
	tr.store.Hook(registry.Hooks{Read: func(p string, data []byte, err error) ([]byte, error) {
		if p == ledger.BucketsPath && !done {
			done = true
			for i := range 3 { // what only older heads need is cleared away
				tr.publish("echo_text@3.0." + string(rune('0'+i)))
			}
			return tr.read(p), nil
		}
		return data, err
	}})
	if r := tr.audit(inspect.Options{}); r.Err() != nil || !done || r.Head.Seq != tr.head().Seq {
		t.Errorf("%v %v", r.Err(), r.Problems)
	}
}
