package registry

import (
	"context"
	"errors"
	"io/fs"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Settled tells why the documents that a head leads to do not all lie at their
// fixed paths, or nil; also where nothing is published. In a folder they may lag
// behind while somebody publishes. In a commit of a branch nothing is ever under
// way: there, a document at a fixed path that is not the stated one was put
// there by somebody else, and would be found by nobody when its copy among the
// objects is cleared away.
func Settled(ctx context.Context, src Source) error {
	cur, _, err := pointed(ctx, src)
	if err != nil || cur.head == nil {
		return err
	}
	at := func(path string, want spec.Digest) ([]byte, error) {
		data, err := src.Read(ctx, path, limits.Document)
		if errors.Is(err, fs.ErrNotExist) || err == nil && spec.DigestOf(data) != want {
			return nil, damaged(src, "%s is not what its parent states (%s)", path, want)
		}
		return data, err
	}
	for _, d := range []struct {
		path string
		want spec.Digest
	}{{ledger.HeadPath, cur.digest}, {ledger.BucketsPath, cur.head.Buckets}, {ledger.RevokedPath, cur.head.Revoked}} {
		if _, err := at(d.path, d.want); err != nil {
			return err
		}
	}
	for i := range cur.buckets.Buckets {
		want := cur.buckets.At(i)
		if want.IsZero() {
			continue
		}
		data, err := at(ledger.BucketPath(i), want)
		if err != nil {
			return err
		}
		bucket, err := ledger.ParseBucket(data, i)
		if err != nil {
			return damaged(src, "%w", err)
		}
		for n, digest := range bucket.Names {
			if _, err := at(ledger.RecordPath(n), digest); err != nil {
				return err
			}
		}
	}
	return nil
}
