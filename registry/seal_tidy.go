package registry

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// tidy does after a publication, or for one that died, what does not change
// the state: fixed paths follow the pointer, and what only older states needed
// goes away. Kept are the objects in which the current and the previous state
// differ, and the partial tiles of both: a reader whose head is one behind,
// from a cache or because it began earlier, finds all that it needs.
type tidy struct {
	store Store
	have  map[string]bool // objects
}

func newTidy(ctx context.Context, store Store) (*tidy, error) {
	t := &tidy{store, map[string]bool{}}
	paths, err := store.List(ctx, ledger.ObjectsDir)
	for _, p := range paths {
		t.have[p] = true
	}
	return t, err
}

// finish does all of it for the current state.
func (t *tidy) finish(ctx context.Context, cur *chain, list catalogue, o *SealOptions) error {
	if err := t.introduce(ctx, o); err != nil {
		return err
	}
	if err := t.repair(ctx, cur, o); err != nil {
		return err
	}
	if list.err != nil {
		return list.err
	}
	if !list.inPlace {
		if err := t.store.Write(ctx, ledger.CataloguePath, list.data, false); err != nil {
			return err
		}
	}
	if len(t.have) == 0 {
		return nil
	}
	prev, err := t.previous(ctx, cur)
	if err != nil {
		return err
	}
	changes, err := differences(ctx, prev, cur)
	if err != nil {
		return err
	}
	return t.prune(ctx, changes, cur.head)
}

// repair lets the fixed paths follow, where a seal died after it had moved the
// pointer. head.json comes last, here as there, so where it is right all is.
func (t *tidy) repair(ctx context.Context, cur *chain, o *SealOptions) error {
	if cur.head == nil {
		return nil
	}
	if ok, err := t.at(ctx, ledger.HeadPath, cur.digest); ok || err != nil {
		return err
	}
	prev, err := t.previous(ctx, cur)
	if err != nil {
		return err
	}
	changes, err := differences(ctx, prev, cur)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if !c.durable || c.path == ledger.HeadPath {
			continue // the catalogue is the caller's, the head comes last
		}
		if ok, err := t.at(ctx, c.path, c.new); err != nil {
			return err
		} else if ok {
			continue
		}
		data, err := stated(ctx, t.store, c.path, c.new, limits.Document)
		if err != nil {
			return err
		}
		if err := t.store.Write(ctx, c.path, data, true); err != nil {
			return err
		}
	}
	if err := t.checkpoint(ctx, cur, o); err != nil {
		return err
	}
	return t.store.Write(ctx, ledger.HeadPath, cur.raw, true)
}

