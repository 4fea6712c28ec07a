package registry_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// audited is what an audit found in a tree.
type audited struct {
	head    ledger.Head
	records map[spec.Name]*ledger.Record
	files   map[string]bool // all that the head leads to, objects aside
	behind  []string        // fixed paths that had to be read from objects/
}

// audit reads a tree from the pointer alone and believes nothing: every digest,
// signature and proof is checked, the log is built again from its entries, and
// the records are built again from the log.
func audit(s registry.Source) (*audited, error) {
	a := &audited{records: map[spec.Name]*ledger.Record{}, files: map[string]bool{ledger.HeadEvidencePath: true, ledger.RegistryPath: true}}
	var first error
	check := func(ok bool, format string, args ...any) {
		if !ok && first == nil {
			first = fmt.Errorf(format, args...)
		}
	}
	read := func(path string) []byte {
		a.files[path] = true
		b, err := s.Read(context.Background(), path, 1<<26)
		check(err == nil, "%s: %v", path, err)
		return b
	}
	stated := func(path string, want spec.Digest) []byte {
		a.files[path] = true
		if b, err := s.Read(context.Background(), path, 1<<26); err == nil && spec.DigestOf(b) == want {
			return b
		}
		a.behind = append(a.behind, path)
		b, err := s.Read(context.Background(), ledger.ObjectPath(want), 1<<26)
		check(err == nil && spec.DigestOf(b) == want, "%s: neither the path nor the object has %s: %v", path, want, err)
		return b
	}
	reg, err := ledger.ParseRegistry(read(ledger.RegistryPath))
	if err != nil {
		return nil, err
	}
	pub, err := ledger.ParseKey(reg.Trust.Key)
	if err != nil {
		return nil, err
	}
	key := sealKey{&ecdsa.PrivateKey{PublicKey: *pub}, reg.Trust.Key}
	st, err := key.open(read(ledger.HeadEvidencePath))
	if err != nil {
		return nil, err
	}
	check(st.PredicateType == ledger.PredicateHead, "head evidence of type %s", st.PredicateType)
	h, err := ledger.ParseHead(stated(ledger.HeadPath, st.Subject[0].Digest.SHA256))
	if err != nil {
		return nil, cmpErr(first, err)
	}
	a.head = *h
	buckets, err := ledger.ParseBuckets(stated(ledger.BucketsPath, h.Buckets))
	if err != nil {
		return nil, cmpErr(first, err)
	}
	revoked, err := ledger.ParseRevoked(stated(ledger.RevokedPath, h.Revoked))
	if err != nil {
		return nil, cmpErr(first, err)
	}
	lines := map[spec.Name]*ledger.Listing{}
	for i := range buckets.Buckets {
		if buckets.At(i).IsZero() {
			continue
		}
		b, err := ledger.ParseBucket(stated(ledger.BucketPath(i), buckets.At(i)), i)
		if err != nil {
			return nil, cmpErr(first, err)
		}
		for n, d := range b.Names {
			r, err := ledger.ParseRecord(stated(ledger.RecordPath(n), d), n)
			if err != nil {
				return nil, cmpErr(first, err)
			}
			a.records[n], lines[n] = r, ledger.NewListing(r)
		}
	}
	catalogue, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), lines)
	if err != nil {
		return nil, err
	}
	check(bytes.Equal(stated(ledger.CataloguePath, h.Catalogue), catalogue), "the catalogue does not follow from the records")
	for n, r := range a.records {
		for _, v := range r.Versions {
			if err := auditRelease(n, v, h, key, read); err != nil {
				return nil, cmpErr(first, err)
			}
		}
	}
	check(auditLog(a, revoked, key, read) == nil, "log: %v", auditLog(a, revoked, key, read))
	return a, first
}

func cmpErr(first, err error) error {
	if first != nil {
		return first
	}
	return err
}

func auditRelease(n spec.Name, v ledger.RecordVersion, h *ledger.Head, key sealKey, read func(string) []byte) error {
	raw := read(ledger.ReleasePath(n, v.Version, ledger.ReleaseFileName))
	if spec.DigestOf(raw) != v.Release {
		return fmt.Errorf("release.json of %s@%s is another one", n, v.Version)
	}
	doc, err := ledger.ParseRelease(raw)
	if err != nil {
		return err
	}
	for _, f := range doc.Files {
		if b := read(ledger.ReleasePath(n, v.Version, f.Path)); spec.DigestOf(b) != f.SHA256 || int64(len(b)) != f.Size {
			return fmt.Errorf("%s of %s@%s is another one", f.Path, n, v.Version)
		}
	}
	st, err := key.open(read(ledger.ReleasePath(n, v.Version, ledger.EvidenceFileName)))
	if err != nil {
		return err
	}
	acc, err := ledger.ParseAcceptance(st)
	if err != nil {
		return err
	}
	if acc.Release != v.Release || st.Subject[0].Digest.SHA256 != doc.MainFile().SHA256 || st.Subject[0].Name != h.Registry.Subject(spec.Ref{Name: n, Version: v.Version}) {
		return fmt.Errorf("the evidence of %s@%s is about something else", n, v.Version)
	}
	p, err := ledger.ParseProof(read(ledger.ReleasePath(n, v.Version, ledger.ProofFileName)))
	if err != nil {
		return err
	}
	root := acc.Log
	if p.Index != v.LogIndex || p.Entry.Release != v.Release || p.Entry.Event != ledger.EventAccept || p.Entry.Time != v.Published {
		return fmt.Errorf("the proof of %s@%s is about something else", n, v.Version)
	}
	if err := p.Included(root); err != nil {
		return err
	}
	return ledger.Consistent(root, h.Log, func(path string) ([]byte, error) { return read(path), nil })
}

