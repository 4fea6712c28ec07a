package registry_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// sealStory is what happens to a registry in its first days, one batch a day.
func sealStory() []registry.Batch {
	return []registry.Batch{
		{},
		{Accept: []registry.Acceptance{acceptance(sealRelease("csv_to_json", "1.0.0", "Turns CSV into JSON."))}},
		{Accept: []registry.Acceptance{
			acceptance(sealRelease("csv_to_json", "1.1.0", "Turns any CSV into JSON.", spec.File{Path: "data/words.txt", Data: []byte("a\n")})),
			acceptance(sealRelease("text_diff", "0.1.0", "Compares two texts.")),
		}},
		{Withdraw: []registry.Withdrawal{
			{Event: ledger.EventYank, Name: "csv_to_json", Version: "1.1.0", Reason: "loses the last line"},
			{Event: ledger.EventRevoke, Name: "text_diff", Version: "0.1.0", Reason: "sends its input away"},
		}},
		{
			Accept:   []registry.Acceptance{acceptance(sealRelease("csv_to_json", "1.0.1", "Turns CSV into good JSON."))},
			Withdraw: []registry.Withdrawal{{Event: ledger.EventUnyank, Name: "csv_to_json", Version: "1.1.0"}},
			Meta:     []registry.ToolMeta{{Name: "text_diff", Owners: []ledger.Owner{{Login: "eve", ID: 9}}, Deprecated: "has a better one", ReplacedBy: "csv_to_json"}},
		},
	}
}

func TestSealStory(t *testing.T) {
	s := registry.NewMemory()
	for i, b := range sealStory() {
		out := mustSeal(t, s, b, sealOptions(t, i))
		if !out.New || out.Head.Seq != int64(i+1) || len(out.Accepted) != len(b.Accept) || len(out.Withdrawn) != len(b.Withdraw) || len(out.Changed) != len(b.Meta) {
			t.Fatalf("batch %d: got %+v", i, out)
		}
		before := s.Files()
		a := auditSettled(t, before)
		if a.head != out.Head {
			t.Errorf("batch %d: the tree has head %+v, Seal said %+v", i, a.head, out.Head)
		}
		// The same batch again, at another time, changes nothing.
		if again := mustSeal(t, s, b, sealOptions(t, i+30)); again.New || again.Digest != out.Digest || again.Head != out.Head {
			t.Errorf("batch %d again: %+v", i, again)
		}
		if !maps.EqualFunc(before, s.Files(), bytes.Equal) {
			t.Errorf("batch %d again changed the tree", i)
		}
	}
	a := auditSettled(t, s.Files())
	csv, diff := a.records["csv_to_json"], a.records["text_diff"]
	if got := []spec.Version{csv.Versions[0].Version, csv.Versions[1].Version, csv.Versions[2].Version}; !slices.Equal(got, []spec.Version{"1.0.0", "1.0.1", "1.1.0"}) {
		t.Errorf("versions %v", got)
	}
	if diff.Owners[0].ID != 9 || diff.Deprecated == "" || diff.ReplacedBy != "csv_to_json" || csv.Owners[0].ID != 7 {
		t.Errorf("metadata: %+v, %+v", diff, csv.Owners)
	}
	if a.head.Log.Size != 7 {
		t.Errorf("the log has %d entries, want 7", a.head.Log.Size)
	}
}

// The description of a record is that of its latest version, also where the
// newest is withdrawn and an older one becomes the latest again.
func TestSealDescriptionFollowsLatest(t *testing.T) {
	s := registry.NewMemory()
	want := []string{"", "Turns CSV into JSON.", "Turns any CSV into JSON.", "Turns CSV into JSON.", "Turns any CSV into JSON."}
	for i, b := range sealStory() {
		mustSeal(t, s, b, sealOptions(t, i))
		if a := auditSettled(t, s.Files()); i > 0 && a.records["csv_to_json"].Description != want[i] {
			t.Errorf("after batch %d: %q, want %q", i, a.records["csv_to_json"].Description, want[i])
		}
	}
}

