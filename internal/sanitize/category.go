package sanitize

import (
	"unicode"
	"unicode/utf8"
)

// The categories of a [Hit]. Their spelling is stable: findings, audit records
// and quarantine flags repeat it.
const (
	TagCharacter      = "tag_character"      // U+E0000-E007F, an invisible ASCII
	BidiOverride      = "bidi_override"      // makes text read in another order than it is stored
	ZeroWidth         = "zero_width"         // joiners, invisible operators, byte order marks
	SoftHyphen        = "soft_hyphen"        // splits a word for a program, not for a reader
	VariationSelector = "variation_selector" // 256 values that no glyph shows
	Control           = "control"            // C0, C1, DEL and a carriage return alone; ESC drives terminals
	PrivateUse        = "private_use"        // means whatever the sender's font says
	Noncharacter      = "noncharacter"       // never text
	Unassigned        = "unassigned"         // not in Unicode 15, so nobody can tell how it shows
	LineSeparator     = "line_separator"     // a new line for some programs and none for others
	Filler            = "filler"             // letters that are drawn as nothing
	Format            = "format"             // deprecated, annotation, shorthand and musical controls
	InvalidUTF8       = "invalid_utf8"       // bytes that are no character
	StackedMarks      = "stacked_marks"      // accents piled over the neighbouring lines
	Homoglyph         = "homoglyph"          // a word of several scripts that look alike
	CompatLetter      = "compat_letter"      // Latin words in full-width, mathematical or circled letters
)

// category tells what hides in a character whatever its neighbours are; ""
// is an ordinary character. The exceptions that neighbours earn are in
// context.go. Blanks of another width than U+0020 are not listed: a reader
// sees that something stands there.
func category(r rune, size int) string {
	switch {
	case r < 0x20 && r != '\n' && r != '\t', r >= 0x7F && r <= 0x9F:
		return Control
	case r < 0xAD:
		return ""
	case r == utf8.RuneError && size == 1:
		return InvalidUTF8
	case r == 0xAD:
		return SoftHyphen
	case r >= 0xE0000 && r <= 0xE007F:
		return TagCharacter
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r >= 0x180B && r <= 0x180D, r == 0x180F:
		return VariationSelector
	case r == 0x61C, r == 0x200E, r == 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return BidiOverride
	case r >= 0x200B && r <= 0x200D, r >= 0x2060 && r <= 0x2064, r == 0xFEFF, r == 0x180E, r == 0x34F:
		return ZeroWidth
	case r == 0x2028, r == 0x2029:
		return LineSeparator
	case isFiller(r):
		return Filler
	case r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE:
		return Noncharacter
	case unicode.Is(unicode.Co, r):
		return PrivateUse
	case unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r), r == 0xFFFC:
		return Format
	case !assigned(r):
		return Unassigned
	}
	return ""
}

// isFiller lists the letters and symbols whose glyph is empty: Hangul fillers,
// the Braille blank, the Khmer inherent vowels, the null notehead, the Khitan
// filler. Unicode classes them as ordinary, so no property finds them.
func isFiller(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x17B4, 0x17B5, 0x1D159, 0x16FE4:
		return true
	}
	return false
}

// assigned tells whether Unicode 15 knows r. Code points set aside for coming
// emoji count as known: a new emoji is no reason to refuse a text.
func assigned(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf) ||
		r >= 0x1F000 && r <= 0x1FAFF
}
