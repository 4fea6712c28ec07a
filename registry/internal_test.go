package registry

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
)

// pack writes a pack of objects that are given with the sizes they claim.
type packed struct {
	kind plumbing.ObjectType
	size int64
	data []byte
}

func pack(count uint32, objects ...packed) []byte {
	b := bytes.NewBufferString("PACK\x00\x00\x00\x02")
	_ = binary.Write(b, binary.BigEndian, count)
	for _, o := range objects {
		size := o.size
		c := byte(o.kind)<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			b.WriteByte(c | 0x80)
			c = byte(size & 0x7f)
		}
		b.WriteByte(c)
		if o.kind == plumbing.REFDeltaObject {
			b.Write(make([]byte, 20))
		}
		z := zlib.NewWriter(b)
		_, _ = z.Write(o.data)
		_ = z.Close()
	}
	sum := sha1.Sum(b.Bytes())
	return append(b.Bytes(), sum[:]...)
}

// delta is one that claims to make target bytes.
func delta(target int64) []byte {
	return append(binary.AppendUvarint([]byte{1}, uint64(target)), 0x90, 1)
}

func TestCheckPack(t *testing.T) {
	blob := packed{plumbing.BlobObject, 5, []byte("hello")}
	ref := func(target int64) packed {
		d := delta(target)
		return packed{plumbing.REFDeltaObject, int64(len(d)), d}
	}
	many := make([]packed, 150)
	for i := range many {
		many[i] = ref(maxPackObject)
	}
	for name, one := range map[string]struct {
		pack []byte
		ok   bool
	}{
		"blob":                {pack(1, blob), true},
		"blob and delta":      {pack(2, blob, ref(5)), true},
		"delta to the limit":  {pack(1, ref(maxPackObject)), true},
		"delta over it":       {pack(1, ref(maxPackObject+1)), false},
		"delta to 2^56":       {pack(1, ref(1<<56)), false},
		"deltas together":     {pack(uint32(len(many)), many...), false},
		"delta without sizes": {pack(1, packed{plumbing.REFDeltaObject, 1, []byte{1}}), false},
		"endless size":        {pack(1, packed{plumbing.REFDeltaObject, 20, bytes.Repeat([]byte{0xff}, 20)}), false},
		"claims little":       {pack(1, packed{plumbing.BlobObject, 4, []byte("hello")}), false},
		"claims a gigabyte":   {pack(1, packed{plumbing.BlobObject, 1 << 30, []byte("hello")}), false},
		"claims 4 billion":    {pack(1<<32-1, blob), false},
		"fewer than stated":   {pack(2, blob), false},
		"empty":               {nil, false},
		"no pack":             {[]byte("<html>"), false},
		"cut":                 {pack(1, blob)[:16], false},
	} {
		if err := checkPack(bytes.NewReader(one.pack)); (err == nil) != one.ok || err != nil && fault.ReasonOf(err) != "git_pack" {
			t.Errorf("%s: %v, want accepted: %v", name, err, one.ok)
		}
	}
}

