package served

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/packed"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Files are those of one state, and the folder that they lie in.
type Files struct {
	Patches int  // that were made
	Index   bool // whether there is one
	Written int64
	Bytes   int64

	dst  registry.Store
	keep map[string]bool
}

// Write writes the files of the state that src has into dst, beside what is
// there: the head of dst may move once it returns. past are the catalogues of
// earlier states, newest first; nil takes those that dst keeps.
//
// An index that the head states and that does not come out is a fault of kind
// NotVerified; of another edition than ours it is left out.
func Write(ctx context.Context, dst registry.Store, src registry.Source, past iter.Seq[[]byte]) (*Files, error) {
	chain, err := registry.FetchHead(ctx, src)
	if err != nil {
		return nil, err
	}
	head, err := ledger.ParseHead(chain.Head)
	if err != nil {
		return nil, fault.New(fault.NotVerified, "head", "%w", err)
	}
	now, err := registry.FetchObject(ctx, src, ledger.CataloguePath, head.Catalogue, limits.Catalogue)
	if err != nil {
		return nil, err
	}
	if spec.DigestOf(now) != head.Catalogue {
		return nil, fault.New(fault.NotVerified, "catalogue", "%s is not what its parent states (%s)", ledger.CataloguePath, head.Catalogue)
	}
	f := &Files{dst: dst, keep: map[string]bool{}}
	whole, err := packed.Pack(now)
	if err != nil {
		return nil, err
	}
	if err := f.write(ctx, ledger.PackedCataloguePath(head.Catalogue), whole); err != nil {
		return nil, err
	}
	if past == nil {
		if past, err = f.remember(ctx, head.Catalogue, int64(len(whole))); err != nil {
			return nil, err
		}
	}
	if err := f.patches(ctx, now, past, len(whole)); err != nil {
		return nil, err
	}
	return f, f.index(ctx, head.Index, now)
}

// patches writes what leads from earlier catalogues to this one, unless the
// whole is no more.
func (f *Files) patches(ctx context.Context, now []byte, past iter.Seq[[]byte], whole int) error {
	to := spec.DigestOf(now)
	done := map[spec.Digest]bool{to: true}
	for old := range past {
		from := spec.DigestOf(old)
		if done[from] {
			continue
		}
		if len(done) > limits.PatchedStates {
			return nil
		}
		done[from] = true
		patch, err := packed.Patch(old, now)
		if err != nil {
			return err
		}
		if len(patch) >= whole || len(patch) > limits.CataloguePatch {
			continue
		}
		f.Patches++
		if err := f.write(ctx, ledger.CataloguePatchPath(from, to), patch); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// index makes the index that a head states, and what the search of the pages
// reads, which is of the same build and does not wait for a head that states it.
func (f *Files) index(ctx context.Context, want ledger.IndexRoot, catalogue []byte) error {
	built, err := build(ctx, catalogue)
	if err != nil {
		return err
	}
	if err := f.pages(ctx, built.Pages()); err != nil {
		return err
	}
	if want.IsZero() || want.Edition != index.Edition {
		return nil
	}
	segment := built.Segment()
	if got := spec.DigestOf(segment); got != want.Segment {
		return fault.New(fault.NotVerified, "index", "the head states the search index %s; %s follows from the catalogue", want.Segment, got)
	}
	data, err := packed.Pack(segment)
	if err != nil {
		return err
	}
	f.Index = true
	return f.write(ctx, ledger.IndexPath(want.Segment), data)
}

// pages writes the files that pages search by; the one that leads to the others,
// which lie in a folder of this state's own, comes last.
func (f *Files) pages(ctx context.Context, files map[string][]byte) error {
	const first = "index.json"
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == first {
			continue
		}
		if err := f.write(ctx, ledger.SearchDir+"/"+name, files[name]); err != nil {
			return err
		}
	}
	return f.write(ctx, ledger.SearchDir+"/"+first, files[first])
}

// Segment makes the search index of a catalogue.
func Segment(ctx context.Context, catalogue []byte) ([]byte, error) {
	built, err := build(ctx, catalogue)
	if err != nil {
		return nil, err
	}
	return built.Segment(), nil
}

func build(ctx context.Context, catalogue []byte) (*index.Built, error) {
	tools, err := ledger.ParseCatalogue(catalogue)
	if err != nil {
		return nil, fault.New(fault.NotVerified, "catalogue", "%w", err)
	}
	return index.Build(ctx, tools)
}

// write keeps a file, unless it is there: its name says what it holds. One that
// was damaged there is for who reads it to find out, and to do without.
func (f *Files) write(ctx context.Context, path string, data []byte) error {
	f.keep[path] = true
	if old, err := f.dst.Read(ctx, path, int64(len(data))); err == nil && spec.DigestOf(old) == spec.DigestOf(data) {
		return nil
	}
	f.Written++
	f.Bytes += int64(len(data))
	return f.dst.Write(ctx, path, data, false)
}

// Sweep removes the files of earlier states, when the head has moved on.
func (f *Files) Sweep(ctx context.Context) error {
	there, err := f.dst.List(ctx, ledger.SearchDir)
	if err != nil {
		return err
	}
	for _, p := range there {
		if f.keep[p] || !strings.HasSuffix(p, ".zst") && !strings.HasSuffix(p, ".bin") && p != statesPath {
			continue
		}
		if err := f.dst.Remove(ctx, p); err != nil {
			return err
		}
	}
	if p, ok := f.dst.(pruner); ok { // the folder of the state before
		return p.Prune(ctx, ledger.SearchDir)
	}
	return nil
}

// pruner is a store in which folders stay when their files go.
type pruner interface {
	Prune(ctx context.Context, dir string) error
}
