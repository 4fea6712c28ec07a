package quarantine

import (
	"encoding/ascii85"
	"slices"
	"strings"
	"unicode/utf8"
)

// From how many signs on a row of them is a text.
const (
	minMorse    = 10 // letters, of which so many differ:
	minAlphabet = 5
	minBraille  = 16
	min85       = 32
)

// cipher finds text in another writing: Morse, Braille and base 85.
func cipher(text string) (at int, kind, says string) {
	begin, letters := -1, 0
	var codes []string
	braille := 0
	for i, w := range wordsBetweenBlanks(text) {
		if code, ok := morseCode(w); ok {
			if code == "" {
				continue // between words
			}
			if letters == 0 {
				begin, codes = i, codes[:0]
			}
			if letters++; len(codes) < minAlphabet && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
			if letters >= minMorse && len(codes) >= minAlphabet {
				return begin, "Morse code", ""
			}
			continue
		}
		letters = 0
		for j, r := range w {
			if r > 0x2800 && r <= 0x28FF {
				if braille++; braille >= minBraille {
					return i + j, "Braille", ""
				}
			}
		}
		if says, ok := from85(w); ok {
			return i, "base85", says
		}
	}
	return -1, "", ""
}

func wordsBetweenBlanks(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		begin := -1
		for i := 0; i <= len(text); i++ {
			if i < len(text) && !strings.ContainsRune(" \t\r\n", rune(text[i])) {
				if begin < 0 {
					begin = i
				}
				continue
			}
			if begin >= 0 && !yield(begin, text[begin:i]) {
				return
			}
			begin = -1
		}
	}
}

// morseCode reads one letter, "" for what stands between words.
func morseCode(w string) (code string, ok bool) {
	if w == "/" || w == "|" || w == "//" {
		return "", true
	}
	if len(w) > 5*utf8.UTFMax {
		return "", false
	}
	var b strings.Builder
	for _, r := range w {
		switch r {
		case '.', '·', '•', '∙', '●':
			b.WriteByte('.')
		case '-', '_', '–', '—', '−', '▬':
			b.WriteByte('-')
		default:
			return "", false
		}
	}
	return b.String(), b.Len() <= 5
}

// from85 reads a word as base 85, in both alphabets that are in use.
func from85(w string) (says string, ok bool) {
	w = strings.TrimSuffix(strings.TrimPrefix(w, "<~"), "~>")
	if len(w) < min85 {
		return "", false
	}
	w = w[:min(len(w), maxBlob)/5*5]
	out := make([]byte, 4*len(w)) // z stands for four zeros
	if n, _, err := ascii85.Decode(out, []byte(w), true); err == nil {
		if says, ok = readable(out[:n]); ok {
			return says, true
		}
	}
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	out = out[:0]
	for i := 0; i < len(w); i += 5 {
		n := uint64(0)
		for j := range 5 {
			digit := strings.IndexByte(alphabet, w[i+j])
			if digit < 0 {
				return "", false
			}
			n = n*85 + uint64(digit)
		}
		out = append(out, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return readable(out)
}

// rotated47 shifts every printable character of ASCII by 47.
func rotated47(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r <= '~' {
			return '!' + (r-'!'+47)%94
		}
		return r
	}, s)
}

// mirrored reads letters as counted from the other end of the alphabet.
func mirrored(w string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 'a' + 'z' - r
		}
		return r
	}, w)
}

// uprighted reads a word that is drawn upside down, last letter first.
func uprighted(w string) string {
	const turned, upright = "ɐqɔpǝɟƃɓɥᴉıɾʞlʃɯuodbɹsʇnʌʍxʎz", "abcdefgghiijkllmnopqrstuvwxyz"
	if strings.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return reversed(strings.NewReplacer("q", "b", "b", "q", "p", "d", "d", "p", "n", "u", "u", "n").Replace(w))
	}
	out := make([]byte, 0, len(w))
	for _, r := range w {
		c := byte('?')
		if i := strings.IndexRune(turned, r); i >= 0 {
			c = upright[utf8.RuneCountInString(turned[:i])]
		}
		out = append(out, c)
	}
	return reversed(string(out))
}
