package quarantine

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// minSpaced is how many single letters in a row are no list.
const minSpaced = 8

// spaced finds letters set apart from each other, as in "i g n o r e".
func spaced(text string) (at int, says string) {
	if strings.ContainsFunc(text, isWideSpacer) { // each as long as it was, so that places stay
		var b strings.Builder
		for _, r := range text {
			if isWideSpacer(r) {
				b.WriteString("   "[:utf8.RuneLen(r)])
			} else {
				b.WriteRune(r)
			}
		}
		text = b.String()
	}
	begin, count := -1, 0
	var separator byte
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		next := i + size
		single := (unicode.IsLetter(r) || unicode.IsDigit(r)) && r < 0x2E80
		width := 0 // of the separator behind it
		for single && next+width < len(text) && width < 4 && isSpacer(text[next+width]) {
			width++
		}
		switch {
		case single && (width > 0 || next == len(text) || begin >= 0) && (begin < 0 || width == 0 || text[next] == separator):
			if begin < 0 {
				begin, separator = i, text[next%len(text)]
			}
			if count++; b.Len() < 200 {
				b.WriteRune(r)
				if width > 1 {
					b.WriteByte(' ')
				}
			}
			if width > 0 {
				i = next + width
				continue
			}
			fallthrough // the last of the row
		default:
			if count >= leastSpaced(separator) && !ordered(b.String()) {
				return begin, b.String()
			}
			begin, count = -1, 0
			b.Reset()
			i = next
			for single && i < len(text) && !isSpacer(text[i]) && text[i] != '\n' { // the rest of the word
				i++
			}
		}
	}
	if count >= leastSpaced(separator) && !ordered(b.String()) {
		return begin, b.String()
	}
	return -1, ""
}

// leastSpaced is how many letters are no list: with commas a list is longer.
func leastSpaced(separator byte) int {
	if separator == ',' {
		return 4 * minSpaced
	}
	return minSpaced
}

// isWideSpacer tells of what looks like a blank or a dot and is none of ASCII.
func isWideSpacer(r rune) bool {
	return r >= 0xA0 && r < 0x10000 && unicode.Is(unicode.Zs, r) || r == '·' || r == '•' || r == '‧' || r == '∙' || r == '⋅'
}

func isSpacer(c byte) bool {
	return c == ' ' || c == ',' || c == '.' || c == '-' || c == '_' || c == '*' || c == '|' || c == '/' || c == '\n'
}

// ordered tells whether the letters are an alphabet, a row of numbers, or one
// letter again and again.
func ordered(s string) bool {
	steps, n := 0, 0
	last := rune(-1)
	for _, r := range s {
		if r == ' ' {
			continue
		}
		if n++; r == last || r == last+1 || unicode.IsDigit(r) {
			steps++
		}
		last = r
	}
	return steps*2 > n
}

