package inspect_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/ledger"
)

// FuzzTree: whatever stands in the place of a file that the head leads to, the
// audit ends and says that it is not the one that was signed.
func FuzzTree(f *testing.F) {
	tr := lived(f)
	tr.alone()
	for size := tr.head().Log.Size - 1; size > 0; size-- { // of older heads
		for _, p := range ledger.PartialTilePaths(size) {
			tr.remove(p)
		}
	}
	paths := slices.Sorted(maps.Keys(tr.store.Files()))
	for i, p := range paths {
		data := tr.read(p)
		f.Add(uint8(i), data[:len(data)-1])
		f.Add(uint8(i), append(data, '\n'))
		f.Add(uint8(i), bytes.ToUpper(data))
	}
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		c := tr.copied(t)
		path := paths[int(n)%len(paths)]
		if bytes.Equal(data, c.read(path)) {
			return
		}
		c.write(path, data)
		r, err := inspect.Tree(t.Context(), c.store, c.policy, inspect.Options{Workers: 2})
		switch {
		case path == ledger.HeadEvidencePath && err != nil && fault.KindOf(err) == fault.Unavailable: // no registry
		case err != nil:
			t.Fatalf("%s: %v", path, err)
		case path == ledger.RegistryPath: // says more than the policy compares
		case path == ledger.CheckpointPath && r.Err() == nil:
			// A note may carry further signatures, of witnesses.
			if _, err := c.policy.Checkpoint(data); err != nil {
				t.Errorf("an unsigned checkpoint is believed: %q", data)
			}
		case fault.KindOf(r.Err()) != fault.NotVerified:
			t.Errorf("%s: %v", path, r.Err())
		}
	})
}
