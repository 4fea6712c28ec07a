package sanitize

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// tags spells ASCII in the invisible tag block.
func tags(s string) string {
	var b strings.Builder
	for _, c := range s {
		b.WriteRune(0xE0000 + c)
	}
	return b.String()
}

// selectors hides bytes as variation selectors.
func selectors(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := rune(s[i]); c < 16 {
			b.WriteRune(0xFE00 + c)
		} else {
			b.WriteRune(0xE0100 + c - 16)
		}
	}
	return b.String()
}

func categories(hits []Hit) []string {
	var out []string
	for _, h := range hits {
		if !slices.Contains(out, h.Category) {
			out = append(out, h.Category)
		}
	}
	return out
}

// TestScanTwins shows every way of hiding beside an honest text that differs
// from it in that one point.
func TestScanTwins(t *testing.T) {
	for _, tc := range []struct{ name, attack, category, honest string }{
		{"tag block", "Read a file" + tags("ignore"), TagCharacter, "Read a file"},
		{"tags behind a flag", "\U0001F3F4" + tags("rm all") + "\U000E007F", TagCharacter, "\U0001F3F4" + tags("gbsct") + "\U000E007F"},
		{"flag without end", "\U0001F3F4" + tags("gbeng"), TagCharacter, "\U0001F3F4" + tags("gbeng") + "\U000E007F"},
		{"right to left override", "a \u202Egnp.exe", BidiOverride, "a gnp.exe"},
		{"isolate", "x\u2066y\u2069", BidiOverride, "xy"},
		{"arabic letter mark", "x\u061Cy", BidiOverride, "xy"},
		{"zero width space", "pass\u200Bword", ZeroWidth, "pass word"},
		{"joiner in Latin", "ig\u200Dnore", ZeroWidth, "क\u094D\u200Dष"},
		{"non-joiner in Latin", "ig\u200Cnore", ZeroWidth, "می\u200Cخواهم"},
		{"two non-joiners", "می\u200C\u200Cخواهم", ZeroWidth, "می\u200Cخواهم"},
		{"non-joiner at the end", "خواهم\u200C ", ZeroWidth, "خواهم "},
		{"word joiner", "a\u2060b", ZeroWidth, "ab"},
		{"invisible plus", "a\u2064b", ZeroWidth, "a+b"},
		{"byte order mark", "\uFEFFabc", ZeroWidth, "abc"},
		{"grapheme joiner", "a\u034Fb", ZeroWidth, "ab"},
		{"vowel separator", "a\u180Eb", ZeroWidth, "ᠠ\u180Eᠡ"},
		{"joiner between emoji and letter", "👩\u200Dx", ZeroWidth, "👩\u200D👧"},
		{"soft hyphen", "pass\u00ADword", SoftHyphen, "pass-word"},
		{"selector after a letter", "a\uFE0F", VariationSelector, "❤\uFE0F"},
		{"selector row", "❤" + selectors("hidden"), VariationSelector, "❤\uFE0F"},
		{"selector twice", "❤\uFE0F\uFE0F", VariationSelector, "❤\uFE0F"},
		{"selector after a digit", "1\uFE0F", VariationSelector, "1\uFE0F\u20E3"},
		{"letter byte after an ideograph", "葛\U000E0151", VariationSelector, "葛\U000E0101"},
		{"selector row after an ideograph", "葛\U000E0101\U000E0102", VariationSelector, "葛\U000E0101葛\U000E0102"},
		{"escape sequence", "\x1b[8mhidden\x1b[0m", Control, "[8mhidden[0m"},
		{"NUL", "a\x00b", Control, "ab"},
		{"C1 control", "a\u009Bb", Control, "ab"},
		{"return alone", "safe\rrm", Control, "safe\r\nrm"},
		{"private use", "a\uE000", PrivateUse, "a"},
		{"private plane", "a\U00100000", PrivateUse, "a"},
		{"noncharacter", "a\uFDD0", Noncharacter, "a"},
		{"last of the plane", "a\uFFFF", Noncharacter, "a\uFFFD"},
		{"unassigned", "a\u0378", Unassigned, "a\U0001FAE9"},
		{"line separator", "a\u2028b", LineSeparator, "a\nb"},
		{"hangul filler", "a\u3164b", Filler, "a\u3163b"},
		{"half-width filler", "a\uFFA0b", Filler, "a\uFFA1b"},
		{"braille blank", "a\u2800b", Filler, "a\u2801b"},
		{"annotation", "a\uFFF9b", Format, "a\u0600b"},
		{"broken UTF-8", "a\xffb", InvalidUTF8, "aÿb"},
		{"surrogate", "a\xed\xa0\x80b", InvalidUTF8, "a\uD55Cb"},
		{"piled marks", "e\u0301\u0302\u0303\u0304", StackedMarks, "e\u0301\u0302\u0303"},
		{"Cyrillic in a Latin word", "p\u0430ypal", Homoglyph, "paypal"},
		{"Greek in a Latin word", "\u03BFpen", Homoglyph, "open"},
		{"Greek inside a word", "p\u03B1ypal", Homoglyph, "TNF\u03B1"},
		{"Greek prefix", "\u0391pple", Homoglyph, "\u0394t"},
		{"Armenian in a Latin word", "f\u0585r", Homoglyph, "for"},
		{"two imitators", "\u0441\u03BFm", Homoglyph, "com"},
		{"Cyrillic word in English", "read \u0430 file", Homoglyph, "read a file"},
		{"Cyrillic word of look-alikes", "the \u0441\u043E\u0440\u0443", Homoglyph, "копия \u0441\u043E\u0440\u0443 v2"},
		{"full-width words", "ｉｇｎｏｒｅ this", CompatLetter, "ＡＰＩを使う"},
		{"full-width English behind one ideograph", "字 ｉｇｎｏｒｅ ａｌｌ", CompatLetter, "この字は ｉｇｎｏｒｅ です"},
		{"mathematical letters", "𝐢𝐠𝐧𝐨𝐫𝐞", CompatLetter, "ℝ and 𝑥"},
		{"circled letters", "ⓘⓖⓝⓞⓡⓔ", CompatLetter, "ⓘ"},
		{"negative squared", "🅸🅶🅽", CompatLetter, "🅰 🆎 🅱"},
		{"one letter in a word", "i𝗀nore", CompatLetter, "ignore"},
		{"Kelvin sign", "to\u212Aen", CompatLetter, "300 \u212A"},
		{"raised letters", "ⁱᵍⁿᵒʳᵉ", CompatLetter, "xⁿ"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := categories(Scan(tc.attack)); !slices.Equal(got, []string{tc.category}) {
				t.Errorf("Scan(%+q) = %v, want [%s]", tc.attack, got, tc.category)
			}
			if got := Scan(tc.honest); got != nil {
				t.Errorf("Scan(%+q) = %v, want nothing", tc.honest, got)
			}
		})
	}
}

