package registry

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// want is one file to ask for and the most bytes that it may have.
type want struct {
	path string
	max  int64
}

// rememberer is a source that keeps what it read. What it remembers may be old
// and is used only where its digest is the one that a parent states now.
type rememberer interface {
	remembered(path string, max int64) []byte
}

// gathering is one attempt to bring together what belongs together.
type gathering struct {
	ctx    context.Context
	src    Source
	memory rememberer // nil: the source has none
	plan   []want     // what the next wave asks for beside what misses
	light  []want     // what no remembered digest can save asking for
	have   map[string]answer
	last   bool // nothing is tried after this gathering
	broken bool // something is not what its parent states
}

type answer struct {
	data []byte
	err  error
}

func newGathering(ctx context.Context, src Source, plan []want, last bool) *gathering {
	f := &gathering{ctx: ctx, src: src, plan: plan, have: map[string]answer{}, last: last}
	f.memory, _ = src.(rememberer)
	return f
}

func headPlan() []want {
	return []want{
		{ledger.HeadEvidencePath, limits.Bundle}, {ledger.HeadPath, limits.Document}, {ledger.RevokedPath, limits.Document},
	}
}

func chainPlan(n spec.Name) []want {
	return append(headPlan(),
		want{ledger.BucketsPath, limits.Document},
		want{ledger.BucketPath(ledger.BucketOf(n)), limits.Document},
		want{ledger.RecordPath(n), limits.Document})
}

// releasePlan guesses the files that nearly every release has. Of a release of
// another format than Patch the main file comes with the next wave, when
// release.json has named it, unless the record was read before and says it: to
// guess all four would ask every registry for three files that it does not have.
// It is empty without a version.
func releasePlan(n spec.Name, v spec.Version, format spec.Format) []want {
	if v == "" {
		return nil
	}
	at := func(file string) string { return ledger.ReleasePath(n, v, file) }
	return append(proofPlan(n, v),
		want{at(ledger.ReleaseFileName), limits.Document},
		want{at(format.MainFile()), limits.ToolFile},
		want{at(ledger.ReportFileName), limits.ReleaseBytes})
}

// proofPlan is what has no digest in a parent: evidence and proof verify
// themselves.
func proofPlan(n spec.Name, v spec.Version) []want {
	if v == "" {
		return nil
	}
	return []want{
		{ledger.ReleasePath(n, v, ledger.EvidenceFileName), limits.Bundle},
		{ledger.ReleasePath(n, v, ledger.ProofFileName), limits.Document},
	}
}

// wave asks at once for all of the files that were not asked for yet.
func (f *gathering) wave(files []want) {
	var todo []want
	for _, w := range files {
		if _, ok := f.have[w.path]; !ok {
			f.have[w.path] = answer{}
			todo = append(todo, w)
		}
	}
	answers := make([]answer, len(todo))
	slots := make(chan struct{}, limits.HTTPParallel)
	var wg sync.WaitGroup
	for i, w := range todo {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			data, err := f.src.Read(f.ctx, w.path, w.max)
			answers[i] = answer{data, err}
		})
	}
	wg.Wait()
	for i, w := range todo {
		f.have[w.path] = answers[i]
	}
}

// first asks for everything, or, where all may be remembered, for no more than
// what has no digest: conditional requests that tell that nothing has changed.
func (f *gathering) first() {
	f.light = append(f.light, want{ledger.HeadEvidencePath, limits.Bundle})
	if f.memory != nil && !slices.ContainsFunc(f.light, func(w want) bool { return f.memory.remembered(w.path, w.max) == nil }) {
		f.wave(f.light)
		return
	}
	f.wave(f.plan)
}

// raw returns a file as it was answered, nil when it is absent.
func (f *gathering) raw(w want) ([]byte, error) {
	if _, asked := f.have[w.path]; !asked {
		f.wave(append(f.plan, w))
	}
	a := f.have[w.path]
	if errors.Is(a.err, fs.ErrNotExist) {
		return nil, nil
	}
	return a.data, a.err
}