func FuzzCheckPack(f *testing.F) {
	f.Add(pack(1, packed{plumbing.BlobObject, 5, []byte("hello")}))
	f.Add(pack(1, packed{plumbing.REFDeltaObject, 4, delta(7)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := checkPack(bytes.NewReader(data)); err != nil && fault.KindOf(err) != fault.Unavailable {
			t.Errorf("kind %v", fault.KindOf(err))
		}
	})
}

func FuzzCacheEntry(f *testing.F) {
	c := &cache{f.TempDir()}
	c.put("head.json", `W/"tag"`, []byte("body\n"))
	etag, body, ok := c.get("head.json", 100)
	if !ok || etag != `W/"tag"` || string(body) != "body\n" {
		f.Fatalf("what was put is not there: %q %q %v", etag, body, ok)
	}
	f.Add([]byte(`{"schema":"patch-git/cached/v1","path":"head.json","etag":"\"a\"","sha256":"` + strings.Repeat("0", 64) + "\"}\nbody"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		etag, body, ok := parseEntry(data, "head.json", 50)
		if ok && (len(body) > 50 || etag != "" && !validETag(etag) || !bytes.HasSuffix(data, body)) {
			t.Errorf("%q is an entry with the tag %q and %d bytes", data, etag, len(body))
		}
	})
}

func TestValidETag(t *testing.T) {
	for tag, want := range map[string]bool{
		`"a"`: true, `W/"a-1:2"`: true, `""`: true, `"`: false, ``: false, `a`: false, `W/a`: false, `w/"a"`: false, "\"a\r\nX: y\"": false,
		`"a"b"`: false, "\"\u00e9\"": false, `"` + strings.Repeat("a", 300) + `"`: false, `"a b"`: false,
	} {
		if validETag(tag) != want {
			t.Errorf("validETag(%q) = %v", tag, !want)
		}
	}
}

func FuzzGitState(f *testing.F) {
	good := `{"schema":"patch-git/clone/v1","tip":"` + strings.Repeat("a", 40) + `","copy":"g` + strings.Repeat("a", 26) + `","time":"2026-01-02T03:04:05Z","added":1}`
	if parseState([]byte(good)) == nil {
		f.Fatal("a good state is refused")
	}
	f.Add(good)
	f.Add(strings.Replace(good, `"g`, `"../g`, 1))
	f.Fuzz(func(t *testing.T, data string) {
		if st := parseState([]byte(data)); st != nil && (strings.ContainsAny(st.Copy, `./\`) || len(st.Copy) != 27 || len(st.Tip) != 40) {
			t.Errorf("accepted %+v", st)
		}
	})
}

// A log of more than 256 entries has a second level of tiles; all of them
// follow from the entries.
func TestDerivedTiles(t *testing.T) {
	for _, size := range []int{1, 255, 256, 257, 3*256 + 5} {
		var entries [][]byte
		for i := range size {
			entries = append(entries, fmt.Appendf(nil, "entry %d\n", i))
		}
		appended, err := ledger.Append(ledger.LogRoot{}, entries, nil)
		if err != nil {
			t.Fatal(err)
		}
		committed, whole := NewMemory(), map[string][]byte{}
		for _, tile := range appended.Tiles {
			whole[tile.Path] = tile.Data
			if strings.Contains(tile.Path, "/entries/") {
				if err := committed.Write(t.Context(), tile.Path, tile.Data, false); err != nil {
					t.Fatal(err)
				}
			}
		}
		src := Derived(committed)
		for _, p := range slices.Sorted(maps.Keys(whole)) {
			if got, err := src.Read(t.Context(), p, limits.EntryTile); err != nil || !bytes.Equal(got, whole[p]) {
				t.Errorf("size %d: %s is %d bytes, %v, want %d", size, p, len(got), err, len(whole[p]))
			}
		}
		// An older, narrower tile is cut from what is there now.
		if size > 256 {
			older, err := ledger.Append(ledger.LogRoot{}, entries[:200], nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := ledger.Consistent(older.Root, appended.Root, ReadTile(t.Context(), src)); err != nil {
				t.Errorf("size %d: %v", size, err)
			}
			for _, p := range []string{"log/tile/0/000.p/200", "log/tile/entries/000.p/200"} {
				got, err := ReadTile(t.Context(), src)(p)
				i := slices.IndexFunc(older.Tiles, func(f ledger.TileFile) bool { return f.Path == p })
				if err != nil || !bytes.Equal(got, older.Tiles[i].Data) {
					t.Errorf("%s: %d bytes, %v", p, len(got), err)
				}
			}
		}
	}
}

// A branch in which one blob stands for all of a huge log must not keep us busy.
func TestDerivedBudget(t *testing.T) {
	big := bytes.Repeat(append([]byte{0x0f, 0xff}, make([]byte, 0x0fff)...), 256)
	m := NewMemory()
	reads := 0
	m.Hook(Hooks{Read: func(path string, _ []byte, err error) ([]byte, error) {
		if strings.Contains(path, "entries/") {
			reads++
			return big, nil
		}
		return nil, err
	}})
	d := Derived(m).(*derived)
	d.budget = 10 * int64(len(big))
	path := ledger.TilePath(tlog.Tile{H: tileHeight, L: 2, N: 0, W: 255})
	if _, err := d.Read(t.Context(), path, limits.Tile); fault.ReasonOf(err) != "too_large" || reads != 11 {
		t.Errorf("got %v after %d tiles, want too_large after 11", err, reads)
	}
}

func TestParseTilePath(t *testing.T) {
	for path, want := range map[string]bool{
		"log/tile/0/000": true, "log/tile/0/x001/067.p/5": true, "log/tile/3/000.p/1": true, "log/tile/4/000": false, "log/tile/entries/000": false,
		"log/tile/-1/000": false, "log/tile/0/000.p/256": false, "log/tile/0/000.p/0": false, "log/tile/00/000": false, "log/tile/0/1": false,
		"log/tile/data/000": false, "log/tile/0": false, "tile/0/000": false, "log/checkpoint": false,
	} {
		if _, ok := parseTilePath(path); ok != want {
			t.Errorf("parseTilePath(%s) = %v", path, ok)
		}
	}
}

func FuzzTilePath(f *testing.F) {
	f.Add("log/tile/0/x001/067.p/5")
	f.Add("log/tile/data/000")
	f.Fuzz(func(t *testing.T, path string) {
		if tile, ok := parseTilePath(path); ok && ledger.TilePath(tile) != path {
			t.Errorf("%q is read as %q", path, ledger.TilePath(tile))
		}
		if whole, width, ok := cutTile(path); ok && (width < 1 || width > 255 || len(whole) >= len(path)) {
			t.Errorf("%q is cut into %q and %d", path, whole, width)
		}
	})
}
