package registry

import (
	"context"
	"errors"
	"io/fs"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// FetchObject reads one document that a verified parent states by digest: at
// its fixed path, else by its digest, else past all caches. Whether the bytes
// returned are the stated ones is for the caller, who has to compare.
func FetchObject(ctx context.Context, src Source, path string, digest spec.Digest, max int64) ([]byte, error) {
	var data []byte
	err := twice(src, func(src Source, last bool) (bool, error) {
		var missing error
		for _, p := range []string{path, ledger.ObjectPath(digest)} {
			found, err := src.Read(ctx, p, max)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				missing = err
			case err != nil:
				return false, err
			default:
				if data = found; spec.DigestOf(found) == digest {
					return false, nil
				}
			}
		}
		if data == nil && last {
			return false, missing
		}
		return true, nil
	})
	return data, err
}