// TestScanLivingText holds what must pass untouched.
func TestScanLivingText(t *testing.T) {
	for _, s := range []string{
		"plain text, with\ttabs\nand lines\r\n",
		"👨\u200D👩\u200D👧\u200D👦 family", "👩🏽\u200D💻", "🏳\uFE0F\u200D🌈", "🏴\u200D☠\uFE0F", "❤\uFE0F\u200D🔥", "👁\uFE0F\u200D🗨\uFE0F",
		"🇩🇪🇮🇷🇯🇵", "1\uFE0F\u20E3 #\uFE0F\u20E3 *\uFE0F\u20E3 2\u20E3", "©\uFE0F ™\uFE0E ☀\uFE0F", "👍🏿",
		"🏴" + tags("gbeng") + "\U000E007F🏴" + tags("gbwls") + "\U000E007F",
		"کتاب\u200Cها را می\u200Cخوانم", "۱۳۹۹ ه\u200D ش", "क्\u200Dष र्\u200Dय", "র\u200D্য", "ශ්\u200Dරී ලංකා", "മലയാളം ന്\u200D",
		"葛\U000E0100飾区", "\u2268\uFE00", "Straße naïve Ünïcödé Łódź Việt Nam Tiê\u0301ng",
		"Приложение для чтения PDF и API", "Η εφαρμογή διαβάζει PDF", "קובץ PDF בעברית", "ה\u05B0\u05B8\u0591 text",
		"Tシャツを買う", "日本語とEnglishの混在", "한국어 API 문서", "ภาษาไทยน้ำ", "العربية و English",
		"10 µm, 5 Ω, Δx, λ, π r², σ-algebra, β-carotene, TNFα, μs", "½ № ﬁne 1ª 2º x² H₂O — “quotes” … ‹›", "a\u00A0b\u202F!\u3000全",
		"\u0600١", "བོད་ཡིག་རྒྱལ",
	} {
		if hits := Scan(s); hits != nil {
			t.Errorf("Scan(%+q) = %v, want nothing", s, hits)
		}
	}
}

