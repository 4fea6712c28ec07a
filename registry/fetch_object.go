package registry

import (
	"context"
	"errors"
	"io/fs"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// FetchObject reads one document that a verified parent states by digest: at
// its fixed path, else by its digest, else past all caches. Whether the bytes
// returned are the stated ones is for the caller, who has to compare. Where
// nothing is at either place the error is Unavailable with reason "no_object",
// and fs.ErrNotExist for errors.Is.
func FetchObject(ctx context.Context, src Source, path string, digest spec.Digest, max int64) ([]byte, error) {
	var data []byte
	err := twice(src, func(src Source, last bool) (bool, error) {
		var large error
		for _, p := range []string{path, ledger.ObjectPath(digest)} {
			found, err := src.Read(ctx, p, max)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case fault.ReasonOf(err) == reasonTooLarge:
				large = err // not the stated one; that may lie at the other place
			case err != nil:
				return false, err
			default:
				if data = found; spec.DigestOf(found) == digest {
					return false, nil
				}
			}
		}
		switch {
		case data != nil || !last:
			return true, nil
		case large != nil:
			return false, large
		}
		return false, fault.New(fault.Unavailable, "no_object", "%s has no %s: %w", src.Location(), path, fs.ErrNotExist)
	})
	return data, err
}
