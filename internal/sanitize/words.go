package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// imitators are the scripts with letters that a reader takes for Latin ones.
// A word that mixes any of them with Latin, or two of them, is suspicious;
// Han, kana, Hangul, Arabic or Devanagari beside Latin is ordinary writing.
var imitators = []struct {
	table *unicode.RangeTable
	// lookalike are the letters that pass for Latin in most fonts.
	lookalike string
	// prefixes tells that the script is set beside Latin in honest words:
	// one Greek letter in formulas and biology (Δt, TNFα), Hebrew prefixes.
	prefixes bool
}{
	{unicode.Cyrillic, "аеорсухіѕјԁһԛԝѵӏАВЕЅІЈКМНОРСТУХҮҺԀԌӀ", false},
	{unicode.Greek, "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινρυϲϳϹ", true},
	{unicode.Hebrew, "סוןﬦﬨ", true},
	{unicode.Armenian, "օոսհզցյՕՏԼՍ", false},
	{unicode.Cherokee, "ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᏀᏂᏃᏆᏔᏙᏚᏞᏟᏢᏦᏴ", false},
	{unicode.Coptic, "ⲞⲟⲤⲥⲢⲣⲬⲭⲎⲔⲘⲚⲦ", false},
	{unicode.Lisu, "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓨꓪꓫꓬꓮꓰꓲꓳꓴ", false},
	{unicode.Deseret, "𐐄𐐕𐐛𐐠𐐬𐐽𐑈", false},
}

const latin = -1

// scriptOf returns latin, an index of imitators, or -2 for every other script.
func scriptOf(r rune) int {
	if unicode.Is(unicode.Latin, r) {
		return latin
	}
	if r >= 0x370 {
		for i := range imitators {
			if unicode.Is(imitators[i].table, r) {
				return i
			}
		}
	}
	return -2
}

// census is what a whole text says about its letters; a word alone does not
// tell whether "сор" is Russian or an imitation of Latin.
type census struct {
	latin           bool
	honest          [16]bool // scripts with a letter that imitates nothing
	cjk, fullwidth  int
	foreignOrCompat bool
}

func takeCensus(text string) census {
	var c census
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			c.latin = c.latin || r|0x20 >= 'a' && r|0x20 <= 'z'
			continue
		case !unicode.In(r, unicode.L, unicode.So):
			continue
		case isFullwidth(r):
			c.fullwidth++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			c.cjk++
			continue
		}
		if s := scriptOf(r); s >= 0 {
			c.foreignOrCompat = true
			c.honest[s] = c.honest[s] || !strings.ContainsRune(imitators[s].lookalike, r)
		} else {
			c.foreignOrCompat = c.foreignOrCompat || isCompat(r) || isRaised(r)
		}
	}
	return c
}

// words calls yield for every word that pretends to be another one, at the
// character that gives it away, and stops when yield returns false.
func words(text string, yield func(at int, r rune, category string) bool) {
	c := takeCensus(text)
	if !c.foreignOrCompat {
		return
	}
	start, plain := -1, true
	for i, r := range text {
		in := unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r >= utf8.RuneSelf && isCompat(r) || isJoiner(r)
		if in {
			if start < 0 {
				start, plain = i, true
			}
			plain = plain && r < utf8.RuneSelf
			continue
		}
		if start >= 0 && !plain && !judge(&c, text[start:i], start, yield) {
			return
		}
		start = -1
	}
	if start >= 0 && !plain {
		judge(&c, text[start:], start, yield)
	}
}

func judge(c *census, word string, start int, yield func(at int, r rune, category string) bool) bool {
	if at, r, ok := mixed(c, word); ok {
		return yield(start+at, r, Homoglyph)
	}
	if at, r, ok := disguised(c, word); ok {
		return yield(start+at, r, CompatLetter)
	}
	return true
}

// mixed finds the letter that imitates a letter of another script.
func mixed(c *census, word string) (at int, who rune, ok bool) {
	script, hasLatin, second := -2, false, false
	letters, alike, first := 0, 0, -1
	var firstRune rune
	var lastLatin, lastForeign int
	firstLatin := -1
	for i, r := range word {
		switch s := scriptOf(r); {
		case s == latin:
			hasLatin = true
			lastLatin = i
			if firstLatin < 0 {
				firstLatin = i
			}
		case s >= 0:
			second = second || script >= 0 && s != script
			script = s
			letters++
			lastForeign = i
			isAlike := strings.ContainsRune(imitators[s].lookalike, r)
			if isAlike {
				alike++
			}
			if first < 0 || isAlike && alike == 1 {
				first, firstRune = i, r
			}
		}
	}
	switch {
	case script < 0:
		return 0, 0, false
	case second:
		return first, firstRune, true
	case hasLatin && !imitators[script].prefixes:
		return first, firstRune, true
	case hasLatin:
		inside := firstLatin < lastForeign && lastForeign < lastLatin
		return first, firstRune, alike > 0 || inside || letters > 2
	}
	// A word wholly of look-alikes in a text that has Latin words and nothing
	// else of that script. One Greek letter alone is a symbol.
	return first, firstRune, c.latin && alike == letters && !c.honest[script] && (letters > 1 || !imitators[script].prefixes)
}

// isFullwidth tells whether r is a full-width Latin letter.
func isFullwidth(r rune) bool { return r >= 0xFF21 && r <= 0xFF3A || r >= 0xFF41 && r <= 0xFF5A }

// isCompat tells whether r is a Latin letter in another dress: full-width,
// mathematical, circled, squared, parenthesized, the long s, the Kelvin sign.
// Ligatures and ordinal signs are not: PDF text and Spanish are full of them.
func isCompat(r rune) bool {
	switch {
	case isFullwidth(r), r >= 0x1D400 && r <= 0x1D7CB, r == 0x17F, r == 0x212A,
		r >= 0x249C && r <= 0x24E9 && r != 0x24C2, r >= 0x1F110 && r <= 0x1F12B, r >= 0x1F130 && r <= 0x1F149,
		r >= 0x1F150 && r <= 0x1F169, r >= 0x1F170 && r <= 0x1F189 && !isEmoji(r):
		return true
	case r >= 0x2102 && r <= 0x2149 && unicode.IsLetter(r):
		n := norm.NFKC.String(string(r))
		return len(n) == 1
	}
	return false
}

// isRaised tells whether r is a small raised or lowered Latin letter.
func isRaised(r rune) bool {
	return r >= 0x2B0 && r <= 0x2B8 || r >= 0x1D2C && r <= 0x1D6A || r >= 0x2090 && r <= 0x209C || r == 0x207F || r == 0x2071
}

// longestFullwidth is the longest full-width word that Japanese and Chinese
// text may contain ("ＰｏｓｔｇｒｅＳＱＬ") before it counts as a disguise.
const longestFullwidth = 16

// disguised finds a Latin word in letters that search, filters and models do
// not read as the letters a person sees.
func disguised(c *census, word string) (at int, who rune, ok bool) {
	compat, raised, full, first := 0, 0, 0, -1
	ascii := false
	for i, r := range word {
		switch {
		case r < utf8.RuneSelf:
			ascii = ascii || unicode.IsLetter(r)
			continue
		case isFullwidth(r):
			full++
			compat++
		case isCompat(r):
			compat++
		case isRaised(r):
			raised++
		default:
			continue
		}
		if first < 0 {
			first, who = i, r
		}
	}
	if compat == full && full <= longestFullwidth && c.cjk >= c.fullwidth {
		compat, ascii = 0, false
	}
	return first, who, compat > 1 || compat > 0 && ascii || raised > 2
}
