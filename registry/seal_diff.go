package registry

import (
	"context"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// differences lists the documents in which two states differ. It reads the
// buckets that differ and no others.
func differences(ctx context.Context, prev, cur *chain) ([]change, error) {
	var was ledger.Head
	if prev.head != nil {
		was = *prev.head
	}
	var out []change
	add := func(path string, old, new spec.Digest, durable bool) {
		if old != new {
			out = append(out, change{path: path, old: old, new: new, durable: durable})
		}
	}
	for i := range cur.buckets.Buckets {
		before, after := prev.buckets.At(i), cur.buckets.At(i)
		if before == after {
			continue
		}
		old, err := prev.namesIn(ctx, i)
		if err != nil {
			return nil, err
		}
		now, err := cur.namesIn(ctx, i)
		if err != nil {
			return nil, err
		}
		for n, d := range now.Names {
			add(ledger.RecordPath(n), old.Names[n], d, true)
		}
		add(ledger.BucketPath(i), before, after, true)
	}
	add(ledger.CataloguePath, was.Catalogue, cur.head.Catalogue, false)
	add(ledger.RevokedPath, was.Revoked, cur.head.Revoked, true)
	add(ledger.BucketsPath, was.Buckets, cur.head.Buckets, true)
	add(ledger.HeadPath, prev.digest, cur.digest, true)
	return out, nil
}
