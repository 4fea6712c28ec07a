package durable_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
)

// TestKeptLock: it excludes Lock and is excluded by it, each time anew, also after
// its file was exchanged while it was open.
func TestKeptLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	k := durable.KeptLock{Path: path}
	defer k.Close()
	for _, name := range []string{"at first", "once more", "another file"} {
		unlock, err := k.Lock(0)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := durable.Lock(t.Context(), path, 0); fault.ReasonOf(err) != "locked" {
			t.Errorf("%s: held, and Lock says %v", name, err)
		}
		unlock()
		other, err := durable.Lock(t.Context(), path, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := k.Lock(0); fault.ReasonOf(err) != "locked" {
			t.Errorf("%s: held by another, and it says %v", name, err)
		}
		other()
		if name == "once more" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	k.Close()
	if unlock, err := k.Lock(0); err != nil {
		t.Error("after its end:", err)
	} else {
		unlock()
	}
}
