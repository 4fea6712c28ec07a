package picker

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

func painted(lines []Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Paint(false))
	}
	return strings.Join(out, "|")
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		line            Line
		columns, indent int
		want            string
	}{
		{Text("one two three"), 80, 2, "one two three"},
		{Text("one two three"), 7, 2, "one two|  three"},
		{Text("one two three"), 8, 0, "one two|three"},
		{Text("  one two"), 6, 2, "  one|  two"},
		{Text("a b c d e f"), 3, 1, "a b| c| d| e| f"},
		{Text("abcdefgh ij"), 4, 0, "abcd|efgh|ij"},
		{Text("漢字漢字"), 4, 0, "漢字|漢字"},
		{Text("漢字"), 1, 0, "漢|字|"},
		{Line{{"bold", Strong}, {", plain", Plain}}, 6, 0, "bold,|plain"},
		{Text("one\ntwo\tthree"), 80, 0, "one two three"},
		{Text(""), 80, 2, ""},
		{Text("one  two"), 0, 2, "one  two"},
		{Text("e\u0301e\u0301e\u0301"), 2, 0, "e\u0301e\u0301|e\u0301"},
	} {
		if got := painted(tt.line.Wrap(tt.columns, tt.indent)); got != tt.want {
			t.Errorf("%q in %d columns: %q, want %q", tt.line.Paint(false), tt.columns, got, tt.want)
		}
	}
}

// A word without an end takes no more time than its length.
func TestWrapLong(t *testing.T) {
	if n := len(Text(strings.Repeat("x", 1<<20)).Wrap(2, 1)); n < 1<<19 {
		t.Errorf("%d lines", n)
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		line    Line
		columns int
		want    string
	}{
		{Text("abc"), 3, "abc"},
		{Text("abcd"), 3, "ab…"},
		{Line{{"ab", Strong}, {"cd", Plain}}, 3, "ab…"},
		{Text("漢字"), 3, "漢…"},
		{Text("abc"), 0, ""},
		{Text("abc"), 1, "…"},
		{Text("a\u202eb"), 5, `a\u{…`},
	} {
		if got := tt.line.Fit(tt.columns).Paint(false); got != tt.want {
			t.Errorf("%q in %d columns: %q, want %q", tt.line, tt.columns, got, tt.want)
		}
	}
	if got := (Line{{"a", Strong}, {"b\x1b", Plain}, {"", Bad}}).Paint(true); got != "\x1b[1ma\x1b[0mb\\u{1B}" {
		t.Errorf("painted %q", got)
	}
}

// FuzzWrap: no text makes a line too long, loses a letter, or goes on for ever.
func FuzzWrap(f *testing.F) {
	f.Add("one two", "three", uint8(5), uint8(2))
	f.Add("  漢字 \u202e\x1b[2J", "e\u0301\xff", uint8(3), uint8(9))
	f.Fuzz(func(t *testing.T, a, b string, columns, indent uint8) {
		if len(a)+len(b) > 2000 {
			t.Skip("what follows compares all with all")
		}
		line := Line{{a, Strong}, {b, Plain}}
		letters := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		all := ""
		for _, l := range line.Wrap(int(columns), int(indent)) {
			text := l.Paint(false)
			all += text
			if w := sanitize.Width(text); columns > 2 && w > int(columns) && strings.Trim(text, " ") != "" {
				t.Errorf("%q has %d columns, allowed are %d", text, w, columns)
			}
			if fit := l.Fit(int(columns)).Width(); fit > int(columns) {
				t.Errorf("%q is cut to %d columns, allowed are %d", text, fit, columns)
			}
		}
		if letters(all) != letters(line.Paint(false)) {
			t.Errorf("%q became %q", line.Paint(false), all)
		}
		for _, r := range all {
			if r < ' ' || r == 0x7f || !utf8.ValidRune(r) {
				t.Errorf("%U came through", r)
			}
		}
	})
}

// FuzzKeys: whatever a terminal sends is read to its end, in the same way
// whether its bytes come together or one by one, and is never kept for long.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{
		"abc", "\x1b", "\x1b[A", "\x1bOB", "\x1b[200~a\nb\x1b[201~", "\x1b]11;rgb:0000\x07", "\x1bP1\x1b\\", "\x1b\x1b", "\x1b[5~\x1b[1;5C", "ü漢\xff\u202e",
		"\x1b[" + strings.Repeat("1;", 100), "\x1b[\x1b[A",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var whole decoder
		events := whole.feed(data)
		if len(whole.rest) >= longest {
			t.Errorf("%d bytes are kept", len(whole.rest))
		}
		if len(data) < longest {
			var single decoder
			var one []event
			for i := range data {
				one = append(one, single.feed(data[i:i+1])...)
			}
			if len(one) != len(events) {
				t.Fatalf("%v together, %v one by one", events, one)
			}
			for i := range one {
				if one[i] != events[i] {
					t.Errorf("%v together, %v one by one", events, one)
				}
			}
		}
		for _, e := range append(events, whole.idle()...) {
			if e.key == none || e.key == letter && (e.rune < ' ' || e.rune >= 0x7f && e.rune < 0xa0) {
				t.Errorf("the event %v", e)
			}
		}
		if len(whole.rest) > 0 {
			t.Error("something is kept after a pause")
		}
	})
}

func TestFuzzy(t *testing.T) {
	for _, tt := range []struct{ pattern, better, worse string }{
		{"csv", "csv_to_json", "convert_some_values"},
		{"ctj", "csv_to_json", "constant_join"},
		{"ctj", "csv_to_json", "nothing_of_it"},
		{"json", "json_query", "csv_to_json"},
		{"json", "csv_to_json", "jumbled_string_on"},
		{"CSV to", "csv_to_json", "csv_join"},
	} {
		if a, b := Fuzzy(tt.pattern, tt.better), Fuzzy(tt.pattern, tt.worse); a <= b {
			t.Errorf("%q: %s has %d, %s has %d", tt.pattern, tt.better, a, tt.worse, b)
		}
	}
	for _, none := range [][2]string{{"x", "csv"}, {"", "csv"}, {"_", "csv"}, {"vsc", "csv"}, {"csv", ""}, {"csvv", "csv"}} {
		if n := Fuzzy(none[0], none[1]); n != 0 {
			t.Errorf("%q in %q: %d", none[0], none[1], n)
		}
	}
}
