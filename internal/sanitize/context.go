package sanitize

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is how many accents may stand on one letter. Vietnamese and
// phonetic notation need two or three; more reaches into other lines.
const maxMarks = 3

// scanner walks a text once and remembers what the exceptions need: the two
// characters before, the last letter, and how many marks it carries.
type scanner struct {
	prev, prev2 rune
	base        rune // last character that is not a mark
	marks       int
}

// walk calls yield for every character that a reader would not see, with its
// offset, size and category, and stops when yield returns false.
func walk(text string, yield func(at, size int, r rune, category string) bool) {
	var s scanner
	for i := 0; i < len(text); {
		if c := text[i]; c >= 0x20 && c < 0x7F || c == '\n' || c == '\t' {
			s.push(rune(c))
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == blackFlag {
			if n := subdivisionFlag(text[i+size:]); n > 0 {
				s.push(r)
				i += size + n
				continue
			}
		}
		cat := category(r, size)
		if cat != "" && s.allowed(r, cat, text[i+size:]) {
			cat = ""
		}
		if cat == "" && s.marks >= maxMarks && isAccent(r) {
			cat = StackedMarks
		}
		if cat != "" && !yield(i, size, r, cat) {
			return
		}
		s.push(r)
		i += size
	}
}

func (s *scanner) push(r rune) {
	s.prev2, s.prev = s.prev, r
	switch {
	case r < 0x300 || !unicode.Is(unicode.M, r):
		s.base, s.marks = r, 0
	case isAccent(r):
		s.marks++
	}
}

// isAccent tells whether r is a mark that any script may carry. The vowel and
// cantillation signs of one script stack by rule and are never counted.
func isAccent(r rune) bool {
	return r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me) && unicode.Is(unicode.Inherited, r) &&
		category(r, utf8.RuneLen(r)) == ""
}

// allowed tells whether the characters around r give it a place in ordinary
// writing.
func (s *scanner) allowed(r rune, cat, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case r == '\r':
		return next == '\n' // a return alone overwrites the line on a terminal
	case cat == VariationSelector:
		return s.selects(r, next)
	case r == 0x200C:
		return s.joins(next) || isVirama(s.prev)
	case r == 0x200D:
		return s.emojiBefore() && isEmoji(next) || isVirama(s.prev) ||
			unicode.In(s.base, joining...) && unicode.IsLetter(s.base) && !isJoiner(s.prev) ||
			unicode.IsLetter(s.prev) && s.prev > 0x900 && isVirama(next)
	case r == 0x180E:
		return unicode.Is(unicode.Mongolian, s.prev) && unicode.IsLetter(s.prev) && unicode.Is(unicode.Mongolian, next)
	}
	return false
}

// emojiBefore tells whether an emoji has just ended, with or without a skin
// tone or a presentation selector.
func (s *scanner) emojiBefore() bool {
	return isEmoji(s.prev) || isSkinTone(s.prev) || s.prev == emojiStyle && isEmoji(s.prev2)
}

// joining lists the scripts whose letters change shape with their neighbours,
// so that U+200C and U+200D are part of spelling (RFC 5892 A.1 and A.2).
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Phags_Pa,
	unicode.Manichaean, unicode.Psalter_Pahlavi, unicode.Hanifi_Rohingya, unicode.Sogdian, unicode.Adlam, unicode.Chorasmian,
}

// joins tells whether a non-joiner stands once between two letters of a
// joining script, as in Persian compounds.
func (s *scanner) joins(next rune) bool {
	return unicode.In(s.base, joining...) && unicode.IsLetter(s.base) && !isJoiner(s.prev) &&
		unicode.In(next, joining...) && unicode.IsLetter(next)
}

func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// isVirama tells whether r is the sign that kills a vowel (combining class
// 9); a joiner beside it chooses the form of an Indic conjunct.
func isVirama(r rune) bool {
	return r >= 0x900 && norm.NFC.PropertiesString(string(r)).CCC() == 9
}

// selects tells whether a variation selector follows a character that has such
// a variant. Selectors never follow each other, so that a row of them, which
// is how bytes are smuggled, always shows.
func (s *scanner) selects(r, next rune) bool {
	switch {
	case r == emojiStyle || r == textStyle:
		return isEmoji(s.prev) && !isSkinTone(s.prev) || isKeycap(s.prev) && next == keycapFrame
	case r >= 0xFE00 && r <= 0xFE02 && unicode.Is(unicode.Han, s.prev):
		return unicode.IsLetter(s.prev)
	case r == 0xFE00:
		return hasVariant(s.prev)
	case r >= 0xE0100 && r <= 0xE012F:
		// The ideographic variation database uses no selector above this, and
		// below it lies no letter of the usual byte smuggling.
		return unicode.Is(unicode.Han, s.prev) && unicode.IsLetter(s.prev)
	case r >= 0x180B && r <= 0x180F:
		return unicode.Is(unicode.Mongolian, s.prev) && unicode.IsLetter(s.prev)
	}
	return false
}

// hasVariant lists the mathematical operators and the letters of Myanmar and
// Phags-pa that StandardizedVariants.txt gives a form with U+FE00.
func hasVariant(r rune) bool {
	switch r {
	case 0x2205, 0x2229, 0x222A, 0x2268, 0x2269, 0x2272, 0x2273, 0x228A, 0x228B, 0x2293, 0x2294, 0x2295, 0x2297,
		0x229C, 0x22DA, 0x22DB, 0x2A3C, 0x2A3D, 0x2A9D, 0x2A9E, 0x2AAC, 0x2AAD, 0x2ACB, 0x2ACC:
		return true
	}
	return unicode.In(r, unicode.Myanmar, unicode.Phags_Pa) && unicode.IsLetter(r)
}
