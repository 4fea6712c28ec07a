package ledger

import (
	"fmt"
	"iter"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/patch-cat/patch-git/spec"
)

// LogTree is a log built again from the hashes of all its leaves: what its
// tiles and its root must be, whatever is published. It keeps two hashes for
// each entry.
type LogTree struct {
	// levels[k][i] is the hash over the leaves from i<<k to (i+1)<<k.
	levels [][]tlog.Hash
}

// LeafHash is the hash under which an entry stands in the log.
func LeafHash(entry []byte) spec.Digest { return spec.Digest(tlog.RecordHash(entry)) }

// NewLogTree builds a log from its leaves.
func NewLogTree(leaves []spec.Digest) *LogTree {
	level := make([]tlog.Hash, len(leaves))
	for i, l := range leaves {
		level[i] = tlog.Hash(l)
	}
	t := &LogTree{}
	for len(level) > 0 {
		t.levels = append(t.levels, level)
		up := make([]tlog.Hash, len(level)/2)
		for i := range up {
			up[i] = tlog.NodeHash(level[2*i], level[2*i+1])
		}
		level = up
	}
	return t
}

// Size is the number of leaves.
func (t *LogTree) Size() int64 {
	if len(t.levels) == 0 {
		return 0
	}
	return int64(len(t.levels[0]))
}

// Root is the root that the log had at a size.
func (t *LogTree) Root(size int64) (LogRoot, error) {
	if size < 0 || size > t.Size() {
		return LogRoot{}, fmt.Errorf("log has %d entries, not %d", t.Size(), size)
	}
	top, err := tlog.TreeHash(size, tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, x := range indexes {
			level, n := tlog.SplitStoredHashIndex(x)
			out[i] = t.levels[level][n]
		}
		return out, nil
	}))
	return LogRoot{Size: size, Root: spec.Digest(top)}, err
}

// Tiles yields every hash tile of the log, from the leaves up.
func (t *LogTree) Tiles() iter.Seq[TileFile] {
	return func(yield func(TileFile) bool) {
		for l := 0; l*tileHeight < len(t.levels); l++ {
			level := t.levels[l*tileHeight]
			for n := 0; n<<tileHeight < len(level); n++ {
				part := level[n<<tileHeight : min(len(level), (n+1)<<tileHeight)]
				data := make([]byte, 0, len(part)*tlog.HashSize)
				for _, h := range part {
					data = append(data, h[:]...)
				}
				tile := tlog.Tile{H: tileHeight, L: l, N: int64(n), W: len(part)}
				if !yield(TileFile{TilePath(tile), data}) {
					return
				}
			}
		}
	}
}
