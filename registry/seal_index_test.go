package registry_test

import (
	"context"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// TestSealIndex: the head states what was made of the very catalogue that it
// states, and nothing that was made of another one.
func TestSealIndex(t *testing.T) {
	s := registry.NewMemory()
	var asked [][]byte
	index := func(_ context.Context, catalogue []byte) ledger.IndexRoot {
		asked = append(asked, catalogue)
		return ledger.IndexRoot{Edition: 7, Segment: spec.DigestOf(append([]byte("index of "), catalogue...))}
	}
	second := 0
	seal := func(b registry.Batch, index func(context.Context, []byte) ledger.IndexRoot) ledger.Head {
		t.Helper()
		second++
		o := sealOptions(t, second)
		o.Index, o.RefreshAfter = index, time.Nanosecond
		head := mustSeal(t, s, b, o).Head
		if n := len(asked); index != nil && spec.DigestOf(asked[n-1]) != head.Catalogue {
			t.Errorf("head %d states another catalogue than the one that was indexed", head.Seq)
		}
		return head
	}
	accept := func(version string) registry.Batch {
		return registry.Batch{Accept: []registry.Acceptance{acceptance(sealRelease("csv_to_json", version, "Turns CSV into JSON."))}}
	}
	if got := seal(registry.Batch{}, nil).Index; !got.IsZero() {
		t.Errorf("nobody made an index, the head states %+v", got)
	}
	made := seal(accept("1.0.0"), index)
	if made.Index.Edition != 7 || len(asked) != 1 {
		t.Errorf("the head states %+v, asked for %d times", made.Index, len(asked))
	}
	if again := seal(registry.Batch{}, nil); again.Seq == made.Seq || again.Index != made.Index {
		t.Errorf("the list is the same: head %d states %+v", again.Seq, again.Index)
	}
	if other := seal(accept("1.1.0"), nil); !other.Index.IsZero() {
		t.Errorf("the list is another one: the head states %+v", other.Index)
	}
}

// TestSealCorrectsIndex: a head that states a wrong index, or one by older rules, is
// followed by one with the right one; every other head stays.
func TestSealCorrectsIndex(t *testing.T) {
	of := func(edition int, what string) func(context.Context, []byte) ledger.IndexRoot {
		return func(context.Context, []byte) ledger.IndexRoot {
			if edition == 0 {
				return ledger.IndexRoot{}
			}
			return ledger.IndexRoot{Edition: edition, Segment: spec.DigestOf([]byte(what))}
		}
	}
	for name, test := range map[string]struct {
		was, now func(context.Context, []byte) ledger.IndexRoot
		corrects bool
	}{
		"the same":           {of(2, "right"), of(2, "right"), false},
		"a wrong one":        {of(2, "wrong"), of(2, "right"), true},
		"older rules":        {of(1, "older"), of(2, "right"), true},
		"newer rules":        {of(3, "newer"), of(2, "right"), false},
		"none can be made":   {of(2, "right"), of(0, ""), false},
		"nobody makes one":   {of(2, "right"), nil, false},
		"none was made then": {nil, of(2, "right"), false},
	} {
		t.Run(name, func(t *testing.T) {
			s, second := registry.NewMemory(), 0
			seal := func(b registry.Batch, index func(context.Context, []byte) ledger.IndexRoot) registry.Sealed {
				t.Helper()
				second++
				o := sealOptions(t, second)
				o.Index = index
				return mustSeal(t, s, b, o)
			}
			first := seal(registry.Batch{Accept: []registry.Acceptance{acceptance(sealRelease("csv_to_json", "1.0.0", "Turns CSV into JSON."))}}, test.was)
			next := seal(registry.Batch{}, test.now)
			if next.New != test.corrects || next.Head.Catalogue != first.Head.Catalogue {
				t.Fatalf("a new head is %v, want %v", next.New, test.corrects)
			}
			want := first.Head.Index
			if test.corrects {
				want = test.now(t.Context(), nil)
			}
			if next.Head.Index != want {
				t.Errorf("it states %+v, want %+v", next.Head.Index, want)
			}
			if again := seal(registry.Batch{}, test.now); again.New {
				t.Error("it is corrected once more")
			}
		})
	}
}
