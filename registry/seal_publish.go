package registry

import (
	"context"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// change is one document whose fixed path gets other bytes.
type change struct {
	path     string
	old, new spec.Digest // old is zero where there was none
	oldData  []byte      // of the catalogue; others are read when they are needed
	data     []byte
	durable  bool // what follows from the rest is not
}

// publish writes the generation. See [Seal] for why in this order.
func (g *generation) publish(ctx context.Context, cur *chain, t *tidy, o *SealOptions) error {
	// Before the first pointer, so that who finds one finds whom to trust.
	if err := t.introduce(ctx, o); err != nil {
		return err
	}
	if err := g.clearReleases(ctx); err != nil {
		return err
	}
	beside, err := g.objects(ctx, t, g.changes)
	if err != nil {
		return err
	}
	beside = append(beside, g.fresh...)
	w := &writer{store: g.store, progress: o.Progress, total: len(beside) + len(g.changes) + 6}
	written := make(chan error, 1)
	go func() { written <- w.write(ctx, beside) }()
	below := len(g.changes)
	if !o.SignFirst {
		err = g.top(ctx, cur, o)
	}
	if wErr := <-written; wErr != nil {
		return wErr
	}
	if err != nil {
		return err
	}
	beside, err = g.objects(ctx, t, g.changes[below:])
	if err != nil {
		return err
	}
	var follow []file
	if g.checkpoint != nil {
		follow = append(follow, file{ledger.CheckpointPath, g.checkpoint, true})
	}
	for _, c := range g.changes {
		if c.durable && c.path != ledger.HeadPath {
			follow = append(follow, file{c.path, c.data, true})
		}
	}
	w.expect(len(beside) + len(follow) + 3)
	for _, step := range [][]file{
		beside,
		{{ledger.HeadEvidencePath, g.evidence, true}}, // with it the new state begins
		follow,
		{{ledger.HeadPath, g.raw, true}}, // last: while it is behind the pointer, repair is due
	} {
		if err := w.write(ctx, step); err != nil {
			return err
		}
	}
	// A file system may let durable writes wait for a large one before them, so
	// the catalogue comes after them. Nobody relies on it being in place.
	if g.head.Catalogue != cur.catalogueDigest() || !g.was.inPlace {
		if err := w.placeCatalogue(ctx, g.head.Catalogue, g.catalogue); err != nil {
			return err
		}
	}
	return t.prune(ctx, g.changes, g.head)
}

// top makes the catalogue and the head, and signs the head.
func (g *generation) top(ctx context.Context, cur *chain, o *SealOptions) error {
	var err error
	g.catalogue, err = ledger.UpdateCatalogue(g.was.data, g.lines)
	if err != nil {
		return damaged(cur.store, "%w", err)
	}
	if len(g.catalogue) > limits.Catalogue {
		return fault.New(fault.Findings, "catalogue", "the catalogue has %d bytes, allowed are %d", len(g.catalogue), limits.Catalogue)
	}
	c := change{path: ledger.CataloguePath, old: cur.catalogueDigest(), oldData: g.was.data, new: spec.DigestOf(g.catalogue), data: g.catalogue}
	if g.head.Catalogue = c.new; c.new != c.old {
		g.changes = append(g.changes, c)
	}
	switch {
	case o.Index != nil:
		g.head.Index = o.Index(ctx, g.catalogue)
	case c.new == c.old:
		g.head.Index = cur.head.Index
	}
	g.raw = ledger.Encode(g.head)
	g.digest = g.change(ledger.HeadPath, cur.digest, g.raw)
	g.evidence, err = o.Signer.Sign(ctx, ledger.NewStatement(o.Registry.Name.HeadSubject(), g.digest, ledger.PredicateHead,
		ledger.HeadPredicate{Registry: registryID(o.Registry), Seq: g.head.Seq, LogSize: g.head.Log.Size}))
	if err != nil {
		return err
	}
	return o.CheckHead(g.evidence, g.raw)
}

// objects are documents by digest: the new ones, and those that they replace,
// so that a reader who holds the old head still finds them after their fixed
// paths have moved on.
func (g *generation) objects(ctx context.Context, t *tidy, changes []change) ([]file, error) {
	var out []file
	add := func(d spec.Digest, data []byte, durable bool) {
		out = append(out, file{ledger.ObjectPath(d), data, durable})
		t.have[ledger.ObjectPath(d)] = true
	}
	for _, c := range changes {
		if !c.old.IsZero() && !t.have[ledger.ObjectPath(c.old)] {
			if c.oldData == nil {
				var err error
				if c.oldData, err = stated(ctx, g.store, c.path, c.old, limits.Document); err != nil {
					return nil, err
				}
			}
			add(c.old, c.oldData, c.durable)
		}
		add(c.new, c.data, c.durable)
	}
	return out, nil
}

// clearReleases removes what a seal that died left in the folders of the new
// releases. No head that was ever published refers to it.
func (g *generation) clearReleases(ctx context.Context) error {
	for _, p := range g.vacant {
		if err := g.store.Remove(ctx, p); err != nil {
			return err
		}
	}
	for dir, files := range g.releases {
		there, err := g.store.List(ctx, dir)
		if err != nil {
			return err
		}
		for _, p := range there {
			if !files[p] {
				if err := g.store.Remove(ctx, p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