// Words that no English text can do without. Those of three letters and more
// are what a text is known by; by chance a row of letters holds the short ones.
var commonWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for from with this that are you your not all any into before after when then only also
		to of in is it by or as on be at an if do no me we so must always never should will can make sure use using run send file files
		user tool tools data task tasks instructions ignore previous prompt system every follow first call include secret password
		key keys read write delete email message other these without please important tell them have has been which there their`) {
		words[w] = true
	}
	return words
})

// windowOf is how many words are judged together, and the number of common
// words among them that makes a reading of them English.
const (
	windowOf   = 12
	minCommon  = 3
	maxWordLen = 24
)

// disguisedWords finds words that are English only after every letter was
// shifted by the same number, or read backwards, or after digits were read as
// letters, and returns the first line of them.
func disguisedWords(text string) (line int, kind, says string) {
	window := make([]string, 0, windowOf)
	at := 1
	for n, row := range lines(text) {
		if strings.Contains(row, "6") && strings.Contains(row, "E") { // what e and t are shifted to
			if read := rotated47(row); windowReads(row, read) {
				return n, "shifted", read
			}
		}
		for w := range strings.FieldsSeq(row) {
			if len(w) > maxWordLen || len(w) < 2 {
				continue
			}
			if len(window) == 0 {
				at = n
			}
			window = append(window, trimWord(strings.ToLower(w)))
			if len(window) == windowOf {
				if kind, says := unmask(window); kind != "" {
					return at, kind, says
				}
				window = append(window[:0], window[windowOf/2:]...)
				at = n
			}
		}
	}
	if kind, says := unmask(window); kind != "" {
		return at, kind, says
	}
	return 0, "", ""
}

// windowReads tells whether a line is English after a reading and was not before.
func windowReads(row, read string) bool {
	window := make([]string, 0, windowOf)
	before, after := strings.Fields(row), strings.Fields(strings.ToLower(read))
	if len(after) < 4 || len(before) != len(after) {
		return false
	}
	for i := 0; i < len(after); i += windowOf {
		window = window[:0]
		for _, w := range after[i:min(len(after), i+windowOf)] {
			if len(w) <= maxWordLen {
				window = append(window, trimWord(w))
			}
		}
		if english(window, nil) > minCommon {
			return true
		}
	}
	return false
}

// trimWord takes punctuation off a word, but not what stands for a letter.
func trimWord(w string) string { return strings.Trim(w, `.,;:!?()[]{}"'*_<>`+"`") }

// unmask looks for a reading of the words that is English where they are not.
func unmask(words []string) (kind, says string) {
	if len(words) < 4 || english(words, nil) >= minCommon {
		return "", ""
	}
	if mixed := countMixed(words); mixed >= minCommon {
		for _, one := range [...]rune{'i', 'l'} {
			read := func(w string) string { return fromLeet(w, one) }
			if english(words, read) >= minCommon {
				return "leetspeak", joinRead(words, read)
			}
		}
	}
	if english(words, reversed) >= minCommon {
		return "reversed", joinRead(words, reversed)
	}
	if english(words, uprighted) >= minCommon {
		return "upside down", joinRead(words, uprighted)
	}
	if !latinWords(words) {
		return "", ""
	}
	if english(words, mirrored) > minCommon {
		return "mirrored", joinRead(words, mirrored)
	}
	for by := 1; by < 26; by++ {
		read := func(w string) string { return shifted(w, by) }
		if english(words, read) > minCommon {
			return "shifted", joinRead(words, read)
		}
	}
	return "", ""
}

// english counts the different common words that come out, of which at least
// two must have three letters or more.
func english(words []string, read func(string) string) int {
	common := commonWords()
	found, long := 0, 0
	for i, w := range words {
		if read != nil {
			if w = read(w); w == words[i] {
				continue // what reads the same says nothing
			}
		}
		if common[w] && !slices.Contains(words[:i], words[i]) {
			found++
			if len(w) > 2 {
				long++
			}
		}
	}
	if long < 2 {
		return 0
	}
	return found
}

func joinRead(words []string, read func(string) string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = read(w)
	}
	return strings.Join(out, " ")
}

// latinWords tells whether most words are letters alone, which only such a text
// can be shifted.
func latinWords(words []string) bool {
	n := 0
	for _, w := range words {
		if strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) < 0 && w != "" {
			n++
		}
	}
	return n*2 > len(words)
}

func shifted(w string, by int) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 'a' + (r-'a'+rune(by))%26
		}
		return r
	}, w)
}

func reversed(w string) string {
	b := []byte(w)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// countMixed counts words in which digits stand among or for letters.
func countMixed(words []string) int {
	n := 0
	for _, w := range words {
		if strings.ContainsAny(w, "013457$@!") && strings.IndexFunc(w, unicode.IsLetter) >= 0 {
			n++
		}
	}
	return n
}

// fromLeet reads digits and signs as the letters that they are drawn like.
func fromLeet(w string, one rune) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '0':
			return 'o'
		case '1', '!', '|':
			return one
		case '3':
			return 'e'
		case '4', '@':
			return 'a'
		case '5', '$':
			return 's'
		case '6', '9':
			return 'g'
		case '7', '+':
			return 't'
		case '8':
			return 'b'
		}
		return r
	}, w)
}

// lines yields the lines of a text with their numbers, from 1.
func lines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for row := range strings.Lines(text) {
			if n++; !yield(n, row) {
				return
			}
		}
	}
}

// plain is a text as its reader takes it; see [sanitize.Plain].
func plain(text string) string { return sanitize.Plain(text) }
