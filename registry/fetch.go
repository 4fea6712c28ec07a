package registry

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Fetch gathers the bytes from which a release can be verified, or its absence
// from the registry. A ref without a version means the latest one. Nothing is
// trusted: digests are compared only to decide what to ask for again.
//
// Everything that follows from the name and the version is asked for at once,
// and then whatever else release.json lists: a pull of an exact version into
// an empty cache takes two sequential round trips, one of a tool without
// packages a single one. A document that is not what its parent states is
// looked for once by its digest; if that does not help, all is asked for once
// more through src.Refresh, and the outcome is handed on as it is.
//
// A name or a version that the registry does not list is no error: Record or
// Release is nil. Errors are those of the source, and Unavailable with reason
// "no_registry" where there is no published tree.
func Fetch(ctx context.Context, src Source, ref spec.Ref) (spec.Candidate, error) {
	if ref.Name == "" {
		return spec.Candidate{}, fault.New(fault.Internal, "ref", "fetch: the reference has no name")
	}
	var c spec.Candidate
	err := twice(src, func(src Source, last bool) (bool, error) {
		plan := append(chainPlan(ref.Name), releasePlan(ref.Name, ref.Version, spec.FormatPatch)...)
		f := newGathering(ctx, src, plan, last)
		f.light = proofPlan(ref.Name, ref.Version)
		c = spec.Candidate{Ref: ref}
		if err := f.chain(&c.Chain, ref.Name); err != nil {
			return false, err
		}
		err := f.release(&c)
		return f.broken, err
	})
	if err != nil {
		return spec.Candidate{}, err
	}
	return c, nil
}

// FetchRecord gathers the chain from the head to the record of a name. The
// record is nil where the registry does not list the name.
func FetchRecord(ctx context.Context, src Source, name spec.Name) (spec.Chain, error) {
	if name == "" {
		return spec.Chain{}, fault.New(fault.Internal, "ref", "fetch: the name is empty")
	}
	return fetchChain(ctx, src, name, chainPlan(name))
}

// FetchHead gathers the head, its evidence and the revoked list.
func FetchHead(ctx context.Context, src Source) (spec.Chain, error) {
	return fetchChain(ctx, src, "", headPlan())
}

func fetchChain(ctx context.Context, src Source, name spec.Name, plan []want) (spec.Chain, error) {
	var c spec.Chain
	err := twice(src, func(src Source, last bool) (bool, error) {
		f := newGathering(ctx, src, plan, last)
		c = spec.Chain{}
		err := f.chain(&c, name)
		return f.broken, err
	})
	if err != nil {
		return spec.Chain{}, err
	}
	return c, nil
}

// twice runs a gathering, and once more past all caches if what it found does
// not fit together. The second time counts, whatever it finds.
func twice(src Source, gather func(src Source, last bool) (broken bool, err error)) error {
	broken, err := gather(src, false)
	if err == nil && broken {
		_, err = gather(src.Refresh(), true)
	}
	return err
}

// ReadTile returns a reader of the log's tiles. Where a partial tile is gone
// because the log has grown, the whole one is read and cut.
func ReadTile(ctx context.Context, src Source) ledger.TileReader {
	return func(path string) ([]byte, error) {
		max := int64(limits.Tile)
		entries := strings.HasPrefix(path, "log/tile/entries/")
		if entries {
			max = limits.EntryTile
		}
		data, err := src.Read(ctx, path, max)
		whole, width, partial := cutTile(path)
		if !partial || !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
		missing := err
		if data, err = src.Read(ctx, whole, max); errors.Is(err, fs.ErrNotExist) {
			return nil, missing
		} else if err != nil {
			return nil, err
		}
		if !entries {
			return data[:min(len(data), width*len(spec.Digest{}))], nil
		}
		list, err := ledger.SplitEntries(data)
		if err != nil {
			return nil, fault.New(fault.NotVerified, "log", "%s: %w", whole, err)
		}
		size := 0
		for _, e := range list[:min(len(list), width)] {
			size += 2 + len(e)
		}
		return data[:size], nil
	}
}

// cutTile splits the path of a partial tile into that of the whole tile and
// the width.
func cutTile(path string) (whole string, width int, ok bool) {
	whole, last, ok := strings.Cut(path, ".p/")
	if !ok {
		return "", 0, false
	}
	for _, c := range []byte(last) {
		if c < '0' || c > '9' || width > tileWidth {
			return "", 0, false
		}
		width = width*10 + int(c-'0')
	}
	return whole, width, width > 0 && width < tileWidth
}
