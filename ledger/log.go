package ledger

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Proof is proof.json: that the acceptance of a release stands in the log, as
// of the publication that added it. The root is the one that the signed
// acceptance states, so it verifies offline.
type Proof struct {
	Schema string        `json:"schema"`
	Entry  Entry         `json:"entry"`
	Index  int64         `json:"index"`
	Hashes []spec.Digest `json:"hashes"`
}

// ProofSchema is the edition of [Proof].
const ProofSchema = "patch-git/proof/v1"

// ParseProof reads proof.json.
func ParseProof(data []byte) (*Proof, error) {
	p, err := decode[Proof]("proof", data, smallDocument)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("proof", p.Schema, ProofSchema); err != nil {
		return nil, err
	}
	if len(p.Hashes) > limits.Proof || p.Index < 0 {
		return nil, fmt.Errorf("proof has %d hashes at index %d", len(p.Hashes), p.Index)
	}
	if _, err := ParseEntry(Encode(p.Entry)); err != nil {
		return nil, fmt.Errorf("proof: %w", err)
	}
	return p, nil
}

// Included tells why the proof's entry is not in the log with the root, or nil.
func (p *Proof) Included(root LogRoot) error {
	if err := root.check(); err != nil {
		return err
	}
	hashes := make(tlog.RecordProof, len(p.Hashes))
	for i, h := range p.Hashes {
		hashes[i] = tlog.Hash(h)
	}
	leaf := tlog.RecordHash(Encode(p.Entry))
	if err := tlog.CheckRecord(hashes, root.Size, tlog.Hash(root.Root), p.Index, leaf); err != nil {
		return errors.New("log: the entry is not included under the root that was signed")
	}
	return nil
}

// TileReader reads one file of the log's tiles by the path of [TilePath].
type TileReader func(path string) ([]byte, error)

// Consistent tells why the log with root newer does not begin with all of the
// log with root older, or nil. It reads O(log n) tiles of the newer log and
// believes none that does not hash to the newer root.
func Consistent(older, newer LogRoot, read TileReader) error {
	if err := cmp.Or(older.check(), newer.check()); err != nil {
		return err
	}
	switch {
	case older.Size > newer.Size:
		return fmt.Errorf("log has %d entries, it had %d", newer.Size, older.Size)
	case older.Size == newer.Size:
		if older.Root != newer.Root {
			return errors.New("log has another root at the same size")
		}
		return nil
	case older.Size == 0:
		return nil
	}
	hashes := hashReader(newer, read)
	proof, err := tlog.ProveTree(newer.Size, older.Size, hashes)
	if err != nil {
		return err
	}
	if tlog.CheckTree(proof, newer.Size, tlog.Hash(newer.Root), older.Size, tlog.Hash(older.Root)) != nil {
		return errors.New("log does not continue what it was")
	}
	return nil
}

func hashReader(root LogRoot, read TileReader) tlog.HashReader {
	return tlog.TileHashReader(tlog.Tree{N: root.Size, Hash: tlog.Hash(root.Root)}, tiles(read))
}

// tiles adapts a TileReader to tlog.
type tiles TileReader

func (tiles) Height() int                     { return tileHeight }
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}
func (r tiles) ReadTiles(ts []tlog.Tile) ([][]byte, error) {
	out := make([][]byte, len(ts))
	for i, t := range ts {
		b, err := r(TilePath(t))
		if err != nil {
			return nil, err
		}
		out[i] = b
	}
	return out, nil
}

// Appended is what adding entries to a log makes.
type Appended struct {
	Root   LogRoot
	Tiles  []TileFile // to write, hash tiles and entry tiles
	hashes tlog.HashReader
}

// TileFile is one tile by its path.
type TileFile struct {
	Path string
	Data []byte
}

