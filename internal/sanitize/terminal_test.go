package sanitize

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestForTerminal(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"plain\ttext\n", "plain\ttext\n"},
		{"a\r\nb", "a\nb"},
		{"a\rb", `a\u{D}b`},
		{"\x1b[31mred", `\u{1B}[31mred`},
		{"invoice\u202Efdp.exe", `invoice\u{202E}fdp.exe`},
		{"pass\u200Bword", `pass\u{200B}word`},
		{"bad\xffbyte", `bad\xFFbyte`},
		{"Öl für 3 €", "Öl für 3 €"},
		{"👩\u200D👧", "👩👧"},
		{"می\u200Cخوانم", "میخوانم"},
		{"❤\uFE0F 1\uFE0F\u20E3", "❤\uFE0F 1\uFE0F\u20E3"},
		{"p\u0430ypal", "p\u0430ypal"},
		{"z" + strings.Repeat("\u0336", 5), "z" + strings.Repeat("\u0336", 3) + strings.Repeat(`\u{336}`, 2)},
		{"x\U000E0061", `x\u{E0061}`},
	} {
		if got := ForTerminal(tc.in); got != tc.want {
			t.Errorf("ForTerminal(%+q) = %+q, want %+q", tc.in, got, tc.want)
		}
	}
}

func TestLineAndFit(t *testing.T) {
	for _, tc := range []struct {
		in      string
		columns int
		want    string
	}{
		{"  two\n\tlines \r\n here ", 80, "two lines here"},
		{"", 80, ""},
		{"exactly ten", 11, "exactly ten"},
		{"exactly ten!", 11, "exactly te…"},
		{"cut here please", 5, "cut…"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"abc", 1, "…"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"a\x1b[2Jb", 80, `a\u{1B}[2Jb`},
		{strings.Repeat(" ", 10_000) + "x", 20, "…"},
	} {
		if got := Fit(tc.in, tc.columns); got != tc.want {
			t.Errorf("Fit(%+q, %d) = %+q, want %+q", tc.in, tc.columns, got, tc.want)
		}
	}
	if got := utf8.RuneCountInString(Line(strings.Repeat("x", 5*LineWidth))); got != LineWidth {
		t.Errorf("a long line has %d columns, want %d", got, LineWidth)
	}
}

func TestPlainTextCostsNothing(t *testing.T) {
	text := strings.Repeat("a description of ordinary length. ", 30)
	if n := testing.AllocsPerRun(20, func() { ForTerminal(text); Scan(text); Clean(text) }); n != 0 {
		t.Errorf("plain text costs %v allocations, want 0", n)
	}
}

func TestClean(t *testing.T) {
	for _, tc := range []struct {
		in, want string
		hits     int
	}{
		{"plain", "plain", 0},
		{"Read." + tags("now"), "Read.", 3},
		{"ｉｇｎｏｒｅ", "ignore", 1},
		{"𝐢𝐠𝐧𝐨𝐫𝐞", "ignore", 1},
		{"pass\u200B\u00ADword", "password", 2},
		{"a\r\nb\rc", "a\nbc", 1},
		{"👩\u200D👧 ❤\uFE0F 1\uFE0F\u20E3", "👩\u200D👧 ❤\uFE0F 1\uFE0F\u20E3", 0},
		{"می\u200Cخواهم", "می\u200Cخواهم", 0},
		{"葛\U000E0101", "葛\U000E0101", 0},
		{"p\u0430ypal", "p\u0430ypal", 1},
		{"\uFFA0\u3164x", "x", 2},
		{"a\xffb", "ab", 1},
	} {
		got, hits := Clean(tc.in)
		if got != tc.want || len(hits) != tc.hits {
			t.Errorf("Clean(%+q) = %+q, %d hits, want %+q, %d hits", tc.in, got, len(hits), tc.want, tc.hits)
		}
	}
}

// hiddenInTerminal is written apart from the code under test, from the
// properties of Unicode alone.
func hiddenInTerminal(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		unicode.In(r, unicode.Bidi_Control, unicode.Join_Control, unicode.Co, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point) ||
		r >= 0x200B && r <= 0x200F || r >= 0x2060 && r <= 0x206F || r == 0xFEFF || r == 0xAD || r == 0x34F || r == 0x180E || r == 0x3164
}

func FuzzForTerminal(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		out := ForTerminal(text)
		if !utf8.ValidString(out) {
			t.Fatalf("ForTerminal(%+q) = %+q is not UTF-8", text, out)
		}
		for _, r := range out {
			if hiddenInTerminal(r) {
				t.Fatalf("ForTerminal(%+q) = %+q holds %U", text, out, r)
			}
		}
		line := Line(text)
		if strings.ContainsAny(line, "\n\t\r") || utf8.RuneCountInString(strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.M, unicode.Cf) {
				return -1
			}
			return r
		}, line)) > LineWidth {
			t.Fatalf("Line(%+q) = %+q is not one short line", text, line)
		}
	})
}

func FuzzClean(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		out, _ := Clean(text)
		if !norm.NFKC.IsNormalString(out) {
			t.Fatalf("Clean(%+q) = %+q is not NFKC", text, out)
		}
		for _, h := range Scan(out) {
			if h.Category != Homoglyph && h.Category != CompatLetter {
				t.Fatalf("Clean(%+q) = %+q still holds %v", text, out, h)
			}
		}
		if again, _ := Clean(out); again != out {
			t.Fatalf("Clean is not stable: %+q, then %+q", out, again)
		}
	})
}

func BenchmarkScanPlain(b *testing.B) {
	text := strings.Repeat("a description of ordinary length. ", 30)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Scan(text)
	}
}

func BenchmarkScanForeign(b *testing.B) {
	text := strings.Repeat("Приложение читает PDF и пишет JSON 👩\u200D💻. ", 30)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Scan(text)
	}
}
