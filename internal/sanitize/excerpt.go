package sanitize

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Excerpt returns the part of a line around its character number col, from 1,
// that fits so many columns, and how many columns stand before that character.
// Each tab is a → and each character that a reader does not see its number, as
// [ForTerminal] writes it, whatever its neighbours are: who looks at a place
// wants to see what is there. Where the line is cut stands a ….
func Excerpt(line string, col, columns int) (shown string, before int) {
	at := 0
	for range col - 1 {
		if at == len(line) {
			break
		}
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	room := max(columns-2, 2) // less the … at both ends
	from, to, used, left := at, at, 0, 0
	// The place itself always, then two thirds of the room before it, the rest
	// behind it, and what is over before it again.
	grow := func(forward bool, upTo int) {
		for first := true; forward && to < len(line) || !forward && from > 0; first = false {
			r, size := utf8.DecodeRuneInString(line[to:])
			i := to
			if !forward {
				r, size = utf8.DecodeLastRuneInString(line[:from])
				i = from - size
			}
			w := Width(visible(r, size, line, i))
			if theOne := forward && first && to == at; used+w > upTo && !theOne {
				return
			}
			used += w
			if forward {
				to += size
			} else {
				from, left = from-size, left+w
			}
		}
	}
	grow(true, 1)
	grow(false, max(used, room*2/3))
	grow(true, room)
	grow(false, room)
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
		left++
	}
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(line[i:])
		b.WriteString(visible(r, size, line, i))
		i += size
	}
	if to < len(line) {
		b.WriteString("…")
	}
	return b.String(), left
}

// visible is what a person is shown of one character, which stands at i.
func visible(r rune, size int, line string, i int) string {
	switch category := category(r, size); {
	case r == '\t':
		return "→"
	case category == InvalidUTF8:
		return fmt.Sprintf(`\x%02X`, line[i])
	case category != "", isJoiner(r), r == '\n', isAccent(r) && piled(line[:i]):
		return fmt.Sprintf(`\u{%X}`, r)
	}
	return string(r)
}

// piled tells whether a letter at the end of a text has as many accents as it may.
func piled(text string) bool {
	for marks := 0; marks < maxMarks; {
		r, size := utf8.DecodeLastRuneInString(text)
		if !unicode.Is(unicode.M, r) {
			return false
		}
		if isAccent(r) {
			marks++
		}
		text = text[:len(text)-size]
	}
	return true
}

// Width is how many columns of a terminal a text takes that [ForTerminal] made.
func Width(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}
