package registry

import (
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// release fills in the release that the record lists, if it does.
func (f *gathering) release(c *spec.Candidate) error {
	if c.Chain.Record == nil {
		return nil
	}
	record, err := ledger.ParseRecord(c.Chain.Record, c.Ref.Name)
	if err != nil {
		f.broken = true
		return nil //nolint:nilerr // what does not parse is for package verify to refuse
	}
	entry := record.Latest()
	if c.Ref.Version != "" {
		entry = record.Find(c.Ref.Version)
	}
	at := func(file string) string { return ledger.ReleasePath(c.Ref.Name, c.Ref.Version, file) }
	if entry == nil {
		if c.Ref.Version != "" {
			f.doubt(want{at(ledger.ReleaseFileName), limits.Document})
		}
		return nil
	}
	at = func(file string) string { return ledger.ReleasePath(c.Ref.Name, entry.Version, file) }
	document := want{at(ledger.ReleaseFileName), limits.Document}
	proofs := proofPlan(c.Ref.Name, entry.Version)
	f.plan = releasePlan(c.Ref.Name, entry.Version, record.Summary.Format)
	if _, ok := f.known(document, entry.Release); ok {
		f.plan = proofs
	}
	if c.Release, err = f.stated(document, entry.Release, false); err != nil {
		return err
	}
	if c.Evidence, err = f.raw(proofs[0]); err != nil {
		return err
	}
	if c.Proof, err = f.raw(proofs[1]); err != nil {
		return err
	}
	// Only a list that keeps all limits leads to more requests, and only one
	// that is the record's own.
	release, err := ledger.ParseRelease(c.Release)
	if err != nil || spec.DigestOf(c.Release) != entry.Release {
		f.broken = true
		return nil //nolint:nilerr // what does not parse is for package verify to refuse
	}
	return f.files(c, release, at)
}

// files fills in what release.json lists, in one wave.
func (f *gathering) files(c *spec.Candidate, release *ledger.Release, at func(string) string) error {
	f.plan = nil
	for _, file := range release.Files {
		w := want{at(file.Path), file.Size}
		if _, ok := f.known(w, file.SHA256); !ok {
			f.plan = append(f.plan, w)
		}
	}
	f.wave(f.plan)
	c.Files = make(map[string][]byte, len(release.Files))
	for _, file := range release.Files {
		data, err := f.stated(want{at(file.Path), file.Size}, file.SHA256, false)
		if err != nil {
			return err
		}
		if data != nil {
			c.Files[file.Path] = data
		}
	}
	return nil
}
