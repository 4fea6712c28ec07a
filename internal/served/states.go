package served

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/packed"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// statesPath lists the catalogues that a folder keeps, because it has no history
// as a branch has. Nobody but this package reads it, and what it names is
// compared with the digests.
const statesPath = ledger.SearchDir + "/states.json"

const statesSchema = "patch-git/states/v1"

type states struct {
	Schema     string        `json:"schema"`
	Catalogues []spec.Digest `json:"catalogues"` // newest first
}

// remember puts a catalogue before those that the folder keeps, drops the oldest
// ones and returns the others.
func (f *Files) remember(ctx context.Context, now spec.Digest, size int64) (iter.Seq[[]byte], error) {
	known := states{}
	data, err := f.dst.Read(ctx, statesPath, limits.MiB)
	switch {
	case err == nil:
		if json.Unmarshal(data, &known) != nil || known.Schema != statesSchema {
			known = states{} // damaged: the next states are kept again
		}
	case !errors.Is(err, fs.ErrNotExist) && fault.KindOf(err) != fault.NotVerified:
		return nil, err
	}
	list := []spec.Digest{now}
	total := size
	for _, d := range known.Catalogues {
		if len(list) > limits.PatchedStates {
			break
		}
		if slices.Contains(list, d) {
			continue
		}
		path := ledger.PackedCataloguePath(d)
		old, err := f.dst.Read(ctx, path, limits.ServedStates)
		if total += int64(len(old)); err != nil || total > limits.ServedStates {
			break
		}
		f.keep[path] = true
		list = append(list, d)
	}
	if err := f.write(ctx, statesPath, ledger.Encode(states{statesSchema, list})); err != nil {
		return nil, err
	}
	return func(yield func([]byte) bool) {
		for _, d := range list[1:] {
			data, err := f.dst.Read(ctx, ledger.PackedCataloguePath(d), limits.ServedStates)
			if err != nil {
				continue
			}
			old, err := packed.Unpack(data, limits.Catalogue)
			if err == nil && spec.DigestOf(old) == d && !yield(old) {
				return
			}
		}
	}, nil
}
