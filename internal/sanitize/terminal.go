package sanitize

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// ForTerminal returns the text as it may be printed to a person: new lines and
// tabs stay, every character that [Scan] calls hidden is written out as its
// number, such as \u{202E} or \u{1B}, and a byte that is no character as \xFF.
// Joiners that spelling needs are left out, because terminals disagree about
// their width; the words stay readable without them. The result holds no
// control, bidi or zero-width character, so it can neither drive the terminal
// nor reorder or hide a part of itself. It is not meant to be read back.
func ForTerminal(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	done := 0
	// What walk accepts is copied, less the joiners and the CR of CR LF.
	keep := func(part string) {
		for _, r := range part {
			if !isJoiner(r) && r != '\r' && r != 0x180E {
				b.WriteRune(r)
			}
		}
	}
	walk(text, func(at, size int, r rune, category string) bool {
		keep(text[done:at])
		if category == InvalidUTF8 {
			fmt.Fprintf(&b, `\x%02X`, text[at])
		} else {
			fmt.Fprintf(&b, `\u{%X}`, r)
		}
		done = at + size
		return true
	})
	keep(text[done:])
	return b.String()
}

// LineWidth is how many columns [Line] fills.
const LineWidth = 200

// Line returns the text as one line for a person: like [ForTerminal], with all
// white space folded into single blanks, and cut with … after [LineWidth]
// columns.
func Line(text string) string { return Fit(text, LineWidth) }

// Fit is [Line] for a given number of columns, at least one. East Asian wide
// characters and emoji take two columns, marks none.
func Fit(text string, columns int) string {
	// Escapes make text longer, never shorter in columns, so what is far
	// beyond the last column need not be looked at.
	if cut := columns * maxRunesPerColumn * utf8.UTFMax; len(text) > cut {
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…" // stands for the rest if it should fit
	}
	line := strings.Join(strings.Fields(ForTerminal(text)), " ")
	used, fits := 0, 0 // columns so far; length that leaves room for the …
	for i, r := range line {
		w := columnsOf(r)
		if used+w > columns {
			return strings.TrimRight(line[:fits], " ") + "…"
		}
		used += w
		if used < columns {
			fits = i + utf8.RuneLen(r)
		}
	}
	return line
}

// maxRunesPerColumn bounds how much of a text can fall into one column: blanks
// that fold, and marks.
const maxRunesPerColumn = 16

func columnsOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
