package ledger

import (
	"fmt"
	"iter"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/patch-cat/patch-git/spec"
)

// EntryTile is one entry tile of a log: where it lies and which entries it has.
type EntryTile struct {
	Path  string
	First int64 // index of its first entry
	Count int
}

// EntryTiles yields the entry tiles of a log of a size that have entries from
// an index on, in order. The size is what some head says: whoever collects the
// tiles has to have bounded it.
func EntryTiles(size, from int64) iter.Seq[EntryTile] {
	return func(yield func(EntryTile) bool) {
		if from >= size {
			return
		}
		for n := max(from, 0) >> tileHeight; n<<tileHeight < size; n++ {
			w := int(min(size-n<<tileHeight, 1<<tileHeight))
			if !yield(EntryTile{TilePath(tlog.Tile{H: tileHeight, L: -1, N: n, W: w}), n << tileHeight, w}) {
				return
			}
		}
	}
}

// Split reads the bytes of the tile, which must have exactly its entries.
func (t EntryTile) Split(data []byte) ([][]byte, error) {
	list, err := SplitEntries(data)
	if err != nil {
		return nil, err
	}
	if len(list) != t.Count {
		return nil, fmt.Errorf("entry tile has %d entries, not %d", len(list), t.Count)
	}
	return list, nil
}

// Leaves returns the hashes of a range of leaves as the root covers them: the
// hash tiles are read, and none is believed that does not hash to the root.
func Leaves(root LogRoot, first int64, count int, read TileReader) ([]spec.Digest, error) {
	if err := root.check(); err != nil {
		return nil, err
	}
	if first < 0 || count < 0 || first > root.Size-int64(count) {
		return nil, fmt.Errorf("log of %d entries has no %d from %d on", root.Size, count, first)
	}
	indexes := make([]int64, count)
	for i := range indexes {
		indexes[i] = tlog.StoredHashIndex(0, first+int64(i))
	}
	hashes, err := hashReader(root, read).ReadHashes(indexes)
	if err != nil {
		return nil, err
	}
	out := make([]spec.Digest, count)
	for i, h := range hashes {
		out[i] = spec.Digest(h)
	}
	return out, nil
}

// ReadEntries hands over the entries of a log from an index to its end, oldest
// first, each only after it was shown to be the leaf that the root covers. Of
// the entry tiles it reads those that have such entries.
func ReadEntries(root LogRoot, from int64, read TileReader, each func(index int64, e *Entry) error) error {
	if err := root.check(); err != nil {
		return err
	}
	for t := range EntryTiles(root.Size, from) {
		data, err := read(t.Path)
		if err != nil {
			return err
		}
		list, err := t.Split(data)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Path, err)
		}
		leaves, err := Leaves(root, t.First, t.Count, read)
		if err != nil {
			return err
		}
		for i, raw := range list {
			index := t.First + int64(i)
			if LeafHash(raw) != leaves[i] {
				return fmt.Errorf("%s: entry %d is not the one in the log", t.Path, index)
			}
			if index < from {
				continue
			}
			e, err := ParseEntry(raw)
			if err != nil {
				return fmt.Errorf("%s: entry %d: %w", t.Path, index, err)
			}
			if err := each(index, e); err != nil {
				return err
			}
		}
	}
	return nil
}
