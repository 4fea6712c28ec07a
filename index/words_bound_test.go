package index

import "testing"

// TestLexiconBound: of words beyond the bound nothing is kept, and those that are
// known stay known, in whatever case they stand.
func TestLexiconBound(t *testing.T) {
	x := newLexicon()
	x.most = 3
	for _, c := range []struct {
		word string
		want int32
	}{{"one", 0}, {"Two", 1}, {"three", 2}, {"four", -1}, {"ONE", 0}, {"two", 1}, {"Four", -1}, {"tWO", 1}, {"THree", 2}, {"thREE", 2}} {
		if got := x.id(c.word); got != c.want {
			t.Errorf("%s: got %d, want %d", c.word, got, c.want)
		}
	}
	if len(x.words) != 3 || len(x.short)+len(x.long) > 2*x.most {
		t.Errorf("it keeps %d words and %d spellings", len(x.words), len(x.short)+len(x.long))
	}
	r := reader{lexicon: x}
	if got := r.lex(nil, "one more two"); len(got) != 2 {
		t.Errorf("a text of two known words has %d", len(got))
	}
}
