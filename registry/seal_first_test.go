package registry_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"sync/atomic"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
)

// unsure signs until it is asked for the head.
type unsure struct{ sealKey }

var errUnsure = errors.New("not today")

func (u unsure) Sign(ctx context.Context, s *ledger.Statement) ([]byte, error) {
	if s.PredicateType == ledger.PredicateHead {
		return nil, errUnsure
	}
	return u.sealKey.Sign(ctx, s)
}

// TestSignFirst: a signer that refuses the last statement has caused no write,
// and one that signs them all has caused the same bytes as without the option.
func TestSignFirst(t *testing.T) {
	first, plain := registry.NewMemory(), registry.NewMemory()
	for i, b := range sealStory() {
		o := sealOptions(t, i)
		mustSeal(t, plain, b, o)
		o.SignFirst = true
		before := first.Files()
		o.Signer = unsure{newSealKey(t)}
		if _, err := registry.Seal(t.Context(), first, b, o); !errors.Is(err, errUnsure) {
			t.Fatalf("batch %d: %v", i, err)
		}
		if !maps.EqualFunc(before, first.Files(), bytes.Equal) {
			t.Errorf("batch %d: the tree changed before it was signed", i)
		}
		o.Signer = newSealKey(t)
		mustSeal(t, first, b, o)
		if !maps.EqualFunc(plain.Files(), first.Files(), bytes.Equal) {
			t.Errorf("batch %d: the option changes what is published", i)
		}
	}
}

// brittle is a store that breaks for good after some writes and removals.
type brittle struct {
	*registry.Memory

	left atomic.Int64
}

var errBroken = errors.New("broken")

func (b *brittle) Write(ctx context.Context, path string, data []byte, durable bool) error {
	if b.left.Add(-1) < 0 {
		return errBroken
	}
	return b.Memory.Write(ctx, path, data, durable)
}

func (b *brittle) Remove(ctx context.Context, path string) error {
	if b.left.Add(-1) < 0 {
		return errBroken
	}
	return b.Memory.Remove(ctx, path)
}

// TestSignFirstCutShort: wherever a publication ends, a reader finds a whole
// tree, and the same batch finishes it, though every signature is made anew, at
// another time, and none comes out the same.
func TestSignFirstCutShort(t *testing.T) {
	before := registry.NewMemory()
	for i, b := range sealStory()[:3] {
		for n := int64(0); ; n++ {
			s := &brittle{Memory: registry.NewMemory()}
			for p, data := range before.Files() {
				if err := s.Memory.Write(t.Context(), p, data, false); err != nil {
					t.Fatal(err)
				}
			}
			s.left.Store(n)
			o := sealOptions(t, 10*i)
			o.SignFirst = true
			_, err := registry.Seal(t.Context(), s, b, o)
			if err == nil {
				break
			}
			if !errors.Is(err, errBroken) {
				t.Fatalf("batch %d, write %d: %v", i, n, err)
			}
			if _, there := s.Files()[ledger.HeadEvidencePath]; there {
				if _, err := audit(s.Memory); err != nil {
					t.Fatalf("batch %d, write %d: a reader finds %v", i, n, err)
				}
			}
			o = sealOptions(t, 10*i+5)
			o.SignFirst = true
			mustSeal(t, s.Memory, b, o)
			if a := auditSettled(t, s.Files()); a.head.Seq != int64(i)+1 {
				t.Fatalf("batch %d, write %d: finished at head %d", i, n, a.head.Seq)
			}
		}
		mustSeal(t, before, b, sealOptions(t, 10*i))
	}
}
