package index

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
)

func TestParseQuery(t *testing.T) {
	for typed, want := range map[string]string{
		"a b":                  "{a b [] []} []",
		"  a\tb　c ":            "{a b c [] []} []",
		`"a b" c`:              "{c [a b] []} []",
		`“a b” c`:              "{c [a b] []} []",
		`"a b`:                 `{"a b [] []} []`,
		`a"b c"`:               `{a"b c" [] []} []`,
		"tag:x":                "{ [] [{tag x false}]} []",
		"-TAG:X":               "{ [] [{tag x true}]} []",
		`tag:"a b" c`:          "{c [] [{tag a b false}]} []",
		"tag:":                 "{tag: [] []} []",
		`tag:""`:               `{tag:"" [] []} []`,
		"foo:x http://y":       "{foo:x http://y [] []} []",
		"by:@Bob":              "{ [] [{by bob false}]} []",
		"name:Csv-to json":     "{json [] [{name csv false} {name to false}]} []",
		"name:!!":              `{ [] []} [name:"!!" is no part of a name]`,
		"network:1 verified:0": "{ [] [{network yes false} {verified no false}]} []",
		"network:maybe":        `{ [] [{network maybe false}]} [network:"maybe" matches nothing: it is yes, no]`,
		"fs:ro fs:x":           `{ [] [{fs read-only false} {fs x false}]} [fs:"x" matches nothing: it is none, read-only, read-write]`,
		"kind:skill":           "{ [] [{kind skill false}]} []",
	} {
		q, notes := ParseQuery(typed)
		if got := fmt.Sprintf("{%s %v %v} %v", q.Text, q.Phrases, q.Filters, notes); got != want {
			t.Errorf("%s: got %s, want %s", typed, got, want)
		}
	}
	q, notes := ParseQuery(strings.Repeat("ä", limits.Query))
	if len(q.Text) > limits.Query || !utf8.ValidString(q.Text) || len(notes) != 1 {
		t.Errorf("a long query: %d bytes, notes %q", len(q.Text), notes)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Convert the file's rows":  "convert the file rows | convert the file rows",
		"csv_to_json":              "csv to json | csv to json",
		"getUserID2":               "getuserid2 get user id | get user id 2",
		"HTTPServer":               "httpserver http server | http server",
		"mp3 s3":                   "mp3 mp s3 | mp 3 s 3",
		"don't O’Reilly’s dogs' x": "don t o reilly dogs x | don t o reilly dogs x",
		"it'stone":                 "it stone | it stone",
		"Zürich STRASSE ǅ İ":       "zürich strasse ǆ i | zürich strasse ǆ i",
		"हिन्दी":                   "हिन्दी | हिन्दी",
		"":                         " | ",
		strings.Repeat("x", 65):    " | ",
		strings.Repeat("x", 64):    strings.Repeat("x", 64) + " | " + strings.Repeat("x", 64),
	} {
		var words, leaves []string
		eachWord(text, func(w word) {
			if w.term {
				words = append(words, w.text)
			}
			if w.leaf {
				leaves = append(leaves, w.text)
			}
		})
		if got := strings.Join(words, " ") + " | " + strings.Join(leaves, " "); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b       string
		most, want int
	}{
		{"abc", "abc", 2, 0},
		{"abc", "acb", 2, 1},
		{"abc", "ab", 2, 1},
		{"abc", "abcd", 2, 1},
		{"abc", "xbc", 2, 1},
		{"abcd", "badc", 2, 2},
		{"ca", "abc", 2, 3},
		{"abcdef", "ghijkl", 2, 3},
		{"abc", "xyz", 1, 2},
		{"zürich", "zurich", 1, 1},
	} {
		if got := distance([]rune(c.a), c.b, c.most); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.a, c.b, got, c.want)
		}
		if d := distance([]rune(c.a), c.b, 2); d <= 2 && apart(lettersOf(c.a), lettersOf(c.b)) > 2*d {
			t.Errorf("%s %s: the letters say more than the distance %d", c.a, c.b, d)
		}
	}
}

// TestLog2 compares with values from elsewhere: log2(3) = 1.58496…, log2(200001/1.5).
func TestLog2(t *testing.T) {
	for _, c := range []struct {
		a, b uint64
		want int64
	}{{1, 1, 0}, {2, 1, 65536}, {3, 1, 103872}, {4, 3, 27199}, {200002, 3, 1050194}} {
		if got := log2(c.a, c.b); got != c.want {
			t.Errorf("log2(%d/%d) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
