package index

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

// TestBitmap: the same bytes as the library writes.
func TestBitmap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ docs, one int }{
		{1, 1}, {70_000, 1}, {200_000, 2}, {200_000, 15}, {200_000, 16}, {200_000, 17}, {200_000, 1000}, {200_000, 70_000}, {65_536, 1}, {65_537, 1}, {4096, 1}, {4097, 1},
	} {
		var list []posting
		bits := roaring.New()
		for d := range c.docs {
			if d == c.docs-1 || random.IntN(c.one) == 0 {
				list = append(list, posting{doc: int32(d)})
				bits.Add(uint32(d))
			}
		}
		want, err := bits.ToBytes()
		if err != nil {
			t.Fatal(err)
		}
		if got := appendBitmap([]byte("before"), list); !bytes.Equal(got[6:], want) {
			t.Errorf("one of %d in %d documents: got %d bytes, want %d that are the same", c.one, c.docs, len(got)-6, len(want))
		}
	}
}