func TestSealIsDeterministic(t *testing.T) {
	var trees []map[string][]byte
	for round := range 2 {
		s := registry.NewMemory()
		for i, b := range sealStory() {
			if round == 1 { // the caller's order leaves no trace
				slices.Reverse(b.Accept)
				slices.Reverse(b.Withdraw)
			}
			mustSeal(t, s, b, sealOptions(t, i))
		}
		trees = append(trees, s.Files())
	}
	for p, b := range trees[0] {
		if !bytes.Equal(trees[1][p], b) {
			t.Errorf("%s differs", p)
		}
	}
	if len(trees[0]) != len(trees[1]) {
		t.Errorf("%d and %d files", len(trees[0]), len(trees[1]))
	}
}

// Whatever happens in whatever order, the tree follows from the log.
func TestSealRandomStories(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := registry.NewMemory()
		names := []string{"alpha_one", "beta_two", "gamma_three", "delta_four", "epsilon_five"}
		versions := []string{"0.9.0", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.10.0", "2.0.0"}
		live := map[registry.Withdrawal]bool{}
		mustSeal(t, s, registry.Batch{}, sealOptions(t, 0))
		for round := range 160 {
			var b registry.Batch
			for range 1 + r.IntN(6) {
				ref := registry.Withdrawal{Name: spec.Name(names[r.IntN(len(names))]), Version: spec.Version(versions[r.IntN(len(versions))])}
				switch w := ref; {
				case !live[ref]:
					live[ref] = true
					b.Accept = append(b.Accept, acceptance(sealRelease(string(ref.Name), string(ref.Version), "Does "+string(ref.Version)+".")))
				default:
					w.Event = []ledger.Event{ledger.EventYank, ledger.EventUnyank, ledger.EventRevoke}[r.IntN(3)]
					if w.Event != ledger.EventUnyank {
						w.Reason = []string{"broken", "malware"}[r.IntN(2)]
					}
					if !slices.ContainsFunc(b.Withdraw, func(o registry.Withdrawal) bool { return o.Name == w.Name && o.Version == w.Version }) {
						b.Withdraw = append(b.Withdraw, w)
					}
				}
			}
			mustSeal(t, s, b, sealOptions(t, round%60))
			if round%40 == 39 {
				auditSettled(t, s.Files())
			}
		}
		if a := auditSettled(t, s.Files()); a.head.Log.Size <= 256 {
			t.Errorf("the log has %d entries; this test is meant to fill a tile", a.head.Log.Size)
		}
	}
}

