package index

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
)

func goldenBuilt(tb testing.TB) *Built {
	tb.Helper()
	b, err := Build(tb.Context(), golden())
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestExamine: each index is one that this program's writer could write, if it
// were told to lie, and differs from a good one in one point.
func TestExamine(t *testing.T) {
	for name, c := range map[string]struct {
		lie  func(b *Built)
		want string // in the message; "": it passes
	}{
		"a good one":                {func(*Built) {}, ""},
		"no tools":                  {func(b *Built) { *b = *goldenOf(t, nil) }, ""},
		"an impact beyond all":      {func(b *Built) { b.fields[fieldText].all[0].weight = mostImpact + 1 }, "text has an impossible list"},
		"an impact of nothing":      {func(b *Built) { b.fields[fieldText].all[0].weight = 0 }, "text has an impossible list"},
		"a name that counts thrice": {func(b *Built) { b.fields[fieldName].all[0].weight = 3 }, "name has an impossible list"},
		"a tool that is not there": {func(b *Built) {
			f := b.fields[fieldFacet]
			last := f.all[f.ends[len(f.ends)-1]-1]
			f.all = append(f.all, last)
			f.df[last.term]++
			f.ends = append(f.ends, int32(len(f.all)))
		}, "facet"},
		"another tool's card":                 {func(b *Built) { b.cards[1] = b.cards[0] }, `tool 1 is "csv_to_json"`},
		"a card in other words":               {func(b *Built) { b.cards[1] = bytes.Replace(b.cards[1], []byte(":"), []byte(": "), 1) }, "not written as a catalogue does"},
		"a card that is none":                 {func(b *Built) { b.cards[1] = []byte("{") }, "damaged"},
		"a card that hides something":         {rewritten(func(l *ledger.Listing) { l.Description = "CSV\x1b[2J" }), "control character"},
		"a kind that there is not":            {rewritten(func(l *ledger.Listing) { l.Summary.Format = "\u202e" }), "format"},
		"a license that is none":              {rewritten(func(l *ledger.Listing) { l.Summary.License = "<b>" }), "SPDX"},
		"a day that there is not":             {rewritten(func(l *ledger.Listing) { l.Published = "today" }), "today"},
		"a name that none can have":           {func(b *Built) { b.tools[0].Name = "../x"; b.cards[0] = ledger.Encode(&b.tools[0]) }, "damaged"},
		"a circle of groups":                  {func(b *Built) { b.leader = []int32{0, 0, 1, 1, 4} }, "a group has no first"},
		"a dictionary out of order":           {func(b *Built) { slices.Reverse(b.words) }, "words"},
		"a word in more tools than there are": {func(b *Built) { b.words[0].docs = 6 }, "words"},
	} {
		b := goldenBuilt(t)
		c.lie(b)
		segment, err := b.write()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err = Examine(t.Context(), installed(t, segment))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "index" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// rewritten puts other words into the first card.
func rewritten(lie func(*ledger.Listing)) func(*Built) {
	return func(b *Built) {
		lie(&b.tools[0])
		b.cards[0] = bytes.TrimSuffix(ledger.Encode(&b.tools[0]), []byte("\n"))
	}
}

func goldenOf(t *testing.T, tools []ledger.Listing) *Built {
	t.Helper()
	b, err := Build(t.Context(), tools)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestExamineStops: who gives up waiting is obeyed.
func TestExamineStops(t *testing.T) {
	dir := installed(t, goldenBuilt(t).Segment())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Examine(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestDamaged: whatever byte of a segment is another, or where it ends, an
// examination ends soon, and what it lets pass answers a search without a crash.
func TestDamaged(t *testing.T) {
	good := goldenBuilt(t).Segment()
	refused := 0
	try := func(segment []byte) {
		t.Helper()
		if probe(t, segment) != nil {
			refused++
		}
	}
	for i := range good {
		if i%7 == 0 || i > len(good)-64 {
			bad := bytes.Clone(good)
			bad[i] ^= 0x55
			try(bad)
		}
	}
	for n := 0; n < len(good); n += len(good) / 50 {
		try(good[:n])
	}
	if refused < 100 {
		t.Errorf("only %d of the damaged segments were refused", refused)
	}
	if err := probe(t, good); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

// probe examines a segment and then searches what passed.
func probe(tb testing.TB, segment []byte) error {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 10*time.Second)
	defer cancel()
	dir := tb.TempDir() // Install would wait for the disk each time
	path := filepath.Join(dir, segmentFile)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, segment, 0o600)); err != nil {
		tb.Fatal(err)
	}
	if err := Examine(ctx, dir); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			tb.Error("it hangs")
		}
		return err
	}
	x, err := Open(dir)
	if err != nil {
		tb.Fatalf("examined and not opened: %v", err)
	}
	defer x.Close()
	for _, typed := range []string{"", "csv", "weathr", `"rows to json"`, "network:yes", "convert a picture"} {
		q, _ := ParseQuery(typed)
		q.Facets = true
		if _, err := x.Search(ctx, q, 3); err != nil {
			tb.Errorf("examined, and then %s: %v", typed, err)
		}
	}
	return nil
}

// FuzzSegment looks for a segment that an examination lets pass and a search
// cannot read, or that ends the program.
func FuzzSegment(f *testing.F) {
	good := goldenBuilt(f).Segment()
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, segment []byte) { _ = probe(t, segment) })
}

// FuzzQuery: no query fails, and what was understood of it is understood again.
func FuzzQuery(f *testing.F) {
	x, err := Open(installed(f, goldenBuilt(f).Segment()))
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"csv to json", `"a b" tag:x -by:@y`, "network:maybe", "getUserID2 it's", "\xff\x00", "東京 हिन्दी"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		q, _ := ParseQuery(typed)
		q.Facets = true
		for _, filter := range q.Filters {
			if again := filter; again.normalise() != "" && again.Field == "name" || again != filter {
				t.Errorf("%+v becomes %+v", filter, again)
			}
		}
		if _, err := x.Search(t.Context(), q, 10); err != nil {
			t.Error(err)
		}
		eachWord(typed, func(w word) {
			if w.text == "" || w.start >= w.end || w.end > len(typed) {
				t.Errorf("the word %+v", w)
			}
		})
	})
}

// FuzzLists: the stored lists of a stranger are read or refused.
func FuzzLists(f *testing.F) {
	b := goldenBuilt(f)
	f.Add(encodeWords(b.words))
	f.Add(encodeGroups([]int32{0, 0, 2, 2}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		if words, err := decodeWords(data, 5); err == nil {
			again, err := decodeWords(encodeWords(words), 5)
			if err != nil || !slices.Equal(words, again) {
				t.Errorf("%v becomes %v (%v)", words, again, err)
			}
		}
		if all, err := decodeGroups(data, 5); err == nil && len(all.of) != 5 {
			t.Errorf("%d tools in groups", len(all.of))
		}
	})
}
