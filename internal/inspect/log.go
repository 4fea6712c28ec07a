package inspect

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// log is the whole log as its entry tiles have it.
type log struct {
	tiles   []ledger.EntryTile
	sound   []bool               // by tile: its entries are those that the root covers
	leaves  []spec.Digest        // by index; zero where nothing is known
	entries []*ledger.Entry      // by index; nil where it cannot be read
	tree    *ledger.LogTree      // nil where the root does not follow
	holed   bool                 // some entry is nil, so that the absence of one proves nothing
	states  map[spec.Ref]*status // what the entries amount to, by name and version
}

// readLog builds the log again from its entries and compares it with what is
// published: the entries with the root of the head, the hash tiles with what
// the entries hash to.
func (a *audit) readLog() (*log, error) {
	size := a.doc.Log.Size
	if size > limits.LogRead {
		return nil, fault.New(fault.Unavailable, "too_large", "the log of %s has %d entries, this program audits at most %d", a.policy.Registry, size, int64(limits.LogRead))
	}
	l := &log{
		tiles: slices.Collect(ledger.EntryTiles(size, 0)), leaves: make([]spec.Digest, size), entries: make([]*ledger.Entry, size),
	}
	l.sound = make([]bool, len(l.tiles))
	numbers := make([]int, len(l.tiles))
	for i := range numbers {
		numbers[i] = i
	}
	if err := each(a, "log entries", numbers, func(n int) { l.sound[n] = a.entryTile(l, l.tiles[n]) }); err != nil {
		return nil, err
	}
	l.tree = ledger.NewLogTree(l.leaves)
	if root, err := l.tree.Root(size); err != nil || root != a.doc.Log {
		l.tree = nil
		if err := a.blame(l, numbers); err != nil {
			return nil, err
		}
	}
	if l.tree != nil {
		if err := a.hashTiles(l); err != nil {
			return nil, err
		}
	}
	a.replay(l)
	return l, nil
}

// entryTile reads one tile; false where not all of its entries are known.
func (a *audit) entryTile(l *log, t ledger.EntryTile) bool {
	data, err := a.tile(t.Path)
	if err != nil {
		a.failed(t.Path, err)
		return false
	}
	a.counts.tiles.Add(1)
	a.counts.bytes.Add(int64(len(data)))
	list, err := t.Split(data)
	if err != nil {
		a.damage(t.Path, ReasonEntry, "%s", err.Error())
		return false
	}
	for i, raw := range list {
		index := t.First + int64(i)
		l.leaves[index] = ledger.LeafHash(raw)
		a.counts.entries.Add(1)
		if l.entries[index], err = ledger.ParseEntry(raw); err != nil {
			l.entries[index] = nil
			a.damage(t.Path, ReasonEntry, "entry %d: %s", index, err.Error())
		}
	}
	return true
}

// tile reads a file of the log, past all caches where it does not seem to be there.
func (a *audit) tile(path string) ([]byte, error) {
	data, err := registry.ReadTile(a.ctx, a.src)(path)
	if fresh := a.src.Refresh(); errors.Is(err, fs.ErrNotExist) && fresh != a.src {
		data, err = registry.ReadTile(a.ctx, fresh)(path)
	}
	return data, err
}

// blame finds out which entry tiles are wrong where the root does not follow
// from the entries: those whose leaves are not the ones that the published
// hash tiles prove under the root. Their leaves are put in the place of what
// the entries hash to, so that the hash tiles can be compared all the same.
func (a *audit) blame(l *log, numbers []int) error {
	err := each(a, "log entries", numbers, func(n int) {
		t := l.tiles[n]
		proved, err := ledger.Leaves(a.doc.Log, t.First, t.Count, a.tile)
		if err != nil {
			return // a hash tile is wrong or not there; below is said what can be said
		}
		mine := l.leaves[t.First : t.First+int64(t.Count)]
		for i := range mine {
			if l.sound[n] && mine[i] != proved[i] {
				a.damage(t.Path, ReasonEntry, "entry %d is not the one in the log", t.First+int64(i))
				l.entries[t.First+int64(i)] = nil // nothing follows from it
			}
		}
		copy(mine, proved)
		l.sound[n] = true
	})
	if err != nil {
		return err
	}
	tree := ledger.NewLogTree(l.leaves)
	switch root, err := tree.Root(a.doc.Log.Size); {
	case err == nil && root == a.doc.Log:
		l.tree = tree
	case !slices.Contains(l.sound, false):
		a.damage(ledger.HeadPath, ReasonRoot, "the log of the head has the root %s, its entries hash to %s", a.doc.Log.Root, root.Root)
	}
	// Else a tile of entries is missing and no hash tiles stand in for it, which
	// is written down.
	return nil
}

// hashTiles compares every published hash tile with what it must be.
func (a *audit) hashTiles(l *log) error {
	return each(a, "log tiles", slices.Collect(l.tree.Tiles()), func(want ledger.TileFile) {
		data, err := a.tile(want.Path)
		if err != nil {
			a.failed(want.Path, err)
			return
		}
		a.counts.tiles.Add(1)
		a.counts.bytes.Add(int64(len(data)))
		if !bytes.Equal(data, want.Data) {
			a.damage(want.Path, ReasonTile, "%s is not what the entries of the log hash to", want.Path)
		}
	})
}

// checkpoint holds the signed root that lies beside the tiles against the log.
// It may be the one of an older head, while a publication is under way.
func (a *audit) checkpoint(l *log) error {
	if !a.policy.SignsNotes() {
		return nil // the head states the root
	}
	data, ok := a.plain(ledger.CheckpointPath, limits.Document)
	if !ok {
		return a.stop()
	}
	root, err := a.policy.Checkpoint(data)
	if err != nil {
		a.failed(ledger.CheckpointPath, err)
		return a.stop()
	}
	a.rootOf(l, ledger.CheckpointPath, root)
	return nil
}

// rootOf tells whether the log had a root, which was signed, at its size.
func (a *audit) rootOf(l *log, path string, root ledger.LogRoot) {
	if l.tree == nil {
		return // the log itself is reported
	}
	if root.Size > l.tree.Size() {
		a.damage(path, ReasonRoot, "the checkpoint has %d entries, the log of the head has %d", root.Size, l.tree.Size())
		return
	}
	if was, err := l.tree.Root(root.Size); err != nil || was != root {
		a.damage(path, ReasonRoot, "the checkpoint of %d entries is not one of this log: another log was signed too", root.Size)
	}
}
