package toolbox

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/verify"
)

func someSeen(seq int64) verify.Seen {
	return verify.Seen{Seq: seq, Log: ledger.LogRoot{Size: seq}, Time: "2026-11-21T12:00:00Z"}
}

func TestWatched(t *testing.T) {
	box, err := Open(paths.Paths{Root: t.TempDir()}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	const name = "demo/tools"
	one, two, three := someSeen(1), someSeen(2), someSeen(3)
	if err := box.SetWatched(t.Context(), name, nil, one); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a registry that is not trusted is watched: %v", err)
	}
	if err := box.AddPin(t.Context(), Pin{Name: name, Location: "/srv"}); err != nil {
		t.Fatal(err)
	}
	if seen, err := box.Watched(name); seen != nil || err != nil {
		t.Errorf("watched before: %v %v", seen, err)
	}
	is := func(want verify.Seen) {
		t.Helper()
		if seen, err := box.Watched(name); err != nil || seen == nil || *seen != want {
			t.Errorf("the mark is %v, %v, want %v", seen, err, want)
		}
	}
	if err := box.SetWatched(t.Context(), name, nil, one); err != nil {
		t.Fatal(err)
	}
	is(one)
	if err := box.SetWatched(t.Context(), name, &one, two); err != nil {
		t.Fatal(err)
	}
	is(two)
	for _, from := range []*verify.Seen{nil, &one} { // what another watcher found before
		if err := box.SetWatched(t.Context(), name, from, three); fault.ReasonOf(err) != ReasonMoved {
			t.Errorf("from %v: %v", from, err)
		}
		if err := box.SetWatched(t.Context(), name, from, two); err != nil {
			t.Errorf("from %v to the same place: %v", from, err)
		}
	}
	is(two)
	if err := box.RemovePin(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if seen, err := box.Watched(name); seen != nil || err != nil {
		t.Errorf("the mark outlived the pin: %v %v", seen, err)
	}
}

func TestWatchedDamaged(t *testing.T) {
	box, err := Open(paths.Paths{Root: t.TempDir()}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := box.AddPin(t.Context(), Pin{Name: "demo/tools"}); err != nil {
		t.Fatal(err)
	}
	if err := box.SetWatched(t.Context(), "demo/tools", nil, someSeen(1)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(box.watchedPath("demo/tools"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Watched("demo/tools"); fault.KindOf(err) != fault.NotVerified || len(fault.HintsOf(err)) == 0 {
		t.Errorf("a damaged mark: %v", err)
	}
}

// FuzzWatched: what is taken for a mark has numbers that a head can have.
func FuzzWatched(f *testing.F) {
	good, err := json.Marshal(Watched{watchedSchema, "demo/tools", someSeen(7)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte(`{"schema":1,"name":"demo/tools","seen":{"seq":-1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		seen, err := parseWatched(data, "demo/tools")
		if err == nil && (seen.Seq < 1 || seen.Log.Size < 0 || seen.Log.Size > limits.LogSize) {
			t.Errorf("accepted %s", data)
		}
	})
}
