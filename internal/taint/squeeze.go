package taint

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long a text must be for each way of comparing, in weight: a letter or digit
// of an alphabet weighs one, one of the scripts that write a syllable or a word
// with each sign weighs three.
const (
	gramWeight  = 12 // a part that two texts share
	wholeWeight = 6  // a whole value inside a text
	wordWeight  = 4  // a whole value that is a word of a text
)

func weightOf(r rune) int {
	if r < 0x2E80 {
		return 1
	}
	return 3
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func weight(squeezed string) int {
	if isASCII(squeezed) {
		return len(squeezed)
	}
	n := 0
	for _, r := range squeezed {
		n += weightOf(r)
	}
	return n
}

// squeeze leaves of a text its letters and digits, in lower case, without accents
// and in the plain form of letters that look the same. So neither case nor
// spaces, punctuation, characters without width or letters in fancy dress
// make two texts differ.
func squeeze(text string) string { return string(appendSqueezed(nil, text)) }

func appendSqueezed(b []byte, text string) []byte {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			switch {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
				b = append(b, c)
			case 'A' <= c && c <= 'Z':
				b = append(b, c|0x20)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		if r = plain(r); r != 0 {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// base has the letters without accents from U+00C0 to U+017F.
const base = "aaaaaaaceeeeiiiidnooooo*ouuuuytsaaaaaaaceeeeiiiidnooooo*ouuuuyty" +
	"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"

// alike has letters of Greek and Cyrillic, lower case, and the Latin ones that
// they look like.
const alike = "аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwкkмmтtвbнhαaοoρpνvτtιiκkυu"

// plain is a rune as squeeze leaves it; 0 is one that it drops.
func plain(r rune) rune {
	switch {
	case 0xFF01 <= r && r <= 0xFF5E: // full width
		r -= 0xFEE0
	case 0xE0020 <= r && r <= 0xE007E: // tags, which nobody sees
		r -= 0xE0000
	case 0x24B6 <= r && r <= 0x24E9: // in circles
		r = 'a' + (r-0x24B6)%26
	case 0x1D400 <= r && r <= 0x1D6A3: // of mathematics
		r = 'a' + (r-0x1D400)%26
	case 0x1D7CE <= r && r <= 0x1D7FF:
		r = '0' + (r-0x1D7CE)%10
	}
	if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		return 0
	}
	r = unicode.ToLower(r)
	if 0xC0 <= r && r < 0x180 {
		return rune(base[r-0xC0])
	}
	if 0x370 <= r && r < 0x530 {
		if i := strings.IndexRune(alike, r); i >= 0 {
			return rune(alike[i+utf8.RuneLen(r)])
		}
	}
	return r
}

// windows calls for each shortest piece of a squeezed text that has a weight,
// until it is told to stop.
func windows(squeezed string, least int, each func(from, to int) bool) {
	if isASCII(squeezed) {
		for from := 0; from+least <= len(squeezed); from++ {
			if !each(from, from+least) {
				return
			}
		}
		return
	}
	to, have := 0, 0
	for from, r := range squeezed {
		for have < least {
			if to == len(squeezed) {
				return
			}
			next, n := utf8.DecodeRuneInString(squeezed[to:])
			have += weightOf(next)
			to += n
		}
		if !each(from, to) {
			return
		}
		have -= weightOf(r)
	}
}

// words calls for each word of a text: what stands between blanks, quotes,
// brackets and commas, and each part of such a thing that has signs in it. Those
// that are too long to be looked for as words are left out.
func words(text string, each func(string)) {
	put := func(w string) {
		if wordWeight <= len(w) && len(w) <= utf8.UTFMax*wholeWeight || len(w) > 1 && w[0] >= utf8.RuneSelf {
			each(w)
		}
	}
	for w := range strings.FieldsFuncSeq(text, between) {
		put(number(strings.TrimFunc(w, sign)))
		if strings.ContainsFunc(w, sign) {
			for part := range strings.FieldsFuncSeq(w, sign) {
				put(part)
			}
		}
	}
}

func between(r rune) bool {
	switch r {
	case ' ', '\n', '\t', '\r', '"', '\'', '`', ',', ';', '(', ')', '[', ']', '{', '}', '<', '>', '|':
		return true
	}
	return r >= utf8.RuneSelf && (unicode.IsSpace(r) || strings.ContainsRune("“”‘’«»", r))
}

func sign(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// number writes a decimal number in the one form that all its spellings share; a
// text that is none stays what it is.
func number(s string) string {
	if s == "" || len(s) > 40 || s[0] > '9' || !strings.Contains(s, ".") {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func rot13(squeezed string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return 'a' + (r-'a'+13)%26
		}
		return r
	}, squeezed)
}

func reversed(s string) string {
	b := make([]byte, 0, len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		b = append(b, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	return string(b)
}
