package audit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/paths"
)

// days is a clock that a test moves.
type days struct{ now time.Time }

func (d *days) pass(n int) { d.now = d.now.AddDate(0, 0, n) }

func (d *days) tick() time.Time { d.now = d.now.Add(time.Millisecond); return d.now }

// aged opens a journal of three old runs, one old intent, and one run of today.
func aged(t *testing.T) (*audit.Journal, paths.Paths, *days, []audit.RunID) {
	t.Helper()
	p, d := paths.Paths{Root: t.TempDir()}, &days{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	j := audit.Open(p, d.tick, nothing)
	ids := []audit.RunID{finish(t, j, "old"), finish(t, j, "both"), finish(t, j, "old")}
	run, err := j.Begin(t.Context(), sample())
	if err != nil {
		t.Fatal(err)
	}
	d.pass(100)
	return j, p, d, append(ids, run.ID(), finish(t, j, "both"))
}

func TestPrune(t *testing.T) {
	j, p, d, ids := aged(t)
	long := time.Now().Add(-48 * time.Hour)
	blobs, err := filepath.Glob(filepath.Join(p.Blobs(), "*"))
	if err != nil || len(blobs) != 3 { // "old", "both", ""
		t.Fatal(blobs, err)
	}
	for _, b := range blobs {
		if err := os.Chtimes(b, long, d.now.AddDate(0, 0, -100)); err != nil {
			t.Fatal(err)
		}
	}
	head := check(t, j).Head
	got, err := j.Prune(t.Context(), d.now.AddDate(0, 0, -30), false)
	if err != nil || got.Records != 3 || got.Unfinished != 1 || got.Streams != 1 || got.Bytes == 0 {
		t.Errorf("pruned %+v, %v", got, err)
	}
	for i, id := range ids {
		if _, err := j.Get(id); (fault.KindOf(err) == fault.NotFound) != (i < 4) {
			t.Errorf("run %d: %v", i, err)
		}
	}
	if rep := check(t, j); rep.Records != 1 || rep.Pruned != 3 || len(rep.Problems) > 0 || rep.Head != head || rep.Seq != 4 {
		t.Errorf("afterwards: %+v", rep)
	}
	// Nothing more is old; the chain goes on; and then all but the last are old.
	if got, err := j.Prune(t.Context(), d.now.AddDate(0, 0, -30), false); err != nil || got != (audit.Pruned{}) {
		t.Errorf("again: %+v, %v", got, err)
	}
	finish(t, j, "new")
	d.pass(100)
	if got, err := j.Prune(t.Context(), d.now, false); err != nil || got.Records != 1 {
		t.Errorf("at last: %+v, %v", got, err)
	}
	finish(t, j, "newer")
	if rep := check(t, j); rep.Records != 2 || rep.Pruned != 4 || len(rep.Problems) > 0 || rep.Seq != 6 || rep.Forks != 0 {
		t.Errorf("at last: %+v", rep)
	}
}

// What is stopped in the middle leaves nothing that looks tampered with: the note
// is there first, and the newest go first.
func TestPruneStopped(t *testing.T) {
	j, p, d, ids := aged(t)
	in := filepath.Join(p.Runs(), string(ids[0])+".json")
	kept, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Prune(t.Context(), d.now.AddDate(0, 0, -30), false); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, kept, 0o600); err != nil { // as if it had not come to the oldest
		t.Fatal(err)
	}
	if rep := check(t, j); rep.Records != 2 || len(rep.Problems) > 0 {
		t.Errorf("stopped: %+v", rep)
	}
}

// Pruning does not remove the traces of damage, unless that is asked for, and the
// note it leaves covers nothing that somebody else removed.
func TestPruneDamaged(t *testing.T) {
	j, p, d, ids := aged(t)
	before := d.now.AddDate(0, 0, -30)
	if err := os.Remove(filepath.Join(p.Runs(), string(ids[1])+".json")); err != nil {
		t.Fatal(err)
	}
	if got, err := j.Prune(t.Context(), before, false); fault.KindOf(err) != fault.NotVerified || got != (audit.Pruned{}) {
		t.Errorf("pruned %+v, %v", got, err)
	}
	if rep := check(t, j); rep.Records != 3 || rep.Pruned != 0 {
		t.Errorf("a refusal removed something: %+v", rep)
	}
	if got, err := j.Prune(t.Context(), before, true); err != nil || got.Records != 2 {
		t.Errorf("pruned %+v, %v", got, err)
	}

	j, p, d, ids = aged(t)
	if _, err := j.Prune(t.Context(), d.now.AddDate(0, 0, -30), false); err != nil {
		t.Fatal(err)
	}
	finish(t, j, "more")
	if err := os.Remove(filepath.Join(p.Runs(), string(ids[4])+".json")); err != nil {
		t.Fatal(err)
	}
	if rep := check(t, j); len(rep.Problems) != 1 || rep.Problems[0].Reason != "chain" {
		t.Errorf("removed by hand: %+v", rep)
	}
}

// A note that is not this user's covers nothing.
func TestPruneForged(t *testing.T) {
	j, p, d, _ := aged(t)
	if _, err := j.Prune(t.Context(), d.now.AddDate(0, 0, -30), false); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(p.Runs(), ".pruned")
	b, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	for name, forged := range map[string][]byte{
		"changed": append([]byte(`{"schema_version":"2"`), b[len(`{"schema_version":"1"`):]...),
		"empty":   nil,
		"longer":  append(b, '\n'),
	} {
		if err := os.WriteFile(note, forged, 0o600); err != nil {
			t.Fatal(err)
		}
		if rep := check(t, j); len(rep.Problems) != 2 {
			t.Errorf("%s: %+v, want the note and the gap", name, rep)
		}
	}
	if err := os.WriteFile(note, b, 0o600); err != nil { // the twin
		t.Fatal(err)
	}
	if rep := check(t, j); len(rep.Problems) != 0 {
		t.Errorf("%+v", rep)
	}
}
