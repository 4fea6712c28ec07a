package ledger_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// TestLogTree: a log built from its leaves alone has the roots and the tiles of
// the log that was appended to.
func TestLogTree(t *testing.T) {
	l := &logOf{tiles: map[string][]byte{}}
	var states []ledger.LogRoot
	for _, n := range []int{1, 1, 3, 250, 1, 1, 300, 2, 70} {
		l.add(t, n)
		states = append(states, l.root)
	}
	for _, size := range []int64{0, 1, 2, 255, 256, 257, 512, l.root.Size} {
		var leaves []spec.Digest
		for i := range size {
			leaves = append(leaves, ledger.LeafHash(entryBytes(i)))
		}
		tree := ledger.NewLogTree(leaves)
		if tree.Size() != size {
			t.Errorf("a tree of %d leaves has size %d", size, tree.Size())
		}
		whole := &logOf{tiles: map[string][]byte{}}
		whole.add(t, int(size))
		if root, err := tree.Root(size); err != nil || root != whole.root {
			t.Errorf("size %d: root %v, %v, want %v", size, root, err, whole.root)
		}
		for _, s := range states {
			if root, err := tree.Root(s.Size); (err == nil) != (s.Size <= size) || err == nil && root != s {
				t.Errorf("size %d: the root at %d is %v, %v, want %v", size, s.Size, root, err, s)
			}
		}
		tiles := maps.Clone(whole.tiles)
		maps.DeleteFunc(tiles, func(p string, _ []byte) bool { return strings.Contains(p, "entries") })
		for f := range tree.Tiles() {
			if !bytes.Equal(tiles[f.Path], f.Data) {
				t.Errorf("size %d: tile %s is another one", size, f.Path)
			}
			delete(tiles, f.Path)
		}
		if len(tiles) > 0 {
			t.Errorf("size %d: no tiles %v", size, slices.Sorted(maps.Keys(tiles)))
		}
	}
	if _, err := ledger.NewLogTree(nil).Root(-1); err == nil {
		t.Error("a log of less than no entries has a root")
	}
}

func firstTile(size int64) string {
	for t := range ledger.EntryTiles(size, 0) {
		return t.Path
	}
	return ""
}

func TestReadEntries(t *testing.T) {
	l := &logOf{tiles: map[string][]byte{}}
	l.add(t, 600)
	for _, from := range []int64{0, 1, 255, 256, 599, 600, 1000} {
		next := from
		asked := map[string]bool{}
		err := ledger.ReadEntries(l.root, from, func(p string) ([]byte, error) { asked[p] = true; return l.read(p) }, func(i int64, e *ledger.Entry) error {
			if i != next || *e != someEntry(i) {
				t.Errorf("from %d: entry %d is %v, want number %d", from, i, e, next)
			}
			next++
			return nil
		})
		if err != nil || next != max(from, 600) {
			t.Errorf("from %d: read up to %d, %v", from, next, err)
		}
		if from >= 600 && len(asked) > 0 {
			t.Errorf("from %d: %v was read for nothing", from, asked)
		}
		if from >= 512 && asked[firstTile(600)] {
			t.Errorf("from %d: entries were read that are not needed", from)
		}
	}
	stop := errors.New("stop")
	if err := ledger.ReadEntries(l.root, 0, l.read, func(int64, *ledger.Entry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of the caller became %v", err)
	}
	for path, was := range maps.Clone(l.tiles) {
		if strings.Contains(path, ".p/") && !strings.HasSuffix(path, ".p/88") && !strings.HasSuffix(path, ".p/2") {
			continue // of an older log
		}
		l.tiles[path] = slices.Clone(was)
		l.tiles[path][len(was)/2] ^= 1
		if err := ledger.ReadEntries(l.root, 0, l.read, func(int64, *ledger.Entry) error { return nil }); err == nil {
			t.Errorf("%s is believed with a flipped bit", path)
		}
		delete(l.tiles, path)
		if err := ledger.ReadEntries(l.root, 0, l.read, func(int64, *ledger.Entry) error { return nil }); err == nil {
			t.Errorf("%s is not missed", path)
		}
		l.tiles[path] = was
	}
}

// FuzzReadEntries: whatever the tiles are, no entry comes out but the log's own.
func FuzzReadEntries(f *testing.F) {
	l := &logOf{tiles: map[string][]byte{}}
	l.add(f, 5)
	entries, hashes := firstTile(5), "log/tile/0/000.p/5"
	f.Add(l.tiles[entries], l.tiles[hashes])
	f.Add(l.tiles[entries][1:], l.tiles[hashes])
	f.Add(l.tiles[entries], l.tiles[hashes][32:])
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, []byte{})
	f.Fuzz(func(t *testing.T, e, h []byte) {
		next := int64(0)
		err := ledger.ReadEntries(l.root, 0, func(p string) ([]byte, error) {
			switch p {
			case entries:
				return e, nil
			case hashes:
				return h, nil
			}
			return nil, errors.New("no such tile")
		}, func(i int64, e *ledger.Entry) error {
			if i != next || *e != someEntry(i) {
				t.Errorf("entry %d came out as %v", i, e)
			}
			next++
			return nil
		})
		if err == nil && next != 5 {
			t.Errorf("%d entries came out", next)
		}
	})
}
