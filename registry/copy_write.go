package registry

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// log lists the tiles that dst does not have, and the evidence of the
// withdrawals in them.
func (c *copying) log(ctx context.Context) error {
	before, size := c.prev.logRoot().Size, c.cur.head.Log.Size
	if before > size {
		return damaged(c.src, "its log has %d entries, that of the copy has %d", size, before)
	}
	for t := range ledger.EntryTiles(size, before) {
		data, err := c.src.Read(ctx, t.Path, limits.EntryTile)
		if err != nil {
			return err
		}
		list, err := t.Split(data)
		if err != nil {
			return damaged(c.src, "%s: %w", t.Path, err)
		}
		for i, raw := range list {
			index := t.First + int64(i)
			e, err := ledger.ParseEntry(raw)
			if err != nil {
				return damaged(c.src, "%s: %w", t.Path, err)
			}
			if e.Event != ledger.EventAccept && index >= before {
				c.beside = append(c.beside, item{path: ledger.WithdrawalPath(index), max: limits.Bundle})
			}
		}
		c.beside = append(c.beside, item{path: t.Path, max: limits.EntryTile})
	}
	for level, was, now := 0, before, size; now > 0; level, was, now = level+1, was>>tileHeight, now>>tileHeight {
		for n := was >> tileHeight; n<<tileHeight < now; n++ {
			t := tlog.Tile{H: tileHeight, L: level, N: n, W: int(min(now-n<<tileHeight, tileWidth))}
			c.beside = append(c.beside, item{path: ledger.TilePath(t), max: limits.Tile})
		}
	}
	return nil
}

// run writes. Only the pointer and head.json have to last: after a power cut
// the rest is found missing when the copy is verified, and copied again.
func (c *copying) run(ctx context.Context, evidence []byte) error {
	t, err := newTidy(ctx, c.dst)
	if err != nil {
		return err
	}
	if err := inParallel(ctx, c.beside, c.copy); err != nil {
		return err
	}
	if err := c.keep(ctx, t); err != nil {
		return err
	}
	pointer := func() error { return c.put(ctx, ledger.HeadEvidencePath, evidence, true) }
	follow := func() error { return inParallel(ctx, c.follow, c.copy) }
	head := func() error { return c.put(ctx, ledger.HeadPath, c.cur.raw, true) }
	steps := []func() error{pointer, follow, head}
	if c.prev.head == nil { // there is no state yet that a reader could hold on to
		steps = []func() error{follow, head, pointer}
	}
	for _, do := range steps {
		if err := do(); err != nil {
			return err
		}
	}
	if c.prev.head == nil || c.prev.digest == c.cur.digest {
		return nil
	}
	for _, ch := range c.changes {
		t.have[ledger.ObjectPath(ch.new)] = true
	}
	return t.prune(ctx, c.changes, c.cur.head)
}

// keep puts the documents that will be replaced where they are found by digest.
func (c *copying) keep(ctx context.Context, t *tidy) error {
	return inParallel(ctx, c.changes, func(ctx context.Context, ch change) error {
		if ch.old.IsZero() || t.have[ledger.ObjectPath(ch.old)] {
			return nil
		}
		data, err := stated(ctx, c.dst, ch.path, ch.old, ch.most())
		if err != nil {
			return err
		}
		return c.put(ctx, ledger.ObjectPath(ch.old), data, false)
	})
}

// most is how large the document of a change may be.
func (ch change) most() int64 {
	if ch.path == ledger.CataloguePath {
		return limits.Catalogue
	}
	return limits.Document
}

// copy moves one file.
func (c *copying) copy(ctx context.Context, it item) error {
	defer c.w.count()
	from := it.path
	if it.from != "" {
		from = it.from
	}
	var data []byte
	var err error
	if it.digest.IsZero() {
		data, err = c.src.Read(ctx, from, it.max)
	} else {
		data, err = stated(ctx, c.src, from, it.digest, it.max)
	}
	if it.maybe && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.put(ctx, it.path, data, false)
}

// put writes a file unless it is there as it should be, which nobody looks for
// where everything is new.
func (c *copying) put(ctx context.Context, path string, data []byte, lasting bool) error {
	if c.bare || !c.anew && strings.HasPrefix(path, "releases/") {
		c.files.Add(1)
		c.bytes.Add(int64(len(data)))
		return c.dst.Write(ctx, path, data, lasting)
	}
	if old, err := c.dst.Read(ctx, path, int64(len(data))); err == nil && spec.DigestOf(old) == spec.DigestOf(data) {
		return nil
	}
	c.files.Add(1)
	c.bytes.Add(int64(len(data)))
	return c.dst.Write(ctx, path, data, lasting)
}

// settle lets the fixed paths of dst follow its own pointer, where a copy died
// after it had moved it: readers hold on to that state until the next one is
// whole. As in a publication, head.json comes last, so where it is right all is.
func (c *copying) settle(ctx context.Context) error {
	if c.prev.head == nil {
		return nil
	}
	t, err := newTidy(ctx, c.dst)
	if err != nil {
		return err
	}
	if ok, err := t.at(ctx, ledger.HeadPath, c.prev.digest); ok || err != nil {
		return err
	}
	before, err := t.previous(ctx, c.prev)
	if err != nil {
		return err
	}
	changes, err := differences(ctx, before, c.prev)
	if err != nil {
		return err
	}
	for _, ch := range changes { // the head is the last of them
		data, err := stated(ctx, c.dst, ch.path, ch.new, ch.most())
		if err != nil {
			return err
		}
		if err := c.put(ctx, ch.path, data, ch.path == ledger.HeadPath); err != nil {
			return err
		}
	}
	return nil
}
