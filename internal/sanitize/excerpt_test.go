package sanitize

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 1_000_000) + "!" + strings.Repeat("b", 1_000_000)
	for _, tt := range []struct {
		line    string
		col, in int
		shown   string
		before  int
	}{
		{"import os", 8, 80, "import os", 7},
		{"import os", 1, 80, "import os", 0},
		{"import os", 99, 80, "import os", 9}, // behind the end
		{"", 1, 80, "", 0},
		{"\tx = 1", 2, 80, "→x = 1", 1},
		{"a\x1b[2Jb", 6, 80, `a\u{1B}[2Jb`, 10},
		{"a\u202Eb", 3, 80, `a\u{202E}b`, 9},
		{"a\xffb", 3, 80, `a\xFFb`, 5},
		{"日本 x", 4, 80, "日本 x", 5},
		{"e\u0301 x", 4, 80, "e\u0301 x", 2},
		{"e\u0301\u0301\u0301\u0301 x", 6, 80, "e\u0301\u0301\u0301\\u{301} x", 8},
		{"👩\u200D💻 x", 5, 80, `👩\u{200D}💻 x`, 13},
		{long, 1_000_001, 12, "…aaaaa!bbbb…", 6},
		{long, 1, 12, "…", 0},
		{long[:20], 20, 12, "…aaaaaaaaaa", 10},
		{"0123456789", 3, 10, "…", 0},
	} {
		shown, before := Excerpt(tt.line, tt.col, tt.in)
		if tt.shown == "…" { // only how much it is
			if Width(shown) > tt.in || !strings.HasPrefix(tt.line, strings.TrimSuffix(shown, "…")) || before != tt.col-1 {
				t.Errorf("%.20q: got %q, %d", tt.line, shown, before)
			}
			continue
		}
		if shown != tt.shown || before != tt.before {
			t.Errorf("%.20q at %d: got %q, %d, want %q, %d", tt.line, tt.col, shown, before, tt.shown, tt.before)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("a\tb\u202E日", 3, 20)
	f.Add("\xff\x1b", 1, 4)
	f.Fuzz(func(t *testing.T, line string, col, columns int) {
		if len(line) > 10_000 || columns > 10_000 || columns < 30 || col > 20_000 {
			return
		}
		shown, before := Excerpt(strings.ReplaceAll(line, "\n", ""), col, columns)
		if w := Width(shown); w > columns || before < 0 || before > w {
			t.Errorf("%q is %d columns, the place at %d of %d", shown, w, before, columns)
		}
		if ForTerminal(shown) != shown && utf8.ValidString(shown) {
			for _, r := range shown {
				if category(r, utf8.RuneLen(r)) != "" {
					t.Errorf("%q has %U", shown, r)
				}
			}
		}
	})
}