// Append adds entries to the log with the given root, of which it reads the
// right edge: O(log n) tiles and the last entry tile.
func Append(root LogRoot, entries [][]byte, read TileReader) (*Appended, error) {
	base := hashReader(root, read)
	fresh := map[int64]tlog.Hash{}
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		var ask []int64
		var at []int
		for i, x := range indexes {
			if h, ok := fresh[x]; ok {
				out[i] = h
				continue
			}
			ask, at = append(ask, x), append(at, i)
		}
		if len(ask) == 0 {
			return out, nil
		}
		got, err := base.ReadHashes(ask)
		if err != nil {
			return nil, err
		}
		for i, h := range got {
			out[at[i]] = h
		}
		return out, nil
	})
	size := root.Size
	for _, e := range entries {
		if len(e) > limits.LogEntry {
			return nil, fmt.Errorf("log entry has %d bytes, allowed are %d", len(e), limits.LogEntry)
		}
		hs, err := tlog.StoredHashes(size, e, reader)
		if err != nil {
			return nil, err
		}
		at := tlog.StoredHashIndex(0, size)
		for i, h := range hs {
			fresh[at+int64(i)] = h
		}
		size++
	}
	top, err := tlog.TreeHash(size, reader)
	if err != nil {
		return nil, err
	}
	a := &Appended{Root: LogRoot{Size: size, Root: spec.Digest(top)}, hashes: reader}
	if err := a.addTiles(root.Size, entries, read); err != nil {
		return nil, err
	}
	return a, nil
}

// addTiles computes the files that differ between the old and the new log.
func (a *Appended) addTiles(oldSize int64, entries [][]byte, read TileReader) error {
	for _, t := range tlog.NewTiles(tileHeight, oldSize, a.Root.Size) {
		data, err := tlog.ReadTileData(t, a.hashes)
		if err != nil {
			return err
		}
		a.Tiles = append(a.Tiles, TileFile{TilePath(t), data})
		if t.L != 0 {
			continue
		}
		var bundle []byte
		first := t.N << tileHeight
		if first < oldSize { // the tile continues a partial one
			old := tlog.Tile{H: tileHeight, L: -1, N: t.N, W: int(oldSize - first)}
			b, err := read(TilePath(old))
			if err != nil {
				return err
			}
			if err := a.checkEntries(b, first, old.W); err != nil {
				return fmt.Errorf("entry tile %s: %w", TilePath(old), err)
			}
			bundle = append(bundle, b...)
		}
		for i := max(first, oldSize); i < first+int64(t.W); i++ {
			e := entries[i-oldSize]
			bundle = append(binary.BigEndian.AppendUint16(bundle, uint16(len(e))), e...)
		}
		t.L = -1
		a.Tiles = append(a.Tiles, TileFile{TilePath(t), bundle})
	}
	return nil
}

// checkEntries compares an entry tile with the leaves of the log: no root
// covers its bytes by themselves, and what it says is carried on.
func (a *Appended) checkEntries(tile []byte, first int64, count int) error {
	got, err := SplitEntries(tile)
	if err != nil {
		return err
	}
	if len(got) != count {
		return fmt.Errorf("%d entries, not %d", len(got), count)
	}
	indexes := make([]int64, count)
	for i := range indexes {
		indexes[i] = tlog.StoredHashIndex(0, first+int64(i))
	}
	leaves, err := a.hashes.ReadHashes(indexes)
	if err != nil {
		return err
	}
	for i, e := range got {
		if tlog.RecordHash(e) != leaves[i] {
			return fmt.Errorf("entry %d is not the one in the log", first+int64(i))
		}
	}
	return nil
}

// Prove returns the inclusion proof of the entry at index.
func (a *Appended) Prove(index int64) ([]spec.Digest, error) {
	p, err := tlog.ProveRecord(a.Root.Size, index, a.hashes)
	if err != nil {
		return nil, err
	}
	out := make([]spec.Digest, len(p))
	for i, h := range p {
		out[i] = spec.Digest(h)
	}
	return out, nil
}

// SplitEntries reads an entry tile: entries with their 16-bit lengths.
func SplitEntries(data []byte) ([][]byte, error) {
	if len(data) > limits.EntryTile {
		return nil, fmt.Errorf("entry tile has %d bytes, allowed are %d", len(data), limits.EntryTile)
	}
	var out [][]byte
	for len(data) > 0 {
		if len(data) < 2 {
			return nil, errors.New("entry tile is cut")
		}
		n := int(binary.BigEndian.Uint16(data))
		if len(data) < 2+n || len(out) == 1<<tileHeight {
			return nil, errors.New("entry tile is cut or too long")
		}
		out, data = append(out, data[2:2+n]), data[2+n:]
	}
	return out, nil
}