func TestScanPlaces(t *testing.T) {
	hits := Scan("ab\nçé\u200Bx\n\n\x1bz\x1b")
	want := []Hit{
		{ZeroWidth, 7, 2, 3, 0x200B},
		{Control, 13, 4, 1, 0x1B},
		{Control, 15, 4, 3, 0x1B},
	}
	if !slices.Equal(hits, want) {
		t.Errorf("got %v, want %v", hits, want)
	}
}

func TestScanOrderOfBothPasses(t *testing.T) {
	hits := Scan("p\u0430y \u200B \U0001D422\U0001D420")
	if got, want := categories(hits), []string{Homoglyph, ZeroWidth, CompatLetter}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !Misread(hits[0].Category) || Misread(hits[1].Category) {
		t.Errorf("Misread of %v is wrong", hits[:2])
	}
}

func TestScanIsBounded(t *testing.T) {
	if got := len(Scan(strings.Repeat("\u200B", 3*MaxHits))); got != MaxHits {
		t.Errorf("got %d hits, want %d", got, MaxHits)
	}
	if got := len(Scan(strings.Repeat("p\u0430y\u200B ", MaxHits))); got != MaxHits {
		t.Errorf("got %d hits, want %d", got, MaxHits)
	}
}

func TestReveal(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"x" + tags("send ~/.ssh"), "send ~/.ssh"},
		{"x" + selectors("send\n1"), "send.1"},
		{"x\u200By", ""},
		{"plain", ""},
	} {
		if got := Reveal(Scan(tc.text)); got != tc.want {
			t.Errorf("Reveal(%+q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

// TestScanLongText keeps the walk linear: a quadratic one takes minutes here.
func TestScanLongText(t *testing.T) {
	for _, unit := range []string{"\u200B\n", "а", "👩\u200D", "e\u0301", "\U0001F3F4", "ｉ", "\xff"} {
		Scan(strings.Repeat(unit, 1<<20/len(unit)))
	}
}

func seeds(f *testing.F) {
	f.Helper()
	for _, s := range []string{
		"", "plain", "p\u0430ypal", "a\u202Eb", "👩\u200D👧", "می\u200Cخواهم", "क्\u200Dष", "❤\uFE0F\uFE0F", "1\uFE0F\u20E3",
		"🏴" + tags("gbsct") + "\U000E007F", "x" + tags("hi"), "葛\U000E0101", "\xff\xed\xa0\x80", "\x1b]0;t\x07", "a\r\nb\rc",
		"e\u0301\u0302\u0303\u0304\u0305", "ｉｇｎ 𝐢𝐠", "\u3164\uFFA0", "ᠠ\u180Eᠡ\u180B", "ن\u064F\u200Cه", "\u2268\uFE00", strings.Repeat("a \u200B", 70),
	} {
		f.Add(s)
	}
}

func FuzzScan(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		last := -1
		for _, h := range Scan(text) {
			if h.Offset < last || h.Offset >= len(text) {
				t.Fatalf("hit %v of %+q is out of order or out of the text", h, text)
			}
			last = h.Offset
			r, _ := utf8.DecodeRuneInString(text[h.Offset:])
			lines := strings.Split(text[:h.Offset], "\n")
			if r != h.Rune || h.Line != len(lines) || h.Col != utf8.RuneCountInString(lines[len(lines)-1])+1 || h.Category == "" {
				t.Fatalf("hit %v of %+q does not say where it is", h, text)
			}
		}
	})
}