// stated returns the file that has the digest: remembered, as answered, or from
// the objects. If none has it, what was answered, and the gathering is broken.
func (f *gathering) stated(w want, digest spec.Digest, object bool) ([]byte, error) {
	if data, ok := f.known(w, digest); ok {
		return data, nil
	}
	data, err := f.raw(w)
	if err != nil && (f.last || fault.ReasonOf(err) != reasonTooLarge) {
		return nil, err
	}
	if err == nil && data != nil && spec.DigestOf(data) == digest {
		return data, nil
	}
	if object {
		other, err := f.src.Read(f.ctx, ledger.ObjectPath(digest), w.max)
		if err == nil && spec.DigestOf(other) == digest {
			return other, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && fault.ReasonOf(err) != reasonTooLarge {
			return nil, err
		}
	}
	f.broken = true
	return data, nil
}

// known returns a file that was not asked for and need not be: it is
// remembered with the digest.
func (f *gathering) known(w want, digest spec.Digest) ([]byte, bool) {
	if _, asked := f.have[w.path]; asked || f.memory == nil {
		return nil, false
	}
	data := f.memory.remembered(w.path, w.max)
	return data, data != nil && spec.DigestOf(data) == digest
}

// chain fills in the way from the head to the record of a name, or to the
// revoked list alone when the name is empty. It stops where a document cannot
// be read: the verifier refuses it and what follows from it.
func (f *gathering) chain(c *spec.Chain, name spec.Name) error {
	f.first()
	var err error
	if c.HeadEvidence, err = f.raw(want{ledger.HeadEvidencePath, limits.Bundle}); err != nil {
		return err
	}
	if c.HeadEvidence == nil {
		return fault.New(fault.Unavailable, "no_registry", "there is no registry at %s", f.src.Location()).
			Hint("check the address; a registry has the file %s/%s", ledger.Root, ledger.HeadEvidencePath)
	}
	headWant := want{ledger.HeadPath, limits.Document}
	if digest, unreadable := pointedAt(c.HeadEvidence); unreadable == nil {
		c.Head, err = f.stated(headWant, digest, true)
	} else {
		f.broken = true
		c.Head, err = f.raw(headWant)
	}
	if err != nil {
		return err
	}
	head, err := ledger.ParseHead(c.Head)
	if err != nil {
		f.broken = true
		return nil //nolint:nilerr // what does not parse is for package verify to refuse
	}
	if c.Revoked, err = f.stated(want{ledger.RevokedPath, limits.Document}, head.Revoked, true); err != nil || name == "" {
		return err
	}
	return f.dictionary(c, head, name)
}

// dictionary fills in buckets, bucket and record.
func (f *gathering) dictionary(c *spec.Chain, head *ledger.Head, name spec.Name) error {
	var err error
	if c.Buckets, err = f.stated(want{ledger.BucketsPath, limits.Document}, head.Buckets, true); err != nil {
		return err
	}
	buckets, err := ledger.ParseBuckets(c.Buckets)
	if err != nil {
		f.broken = true
		return nil //nolint:nilerr // what does not parse is for package verify to refuse
	}
	i := ledger.BucketOf(name)
	recordWant := want{ledger.RecordPath(name), limits.Document}
	if buckets.At(i).IsZero() {
		f.doubt(recordWant)
		return nil
	}
	if c.Bucket, err = f.stated(want{ledger.BucketPath(i), limits.Document}, buckets.At(i), true); err != nil {
		return err
	}
	bucket, err := ledger.ParseBucket(c.Bucket, i)
	if err != nil {
		f.broken = true
		return nil //nolint:nilerr // what does not parse is for package verify to refuse
	}
	digest, ok := bucket.Names[name]
	if !ok {
		f.doubt(recordWant)
		return nil
	}
	c.Record, err = f.stated(recordWant, digest, true)
	return err
}

// doubt breaks a gathering that says that a file is not listed, though it was
// answered: the chain may be older than the file.
func (f *gathering) doubt(w want) {
	if a, asked := f.have[w.path]; asked && a.err == nil {
		f.broken = true
	}
}