func auditWithdrawal(h *ledger.Head, key sealKey, index int64, e *ledger.Entry, read func(string) []byte) error {
	st, err := key.open(read(ledger.WithdrawalPath(index)))
	if err != nil {
		return err
	}
	w, err := ledger.ParseWithdrawal(st)
	if err != nil {
		return err
	}
	name := h.Registry.Subject(spec.Ref{Name: e.Name, Version: e.Version})
	if st.PredicateType != ledger.PredicateWithdrawal || st.Subject[0] != (ledger.Subject{Name: name, Digest: ledger.SubjectDigest{SHA256: e.Release}}) {
		return fmt.Errorf("the evidence of entry %d is about something else", index)
	}
	if w.Event != e.Event || w.Reason != e.Reason || w.Release != e.Release || w.Time != e.Time || w.Index != index {
		return fmt.Errorf("the evidence of entry %d says something else", index)
	}
	return ledger.Consistent(w.Log, h.Log, func(path string) ([]byte, error) { return read(path), nil })
}

// auditLog builds the log and the withdrawals again from the entries.
func auditLog(a *audited, revoked *ledger.Revoked, key sealKey, read func(string) []byte) error {
	var entries [][]byte
	for n := int64(0); n<<8 < a.head.Log.Size; n++ {
		w := min(a.head.Log.Size-n<<8, 1<<8)
		es, err := ledger.SplitEntries(read(ledger.TilePath(tlog.Tile{H: 8, L: -1, N: n, W: int(w)})))
		if err != nil {
			return err
		}
		entries = append(entries, es...)
	}
	again, err := ledger.Append(ledger.LogRoot{}, entries, nil)
	if err != nil {
		return err
	}
	if again.Root != a.head.Log {
		return fmt.Errorf("root %v, the head says %v", again.Root, a.head.Log)
	}
	for _, t := range again.Tiles {
		if !bytes.Equal(read(t.Path), t.Data) {
			return fmt.Errorf("tile %s is another one", t.Path)
		}
	}
	type state struct{ yanked, revoked string }
	want := map[string]state{}
	for i, raw := range entries {
		e, err := ledger.ParseEntry(raw)
		if err != nil {
			return err
		}
		ref := spec.Ref{Name: e.Name, Version: e.Version}.At()
		st, known := want[ref]
		v := a.records[e.Name].Find(e.Version)
		if v == nil || v.Release != e.Release || (e.Event == ledger.EventAccept) == known {
			return fmt.Errorf("entry %d (%s %s) does not fit the record", i, e.Event, ref)
		}
		switch e.Event {
		case ledger.EventYank, ledger.EventUnyank:
			st.yanked = e.Reason
		case ledger.EventRevoke:
			st.revoked = e.Reason
		case ledger.EventAccept:
			if v.LogIndex != int64(i) {
				return fmt.Errorf("%s has index %d, not %d", ref, v.LogIndex, i)
			}
		}
		want[ref] = st
		if e.Event != ledger.EventAccept {
			if err := auditWithdrawal(&a.head, key, int64(i), e, read); err != nil {
				return err
			}
		}
	}
	count := 0
	for _, r := range a.records {
		for _, v := range r.Versions {
			if (state{v.Yanked, v.Revoked}) != want[spec.Ref{Name: r.Name, Version: v.Version}.At()] || revoked.Reason(r.Name, v.Version) != v.Revoked {
				return fmt.Errorf("%s@%s is not in the state that the log gives it", r.Name, v.Version)
			}
			if v.Revoked != "" {
				count++
			}
		}
	}
	if count != len(revoked.Revoked) {
		return fmt.Errorf("%d releases are on the revoked list, %d are revoked", len(revoked.Revoked), count)
	}
	return nil
}

// auditSettled is audit of a tree at rest: every fixed path is current and
// nothing lies about that neither the current head nor the one before needs.
func auditSettled(tb testing.TB, files map[string][]byte) *audited {
	tb.Helper()
	s := registry.NewMemory()
	for p, b := range files {
		if err := s.Write(tb.Context(), p, b, false); err != nil {
			tb.Fatal(err)
		}
	}
	a, err := audit(s)
	if err != nil {
		tb.Fatalf("audit: %v", err)
	}
	if len(a.behind) > 0 {
		tb.Errorf("fixed paths are behind: %v", a.behind)
	}
	partial, objects := 0, 0
	for _, p := range slices.Sorted(maps.Keys(files)) {
		switch {
		case a.files[p], p == ledger.CheckpointPath:
		case strings.HasPrefix(p, ledger.ObjectsDir+"/"):
			if ledger.ObjectPath(spec.DigestOf(files[p])) != p {
				tb.Errorf("object %s has other bytes", p)
			}
			objects++
		case strings.HasPrefix(p, "log/tile/") && strings.Contains(p, ".p/"):
			partial++ // of the head before
		default:
			tb.Errorf("%s belongs to nothing", p)
		}
	}
	if partial > 3 || objects > 4*len(a.records)+4*256+10 {
		tb.Errorf("%d old tiles and %d objects were left", partial, objects)
	}
	if root, err := ledger.OpenCheckpoint(files[ledger.CheckpointPath], a.head.Registry, newSealKey(tb).der); err != nil || root != a.head.Log {
		tb.Errorf("checkpoint %v, %v, want %v", root, err, a.head.Log)
	}
	return a
}