// checkpoint lets the log's checkpoint follow. No document states its digest:
// it is known by the root in its first lines.
func (t *tidy) checkpoint(ctx context.Context, cur *chain, o *SealOptions) error {
	old, err := t.store.Read(ctx, ledger.CheckpointPath, limits.Document)
	if err == nil && strings.HasPrefix(string(old), ledger.Checkpoint(cur.head.Registry, cur.head.Log)+"\n") {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	signed, err := o.Signer.SignCheckpoint(ctx, cur.head.Registry, cur.head.Log)
	if err != nil || signed == nil {
		return err
	}
	return t.store.Write(ctx, ledger.CheckpointPath, signed, true)
}

// at tells whether a fixed path has the document with a digest.
func (t *tidy) at(ctx context.Context, path string, want spec.Digest) (bool, error) {
	data, err := t.store.Read(ctx, path, limits.Document)
	if errors.Is(err, fs.ErrNotExist) || fault.ReasonOf(err) == reasonTooLarge {
		return false, nil
	}
	return err == nil && spec.DigestOf(data) == want, err
}

// introduce writes registry.json unless it is right already.
func (t *tidy) introduce(ctx context.Context, o *SealOptions) error {
	data := ledger.Encode(o.Registry)
	if ok, err := t.at(ctx, ledger.RegistryPath, spec.DigestOf(data)); ok || err != nil {
		return err
	}
	return t.store.Write(ctx, ledger.RegistryPath, data, true)
}

// previous finds the state before the current one among the objects. Where it
// is not there, as in a copy of the tree without objects, the state before is
// taken to be the empty one: then everything counts as changed, which is right
// but not cheap.
func (t *tidy) previous(ctx context.Context, cur *chain) (*chain, error) {
	if cur.head.Seq == 1 {
		return emptyChain(t.store), nil
	}
	heads, err := t.heads(ctx, maps.Keys(t.have))
	if err != nil {
		return nil, err
	}
	for path, h := range heads {
		if h.Registry != cur.head.Registry || h.Seq != cur.head.Seq-1 {
			continue
		}
		raw, err := t.store.Read(ctx, path, headBytes)
		if err != nil {
			return nil, err
		}
		prev, err := openChain(ctx, t.store, raw)
		if fault.ReasonOf(err) == reasonDamaged {
			continue
		}
		return prev, err
	}
	return emptyChain(t.store), nil
}

// headBytes bounds a head document; it has a few hundred bytes.
const headBytes = 4096

// heads returns those of the objects that are heads.
func (t *tidy) heads(ctx context.Context, paths func(func(string) bool)) (map[string]*ledger.Head, error) {
	out := map[string]*ledger.Head{}
	for p := range paths {
		raw, err := t.store.Read(ctx, p, headBytes)
		switch {
		case errors.Is(err, fs.ErrNotExist), fault.ReasonOf(err) == reasonTooLarge:
			continue
		case err != nil:
			return nil, err
		}
		if h, err := ledger.ParseHead(raw); err == nil && ledger.ObjectPath(spec.DigestOf(raw)) == p {
			out[p] = h
		}
	}
	return out, nil
}

// prune removes objects other than those of the changes that led to the
// current state, and partial tiles of heads that go with them.
func (t *tidy) prune(ctx context.Context, changes []change, cur *ledger.Head) error {
	keep := map[string]bool{}
	var previous spec.Digest
	for _, c := range changes {
		keep[ledger.ObjectPath(c.old)], keep[ledger.ObjectPath(c.new)] = true, true
		if c.path == ledger.HeadPath {
			previous = c.old
		}
	}
	var doomed []string
	for _, p := range slices.Sorted(maps.Keys(t.have)) {
		if !keep[p] {
			doomed = append(doomed, p)
		}
	}
	if len(doomed) == 0 {
		return nil
	}
	heads, err := t.heads(ctx, slices.Values(append(doomed, ledger.ObjectPath(previous))))
	if err != nil {
		return err
	}
	for _, p := range ledger.PartialTilePaths(cur.Log.Size) {
		keep[p] = true
	}
	if h := heads[ledger.ObjectPath(previous)]; h != nil {
		for _, p := range ledger.PartialTilePaths(h.Log.Size) {
			keep[p] = true
		}
	}
	// Heads go last: as long as one is there, a seal that runs after a crash
	// here finds the tiles that go with it.
	var tiles, last []string
	for _, p := range doomed {
		if h := heads[p]; h != nil {
			tiles, last = append(tiles, ledger.PartialTilePaths(h.Log.Size)...), append(last, p)
		}
	}
	// Beside the current tiles may lie those of a seal that died before it had
	// written its head.
	for _, p := range ledger.PartialTilePaths(cur.Log.Size) {
		beside, err := t.store.List(ctx, path.Dir(p))
		if err != nil {
			return err
		}
		tiles = append(tiles, beside...)
	}
	doomed = slices.DeleteFunc(doomed, func(p string) bool { return heads[p] != nil })
	for _, step := range [][]string{tiles, doomed, last} {
		step = slices.DeleteFunc(step, func(p string) bool { return keep[p] })
		if err := inParallel(ctx, step, t.store.Remove); err != nil {
			return err
		}
	}
	return nil
}
