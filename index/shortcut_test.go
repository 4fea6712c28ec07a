package index

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/golang/snappy"
)

// TestBegins: what is passed over by its first bytes could not have matched.
func TestBegins(t *testing.T) {
	words := strings.Fields("dying lying tying die lie tie skies sky cries Straße ÉTÉ été K K 3D dyed idly ugly Yes eyed x")
	for line := range strings.Lines(synonyms) {
		words = append(words, strings.Fields(line)...)
	}
	skipped := 0
	for _, asked := range words {
		term := stem(lower(asked))
		var p plan
		p.begin(term)
		p.begin(lower(asked))
		for _, w := range words {
			for _, w := range []string{w, strings.ToUpper(w)} {
				switch {
				case p.begins(w):
				case stem(lower(w)) == term:
					t.Errorf("%s is passed over, and is %s", w, asked)
				default:
					skipped++
				}
			}
		}
	}
	if skipped < len(words)*len(words) {
		t.Errorf("only %d of %d pairs are passed over", skipped, 2*len(words)*len(words))
	}
}

// TestMost: of many values those that most tools have, in order.
func TestMost(t *testing.T) {
	var all, kept []Facet
	for i := range 500 {
		f := Facet{"tag", fmt.Sprintf("%03d", i), i*7919%13 + 1}
		all = append(all, f)
		if len(kept) < mostValues || f.Count > kept[mostValues-1].Count {
			kept = most(kept, f)
		}
	}
	slices.SortStableFunc(all, func(a, b Facet) int { return cmp.Compare(b.Count, a.Count) })
	if !slices.Equal(kept, all[:mostValues]) {
		t.Errorf("got %v, want %v", kept, all[:mostValues])
	}
}

// TestLiteral: the beginning is what a whole reading yields, or it is refused.
func TestLiteral(t *testing.T) {
	for _, text := range []string{"1", "1abcabcabcabcabcabcabcabcabcabc", strings.Repeat("1", 500), "1" + strings.Repeat("word of all ", 9000)} {
		packed := snappy.Encode(nil, []byte(text))
		if got, ok := literal(packed); ok && !strings.HasPrefix(text, string(got)) {
			t.Errorf("got %q of %.40q", got, text)
		}
		for n := range min(len(packed), 80) {
			if got, ok := literal(packed[:n]); ok && !strings.HasPrefix(text, string(got)) {
				t.Errorf("cut after %d bytes: got %q", n, got)
			}
		}
	}
	if got, ok := literal(snappy.Encode(nil, []byte("1abc"))); !ok || !bytes.Equal(got, []byte("1abc")) {
		t.Errorf("got %q, %v", got, ok)
	}
	for name, packed := range map[string][]byte{"longer than it says": {1, 3 << 2, 'a', 'b', 'c', 'd'}, "a copy": {4, 1, 0}, "cut": {4, 3 << 2, 'a'}, "empty": {}} {
		if got, ok := literal(packed); ok {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
