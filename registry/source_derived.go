package registry

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Derived returns a source that answers for the files which a branch does not
// commit because they follow from others: the hash tiles of the log, from its
// entry tiles, and the catalogue, from the records. A file that src has is
// never replaced. What is derived is kept as long as the source lives.
func Derived(src Source) Source {
	return &derived{src: src, turn: newTurn(), made: map[string][]byte{}, budget: derivedBytes}
}

type derived struct {
	src    Source
	turn   turn // guards the rest
	made   map[string][]byte
	budget int64
}

// derivedBytes is how many bytes of entries and records one source reads for
// derivation: in git one blob can stand at a million paths.
const derivedBytes = 1 << 30

func (d *derived) Location() string { return d.src.Location() }

func (d *derived) Refresh() Source { return Derived(d.src.Refresh()) }

func (d *derived) remembered(path string, max int64) []byte {
	if r, ok := d.src.(rememberer); ok {
		return r.remembered(path, max)
	}
	return nil
}

func (d *derived) Read(ctx context.Context, path string, max int64) ([]byte, error) {
	data, err := d.src.Read(ctx, path, max)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	t, isTile := parseTilePath(path)
	if !IsDerived(path) {
		return nil, err
	}
	if err := d.turn.take(ctx); err != nil {
		return nil, err
	}
	defer d.turn.give()
	made, ok := d.made[path]
	if !ok {
		if isTile {
			made, err = d.tile(ctx, t)
		} else {
			made, err = d.catalogue(ctx)
		}
		if err != nil {
			return nil, err
		}
		d.made[path] = made
	}
	if int64(len(made)) > max {
		return nil, tooLarge(path, max)
	}
	return append([]byte(nil), made...), nil
}

// IsDerived tells whether the file at a path follows from others, so that a
// branch need not commit it.
func IsDerived(path string) bool {
	_, isTile := parseTilePath(path)
	return isTile || path == ledger.CataloguePath
}

// parseTilePath is the inverse of ledger.TilePath for hash tiles.
func parseTilePath(path string) (tlog.Tile, bool) {
	rest, ok := strings.CutPrefix(path, "log/tile/")
	if !ok || strings.HasPrefix(rest, "entries/") {
		return tlog.Tile{}, false
	}
	t, err := tlog.ParseTilePath("tile/" + strconv.Itoa(tileHeight) + "/" + rest)
	return t, err == nil && t.L >= 0 && t.L <= maxTileLevel
}

const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
	// maxTileLevel is enough for 2^32 entries.
	maxTileLevel = 3
)

// tile computes a hash tile. Hash i of a tile of level L > 0 is the root of
// the whole tile i below it, so one level needs the one beneath.
func (d *derived) tile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	if t.L == 0 {
		return d.leafTile(ctx, t)
	}
	out := make([]byte, 0, t.W*tlog.HashSize)
	for i := range int64(t.W) {
		below := tlog.Tile{H: tileHeight, L: t.L - 1, N: t.N*tileWidth + i, W: tileWidth}
		path := ledger.TilePath(below)
		data, ok := d.made[path]
		if !ok {
			var err error
			data, err = d.src.Read(ctx, path, limits.Tile)
			if errors.Is(err, fs.ErrNotExist) {
				data, err = d.tile(ctx, below)
			}
			if err != nil {
				return nil, err
			}
			d.made[path] = data
		}
		root, err := tileRoot(data)
		if err != nil {
			return nil, err
		}
		out = append(out, root[:]...)
	}
	return out, nil
}

// leafTile hashes the entries of a tile.
func (d *derived) leafTile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	entries := t
	entries.L = -1
	data, err := d.src.Read(ctx, ledger.TilePath(entries), limits.EntryTile)
	if errors.Is(err, fs.ErrNotExist) && t.W < tileWidth { // it has been filled since
		entries.W = tileWidth
		data, err = d.src.Read(ctx, ledger.TilePath(entries), limits.EntryTile)
	}
	if err != nil {
		return nil, err
	}
	if err := d.spend(len(data)); err != nil {
		return nil, err
	}
	list, err := ledger.SplitEntries(data)
	if err != nil || len(list) < t.W {
		return nil, fault.New(fault.NotVerified, "log", "entry tile %s does not have %d entries", ledger.TilePath(entries), t.W)
	}
	out := make([]byte, 0, t.W*tlog.HashSize)
	for _, e := range list[:t.W] {
		h := tlog.RecordHash(e)
		out = append(out, h[:]...)
	}
	return out, nil
}

// tileRoot is the hash over a whole tile.
func tileRoot(data []byte) (tlog.Hash, error) {
	if len(data) != tileWidth*tlog.HashSize {
		return tlog.Hash{}, fault.New(fault.NotVerified, "log", "a hash tile has %d bytes", len(data))
	}
	level := make([]tlog.Hash, tileWidth)
	for i := range level {
		copy(level[i][:], data[i*tlog.HashSize:])
	}
	for len(level) > 1 {
		for i := range len(level) / 2 {
			level[i] = tlog.NodeHash(level[2*i], level[2*i+1])
		}
		level = level[:len(level)/2]
	}
	return level[0], nil
}

// catalogue lists every record that the head leads to.
func (d *derived) catalogue(ctx context.Context) ([]byte, error) {
	c, err := FetchHead(ctx, d.src)
	if err != nil {
		return nil, err
	}
	head, err := ledger.ParseHead(c.Head)
	if err != nil {
		return nil, notDerived(err)
	}
	data, err := d.stated(ctx, ledger.BucketsPath, head.Buckets)
	if err != nil {
		return nil, err
	}
	buckets, err := ledger.ParseBuckets(data)
	if err != nil {
		return nil, notDerived(err)
	}
	listings := map[spec.Name]*ledger.Listing{}
	for i := range buckets.Buckets {
		if buckets.At(i).IsZero() {
			continue
		}
		data, err := d.stated(ctx, ledger.BucketPath(i), buckets.At(i))
		if err != nil {
			return nil, err
		}
		bucket, err := ledger.ParseBucket(data, i)
		if err != nil {
			return nil, notDerived(err)
		}
		for name, digest := range bucket.Names {
			data, err := d.stated(ctx, ledger.RecordPath(name), digest)
			if err != nil {
				return nil, err
			}
			record, err := ledger.ParseRecord(data, name)
			if err != nil {
				return nil, notDerived(err)
			}
			listings[name] = ledger.NewListing(record)
		}
	}
	out, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), listings)
	if err != nil {
		return nil, notDerived(err)
	}
	return out, nil
}

// stated reads a document at its fixed path or, where it has another digest
// there, among the objects.
func (d *derived) stated(ctx context.Context, path string, digest spec.Digest) ([]byte, error) {
	for _, p := range []string{path, ledger.ObjectPath(digest)} {
		data, err := d.src.Read(ctx, p, limits.Document)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := d.spend(len(data)); err != nil {
			return nil, err
		}
		if err == nil && spec.DigestOf(data) == digest {
			return data, nil
		}
	}
	return nil, fault.New(fault.NotVerified, "mixed", "%s does not have the digest that its parent states", path)
}

func (d *derived) spend(n int) error {
	if d.budget -= int64(n); d.budget < 0 {
		return fault.New(fault.NotVerified, "too_large", "what must be read to derive a file has more than %d bytes", int64(derivedBytes))
	}
	return nil
}

func notDerived(err error) error {
	return fault.New(fault.NotVerified, "document", "derive the catalogue: %w", err)
}
