package registry

import (
	"context"
	"maps"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// holds tells whether the published files contain all of the contributed ones
// with the same bytes, and no other contributed ones.
func (p PublishedVersion) holds(files []spec.File) bool {
	generated := 0
	for _, g := range []string{ledger.ReportFileName, ledger.ClosureFileName, ledger.PylockFileName} {
		if _, ok := p.Files[g]; ok {
			generated++
		}
	}
	for _, f := range files {
		if p.Files[f.Path] != spec.DigestOf(f.Data) {
			return false
		}
	}
	return len(files)+generated == len(p.Files)
}

// publishedBuckets reads the list of buckets that the head states; nil where
// nothing was ever published.
func publishedBuckets(ctx context.Context, src Source) (*ledger.Buckets, error) {
	c, err := FetchHead(ctx, src)
	if fault.ReasonOf(err) == "no_registry" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if digest, err := pointedAt(c.HeadEvidence); err != nil || digest != spec.DigestOf(c.Head) {
		return nil, damaged(src, "%s is not what its evidence states", ledger.HeadPath)
	}
	head, err := ledger.ParseHead(c.Head)
	if err != nil {
		return nil, damaged(src, "head: %w", err)
	}
	data, err := stated(ctx, src, ledger.BucketsPath, head.Buckets, limits.Document)
	if err != nil {
		return nil, err
	}
	buckets, err := ledger.ParseBuckets(data)
	if err != nil {
		return nil, damaged(src, "buckets: %w", err)
	}
	return buckets, nil
}

// publishedNames reads one bucket: the digests of the records by name.
func publishedNames(ctx context.Context, src Source, buckets *ledger.Buckets, i int) (map[spec.Name]spec.Digest, error) {
	if buckets == nil || buckets.At(i).IsZero() {
		return nil, nil
	}
	data, err := stated(ctx, src, ledger.BucketPath(i), buckets.At(i), limits.Document)
	if err != nil {
		return nil, err
	}
	b, err := ledger.ParseBucket(data, i)
	if err != nil {
		return nil, damaged(src, "bucket: %w", err)
	}
	return b.Names, nil
}

// publishedRecord reads the record of a name; an empty one where there is none.
// Each document is what the one above states, because a tree that is damaged
// must not pass for one that never had the name.
func publishedRecord(ctx context.Context, src Source, n spec.Name) (*ledger.Record, error) {
	buckets, err := publishedBuckets(ctx, src)
	if err != nil {
		return nil, err
	}
	names, err := publishedNames(ctx, src, buckets, ledger.BucketOf(n))
	if err != nil {
		return nil, err
	}
	digest, ok := names[n]
	if !ok {
		return &ledger.Record{}, nil
	}
	data, err := stated(ctx, src, ledger.RecordPath(n), digest, limits.Document)
	if err != nil {
		return nil, err
	}
	r, err := ledger.ParseRecord(data, n)
	if err != nil {
		return nil, damaged(src, "record: %w", err)
	}
	return r, nil
}

// Names lists every name that was ever published, withdrawn or not, sorted; none
// where nothing was. What it says is what the tree says, signed or not.
func Names(ctx context.Context, src Source) ([]spec.Name, error) {
	buckets, err := publishedBuckets(ctx, src)
	if err != nil || buckets == nil {
		return nil, err
	}
	var out []spec.Name
	for i := range buckets.Buckets {
		names, err := publishedNames(ctx, src, buckets, i)
		if err != nil {
			return nil, err
		}
		out = slices.AppendSeq(out, maps.Keys(names))
	}
	slices.Sort(out)
	return out, nil
}

// publishedFiles reads the list of files of a published version.
func publishedFiles(ctx context.Context, src Source, n spec.Name, v ledger.RecordVersion) (PublishedVersion, error) {
	p := PublishedVersion{Version: v.Version, Files: map[string]spec.Digest{}}
	data, err := exactly(ctx, src, ledger.ReleasePath(n, v.Version, ledger.ReleaseFileName), v.Release, limits.Document)
	if err != nil {
		return p, err
	}
	doc, err := ledger.ParseRelease(data)
	if err != nil {
		return p, fault.New(fault.NotVerified, "release", "published tree: %w", err)
	}
	for _, f := range doc.Files {
		p.Files[f.Path] = f.SHA256
	}
	return p, nil
}
