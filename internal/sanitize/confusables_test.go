package sanitize

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestConfusables holds the table to what it is for.
func TestConfusables(t *testing.T) {
	table := confusables()
	if len(table) < 600 {
		t.Fatalf("%d characters", len(table))
	}
	for r, ascii := range table {
		if r < utf8.RuneSelf || ascii == "" || strings.IndexFunc(ascii, func(c rune) bool { return c <= ' ' || c > '~' }) >= 0 {
			t.Errorf("%U reads as %q", r, ascii)
		}
	}
	for r, want := range map[rune]string{'\u0430': "a", '\u0435': "e", '\u0456': "i", '\u043E': "o", '\u0440': "p", '\u0441': "c", '\u03BF': "o", '\u0585': "o", '\u13AA': "A", '\uA4D3': "D"} {
		if table[r] != want {
			t.Errorf("%U reads as %q, want %q", r, table[r], want)
		}
	}
}

// TestEveryImitation puts each letter of the table into a Latin word: none may
// pass, whichever script it is of. Letters that are themselves Latin are in the
// dictionaries of living languages, Persian glues its endings to Latin words, and
// what is of no script is a symbol.
func TestEveryImitation(t *testing.T) {
	for r := range confusables() {
		word := "w" + string(r) + "rd"
		if !imitates(r) || unicode.In(r, unicode.Latin, unicode.Arabic) || !unicode.In(r, unicode.L, unicode.Nd) || unicode.Is(unicode.Common, r) {
			continue
		}
		if got := categories(Scan("one " + word)); len(got) == 0 {
			t.Errorf("%U in %+q passes", r, word)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"Plain Text":            "plain text",
		"p\u0430yp\u0430l":      "paypal",
		"\u0406GN\u041ER\u0415": "ignore",
		"\u13A5gnor\u13AC":      "ignore",
		"ｉｇｎｏｒｅ 𝐢𝐠𝐧𝐨𝐫𝐞 ⓘⓖⓝⓞⓡⓔ": "ignore ignore ignore",
		"ɪɢɴᴏʀᴇ":                               "ignore",
		"ígnòrê":                               "ignore",
		"i\u0336g\u0336n\u0336ore":             "ignore",
		"ig\u200Bn\u00ADo\u2060re" + tags("x"): "ignore",
		"忽略":                                   "忽略",
		"\xff\xfea":                            "a",
		"“a”\u2010b":                           "''a''-b",
		"\u0130GNORE":                          "ignore",
		"\u1E9E":                               "ß",
	} {
		if got := Plain(text); got != want {
			t.Errorf("Plain(%+q) = %+q, want %+q", text, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		out := Plain(text)
		if !utf8.ValidString(out) || len(out) > 40*len(text)+40 {
			t.Fatalf("Plain(%+q) = %+q", text, out)
		}
		for _, r := range out {
			if category(r, utf8.RuneLen(r)) != "" || unicode.Is(unicode.M, r) || r >= 'A' && r <= 'Z' {
				t.Fatalf("Plain(%+q) = %+q holds %U", text, out, r)
			}
		}
	})
}

// TestRequiredRanges goes through every character that the requirements name:
// each is a hit of its category between Latin letters, and none is left by Clean.
func TestRequiredRanges(t *testing.T) {
	for _, tc := range []struct {
		category string
		from, to rune
	}{
		{TagCharacter, 0xE0000, 0xE007F},
		{VariationSelector, 0xFE00, 0xFE0F},
		{VariationSelector, 0xE0100, 0xE01EF},
		{BidiOverride, 0x202A, 0x202E},
		{BidiOverride, 0x2066, 0x2069},
		{BidiOverride, 0x200E, 0x200F},
		{BidiOverride, 0x61C, 0x61C},
		{SoftHyphen, 0xAD, 0xAD},
		{ZeroWidth, 0x200B, 0x200D},
		{ZeroWidth, 0xFEFF, 0xFEFF},
		{ZeroWidth, 0x2060, 0x2064},
		{ZeroWidth, 0x180E, 0x180E},
		{ZeroWidth, 0x34F, 0x34F},
		{Filler, 0x3164, 0x3164},
		{Filler, 0xFFA0, 0xFFA0},
		{Control, 0x00, 0x08},
		{Control, 0x0B, 0x1F},
		{Control, 0x7F, 0x9F},
		{LineSeparator, 0x2028, 0x2029},
		{Format, 0xFFF9, 0xFFFB},
		{Noncharacter, 0xFDD0, 0xFDEF},
		{Noncharacter, 0xFFFE, 0xFFFF},
		{Noncharacter, 0x10FFFE, 0x10FFFF},
		{PrivateUse, 0xE000, 0xF8FF},
		{PrivateUse, 0xF0000, 0xFFFFD},
		{PrivateUse, 0x100000, 0x10FFFD},
	} {
		step := max(1, (tc.to-tc.from)/500)
		for r := tc.from; r <= tc.to; r += step {
			text := "ab" + string(r) + "cd"
			if got := categories(Scan(text)); !slices.Equal(got, []string{tc.category}) {
				t.Fatalf("%U is %v, want %s", r, got, tc.category)
			}
			if got, _ := Clean(text); got != "abcd" {
				t.Fatalf("Clean leaves %+q of %U", got, r)
			}
			if got := ForTerminal(text); strings.ContainsRune(got, r) || !strings.HasPrefix(got, `ab\u{`) {
				t.Fatalf("ForTerminal shows %+q of %U", got, r)
			}
		}
	}
}
