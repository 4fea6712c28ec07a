package sanitize

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// imitators are the scripts with letters that a reader takes for Latin ones. A
// word that mixes any of them with Latin, or two of them, is suspicious; Han,
// kana, Hangul, Arabic or Devanagari beside Latin is ordinary writing, and of
// those and of all other scripts only what [confusables] lists counts.
var imitators = []struct {
	table *unicode.RangeTable
	// prefixes tells that the script is set beside Latin in honest words:
	// one Greek letter in formulas and biology (Δt, TNFα), Hebrew prefixes.
	prefixes bool
}{
	{unicode.Cyrillic, false},
	{unicode.Greek, true},
	{unicode.Hebrew, true},
	{unicode.Armenian, false},
	{unicode.Cherokee, false},
	{unicode.Coptic, false},
	{unicode.Lisu, false},
	{unicode.Deseret, false},
}

// Scripts that are no index of imitators.
const (
	latin  = -1
	apart  = -2 // no letter that passes for a Latin one is looked for
	others = -3 // letters and digits of any other script that pass for a Latin one
)

// scriptOf returns latin, an index of imitators, others or apart.
func scriptOf(r rune) int {
	if unicode.Is(unicode.Latin, r) {
		return latin
	}
	if r < 0x370 {
		return apart
	}
	for i := range imitators {
		if unicode.Is(imitators[i].table, r) {
			return i
		}
	}
	// Persian glues its endings to Latin words, and A∪B is a formula.
	if imitates(r) && unicode.In(r, unicode.L, unicode.Nd) && !unicode.Is(unicode.Arabic, r) {
		return others
	}
	return apart
}

// poses tells whether r passes for a Latin letter where it stands for itself
// nowhere near Latin. Greek letters that name things in formulas and biology
// may stand beside Latin ones.
func poses(r rune) bool {
	switch r {
	case 'α', 'γ', 'ρ', 'σ', 'χ':
		return r == 'ρ'
	}
	return imitates(r)
}

// census is what a whole text says about its letters; a word alone does not
// tell whether "сор" is Russian or an imitation of Latin.
type census struct {
	latin           bool
	honest, posing  [8]int // letters by script that imitate nothing, and that do
	cjk, fullwidth  int
	foreignOrCompat bool
}

// speaks tells whether the text is partly in the script: then it has more
// letters of it that imitate nothing than one who wants to seem so puts in.
func (c *census) speaks(script int) bool {
	return c.honest[script] > 0 && 3*c.honest[script] >= c.posing[script]
}

func takeCensus(text string) census {
	var c census
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			c.latin = c.latin || isASCIILetter(r)
			continue
		case !unicode.In(r, unicode.L, unicode.So, unicode.Nd):
			continue
		case isFullwidth(r):
			c.fullwidth++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			c.cjk++
			continue
		}
		switch s := scriptOf(r); {
		case s >= 0 && imitates(r):
			c.posing[s]++
			c.foreignOrCompat = true
		case s >= 0:
			c.honest[s]++
			c.foreignOrCompat = true
		default:
			c.foreignOrCompat = c.foreignOrCompat || s == others || isCompat(r) || isRaised(r) || isCapital(r)
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
	script, second := apart, false
	letters, alike, first := 0, 0, -1
	firstLatin, lastLatin, lastForeign := -1, -1, -1
	betweenLatin, strangers := -1, 0 // of other scripts
	var stranger rune
	for i, r := range word {
		switch s := scriptOf(r); {
		case s == latin:
			lastLatin = i
			if firstLatin < 0 {
				firstLatin = i
			}
		case s == others:
			if strangers++; strangers == 1 {
				betweenLatin, stranger = i, r
			}
		case s >= 0:
			second = second || script >= 0 && s != script
			script = s
			letters++
			lastForeign = i
			if poses(r) {
				alike++
			}
			if first < 0 || alike == 1 && poses(r) {
				first, who = i, r
			}
		}
	}
	hasLatin := firstLatin >= 0
	switch {
	case strangers > 0 && firstLatin >= 0 && firstLatin < betweenLatin && betweenLatin < lastLatin, strangers > 0 && script >= 0:
		return betweenLatin, stranger, true
	case script < 0:
		return 0, 0, false
	case second:
		return first, who, true
	case hasLatin && !imitators[script].prefixes:
		return first, who, true
	case hasLatin:
		inside := firstLatin < lastForeign && lastForeign < lastLatin
		return first, who, inside || letters > 2 || alike > 0 && (imitators[script].table != unicode.Hebrew || !c.speaks(script))
	}
	// A word wholly of look-alikes in a text that has Latin words and nothing
	// else of that script. One Greek letter alone is a symbol.
	return first, who, c.latin && alike == letters && !c.speaks(script) && (letters > 1 || !imitators[script].prefixes)
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

// isCapital tells whether r is a small capital of phonetic notation, of which
// whole words are written to look like style.
func isCapital(r rune) bool {
	switch r {
	case 0x262, 0x26A, 0x274, 0x276, 0x280, 0x28F, 0x299, 0x29B, 0x29C, 0x29F, 0xA730, 0xA731, 0xA7AF:
		return true
	}
	return r >= 0x1D00 && r <= 0x1D2B && unicode.Is(unicode.Latin, r)
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
		case isRaised(r), isCapital(r):
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