// A power cut can take the one document that is not written durably.
func TestSealRebuildsTheCatalogue(t *testing.T) {
	s := registry.NewMemory()
	var want []byte
	for i, b := range sealStory() {
		if i == 4 {
			want = s.Files()[ledger.CataloguePath]
			for p, b := range s.Files() {
				if bytes.Equal(b, want) {
					if err := s.Write(t.Context(), p, nil, false); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		mustSeal(t, s, b, sealOptions(t, i))
	}
	files := s.Files()
	delete(files, ledger.ObjectPath(spec.DigestOf(want))) // of the state before; it is only a convenience
	auditSettled(t, files)
}

// A copy of a tree without objects, as a mirror makes it, is as good.
func TestSealWithoutObjects(t *testing.T) {
	s := registry.NewMemory()
	for i, b := range sealStory() {
		objects, err := s.List(t.Context(), ledger.ObjectsDir)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range objects {
			if err := s.Remove(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		mustSeal(t, s, b, sealOptions(t, i))
		if a, err := audit(s); err != nil || len(a.behind) > 0 {
			t.Errorf("batch %d: %v", i, err)
		}
	}
}

func TestSealClockThatGoesBack(t *testing.T) {
	s := registry.NewMemory()
	mustSeal(t, s, registry.Batch{}, sealOptions(t, 30))
	out := mustSeal(t, s, sealStory()[1], sealOptions(t, 10))
	if want := "2026-01-02T03:04:30Z"; out.Head.Time != want {
		t.Errorf("the second head is of %s, want %s", out.Head.Time, want)
	}
	auditSettled(t, s.Files())
}

// A store that fails says so; nothing is half done.
func TestSealStoreThatFails(t *testing.T) {
	full := fault.New(fault.Unavailable, "disk_full", "disk full")
	for n := range 60 {
		s := registry.NewMemory()
		mustSeal(t, s, registry.Batch{}, sealOptions(t, 0))
		mustSeal(t, s, sealStory()[1], sealOptions(t, 1))
		left := n
		gate := make(chan struct{}, 1)
		gate <- struct{}{}
		s.Hook(registry.Hooks{Write: func(string, []byte) error {
			<-gate
			defer func() { gate <- struct{}{} }()
			if left--; left < 0 {
				return full
			}
			return nil
		}})
		_, err := registry.Seal(t.Context(), s, sealStory()[2], sealOptions(t, 2))
		s.Hook(registry.Hooks{})
		if left >= 0 {
			if err != nil || n < 30 {
				t.Fatalf("%d writes were enough: %v", n, err)
			}
			return
		}
		if !errors.Is(err, error(full)) {
			t.Fatalf("write %d failed, Seal says %v", n, err)
		}
		if _, err := audit(s); err != nil {
			t.Fatalf("after failed write %d: %v", n, err)
		}
		mustSeal(t, s, sealStory()[2], sealOptions(t, 2))
		auditSettled(t, s.Files())
	}
	t.Fatal("60 writes were not enough")
}

func TestSealProgressAndCancel(t *testing.T) {
	s := registry.NewMemory()
	o := sealOptions(t, 0)
	var calls []int
	o.Progress = func(done, total int) {
		calls = append(calls, done)
		if done > total {
			t.Errorf("%d of %d", done, total)
		}
	}
	mustSeal(t, s, sealStory()[1], o)
	if !slices.IsSorted(calls) || len(calls) < 15 {
		t.Errorf("progress %v", calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o = sealOptions(t, 1)
	o.Progress = func(done, total int) { cancel() }
	if _, err := registry.Seal(ctx, s, sealStory()[2], o); fault.KindOf(err) != fault.Interrupted {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := audit(s); err != nil {
		t.Error(err)
	}
}

func TestDirLock(t *testing.T) {
	d := registry.OpenDir(t.TempDir() + "/v1")
	unlock, err := d.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := registry.Seal(ctx, d, registry.Batch{}, sealOptions(t, 0)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("sealed beside another: %v", err)
	}
	unlock()
	mustSeal(t, d, registry.Batch{}, sealOptions(t, 0))
}

// The catalogue has two paths and one file, which a later seal parts again.
func TestDirLink(t *testing.T) {
	d := registry.OpenDir(t.TempDir())
	for _, p := range []string{"a/one", "b/two"} {
		if err := d.Write(t.Context(), p, []byte(p), false); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time both are one file already
		if err := d.Link(t.Context(), "a/one", "b/two"); err != nil {
			t.Skipf("no hard links here: %v", err)
		}
	}
	if err := d.Write(t.Context(), "a/one", []byte("new"), false); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Read(t.Context(), "b/two", 10); err != nil || string(got) != "a/one" {
		t.Errorf("got %q, %v", got, err)
	}
	if left, err := filepath.Glob(filepath.Join(d.Path(), "*", ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for _, p := range [][2]string{{"a/none", "b/two"}, {"../x", "b/two"}, {"a/one", "../x"}} {
		if err := d.Link(t.Context(), p[0], p[1]); err == nil {
			t.Errorf("Link(%q, %q) was done", p[0], p[1])
		}
	}
}

// TestSealRefreshes: a head that is old is followed by one that says the same,
// and not before it is.
func TestSealRefreshes(t *testing.T) {
	s := registry.NewMemory()
	mustSeal(t, s, registry.Batch{Accept: []registry.Acceptance{acceptance(sealRelease("csv_to_json", "1.0.0", "Turns."))}}, sealOptions(t, 0))
	first := mustSeal(t, s, registry.Batch{}, sealOptions(t, 30))
	o := sealOptions(t, 30)
	o.RefreshAfter = 31 * time.Second
	if out := mustSeal(t, s, registry.Batch{}, o); out.New {
		t.Errorf("refreshed too early: %+v", out)
	}
	o.RefreshAfter = 30 * time.Second
	out := mustSeal(t, s, registry.Batch{}, o)
	if !out.New || out.Head.Seq != first.Head.Seq+1 || out.Head.Log != first.Head.Log || out.Head.Buckets != first.Head.Buckets || out.Head.Time == first.Head.Time {
		t.Errorf("from %+v to %+v", first.Head, out.Head)
	}
	if err := registry.Settled(t.Context(), s); err != nil {
		t.Error(err)
	}
	if out := mustSeal(t, s, registry.Batch{}, o); out.New {
		t.Errorf("refreshed twice: %+v", out)
	}
}
