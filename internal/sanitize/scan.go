package sanitize

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Hit is one character that a reader would not see or would misread.
type Hit struct {
	Category string
	Offset   int // in bytes, from 0
	Line     int // from 1
	Col      int // in characters, from 1
	Rune     rune
}

// MaxHits is how many hits [Scan] returns; a text with more of them is not
// judged by counting.
const MaxHits = 10_000

// Scan returns what a reader of the text would not see or would misread, in
// the order of the text; nil for clean text. Hits of one kind in a row are
// separate hits.
func Scan(text string) []Hit {
	if isPlain(text) {
		return nil
	}
	var hits []Hit
	walk(text, func(at, _ int, r rune, category string) bool {
		hits = append(hits, Hit{Category: category, Offset: at, Rune: r})
		return len(hits) < MaxHits
	})
	hidden := len(hits)
	words(text, func(at int, r rune, category string) bool {
		hits = append(hits, Hit{Category: category, Offset: at, Rune: r})
		return len(hits)-hidden < MaxHits
	})
	if hidden < len(hits) {
		slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(a.Offset, b.Offset) })
		hits = hits[:min(len(hits), MaxHits)]
	}
	place(text, hits)
	return hits
}

// Misread tells whether the category is about characters that show, but not as
// what they are; the others do not show at all.
func Misread(category string) bool {
	return category == Homoglyph || category == CompatLetter || category == StackedMarks
}

// Hidden returns the first character of a text that its reader does not see;
// ok is false where there is none. Characters that show, but as something else,
// do not count.
func Hidden(text string) (h Hit, ok bool) {
	for _, h := range Scan(text) {
		if !Misread(h.Category) {
			return h, true
		}
	}
	return Hit{}, false
}

// Reveal decodes what a row of hidden characters spells in the two usual
// encodings, tag characters and bytes as variation selectors; "" when the hits
// carry neither. The answer is printable ASCII, a dot for anything else.
func Reveal(hits []Hit) string {
	var b strings.Builder
	for _, h := range hits {
		c := rune(-1)
		switch r := h.Rune; {
		case h.Category == TagCharacter:
			c = r - 0xE0000
		case h.Category != VariationSelector:
		case r >= 0xFE00 && r <= 0xFE0F:
			c = r - 0xFE00
		case r >= 0xE0100:
			c = r - 0xE0100 + 16
		}
		switch {
		case c < 0:
		case c >= 0x20 && c < 0x7F:
			b.WriteRune(c)
		default:
			b.WriteByte('.')
		}
	}
	return b.String()
}

// isPlain tells whether the text is printable ASCII, tabs and new lines.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 0x20 || c >= 0x7F) && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// place fills in lines and columns in one walk; hits are sorted by offset.
func place(text string, hits []Hit) {
	line, begin, from, col := 1, 0, 0, 1
	for i := range hits {
		at := hits[i].Offset
		part := text[from:at]
		if n := strings.Count(part, "\n"); n > 0 {
			line += n
			begin = from + strings.LastIndexByte(part, '\n') + 1
			part, col = text[begin:at], 1
		}
		col += utf8.RuneCountInString(part)
		from = at
		hits[i].Line, hits[i].Col = line, col
	}
}
