package toolbox

import (
	"os"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// TestLookIndex: what is held is what the file says, from one change to the next,
// and nobody who changes it has it in hand.
func TestLookIndex(t *testing.T) {
	p := paths.Paths{Root: t.TempDir()}
	later := func() time.Time { return time.Now().Add(time.Hour) } // so that every file is settled
	box, err := Open(p, later)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text string) {
		time.Sleep(15 * time.Millisecond) // the clock of the file system goes in steps
		if err := os.WriteFile(p.Index(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := func() spec.Version {
		ix, err := box.lookIndex()
		if err != nil {
			t.Fatal(err)
		}
		return ix.Tools["a_tool"].Version
	}
	put(`{"schema":1,"tools":{"a_tool":{"version":"1.0.0","file":"x"}}}`)
	first, err := box.lookIndex()
	if err != nil || look() != "1.0.0" {
		t.Fatal(err)
	}
	if second, err := box.lookIndex(); err != nil || second != first {
		t.Error("the same file is read twice", err)
	}
	if own, err := box.readIndex(); err != nil || own == first {
		t.Error("who changes the index has the one that is held", err)
	}
	put(`{"schema":1,"tools":{"a_tool":{"version":"2.0.0","file":"x"}}}`)
	if v := look(); v != "2.0.0" {
		t.Errorf("after a change it is %s", v)
	}
	put(`{`)
	if v := look(); v != "" || box.seen.index != nil {
		t.Errorf("a damaged file says %s, and is held", v)
	}
	if err := os.Remove(p.Index()); err != nil {
		t.Fatal(err)
	}
	if v := look(); v != "" || box.seen.index != nil {
		t.Errorf("no file says %s", v)
	}
	// One that was written a moment ago proves nothing.
	box.now = time.Now
	put(`{"schema":1,"tools":{"a_tool":{"version":"3.0.0","file":"x"}}}`)
	if v := look(); v != "3.0.0" || box.seen.index != nil {
		t.Errorf("just written it says %s, and is held", v)
	}
}
