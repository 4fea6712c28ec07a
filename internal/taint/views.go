package taint

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
)

const (
	decodeDepth = 3  // encodings inside encodings
	shortCode   = 8  // characters of the shortest run that is tried
	longCode    = 16 // of one that is tried in more ways

	// How many times its length is read of a text: the first is about what one text can
	// stand for in all encodings, the other holds for each further round, up to so many
	// bytes. What is beyond would push everything else out of the history.
	firstBudget, laterBudget = 8, 4
	mostLater                = limits.MiB
)

// decoded calls for each text that a part of a text stands for in a usual
// encoding, and for what those stand for in turn, with the names of the encodings
// from the outermost on. It reads no more than some times what it was given.
//
// Everything is read once before anything is read twice, and what is short before
// what is long: else a text could hide what it says behind so much of other codes
// that nobody comes to it.
func decoded(text string, each func(how, text string)) {
	level := []view{{"", text}}
	budget := firstBudget*len(text) + 1024
	for range decodeDepth {
		var next []view
		for _, v := range level {
			decode(v.text, func(name, text string) {
				if text == "" || text == v.text || budget < len(text) {
					return
				}
				budget -= len(text)
				if v.how != "" {
					name = v.how + "+" + name
				}
				each(name, text)
				next = append(next, view{name, text})
			})
		}
		slices.SortStableFunc(next, func(a, b view) int { return len(a.text) - len(b.text) })
		level, budget = next, min(laterBudget*len(text)+1024, mostLater)
	}
}

// view is one reading of a text.
type view struct{ how, text string }

// decode calls for what stands in a text in one encoding.
func decode(text string, found func(name, view string)) {
	if strings.Contains(text, "%") {
		found("percent", percent(text))
	}
	if strings.Contains(text, `\`) {
		found("escaped", unescaped(text))
	}
	if i := strings.IndexByte(text, '&'); i >= 0 && strings.Contains(text[i:], ";") {
		found("entities", html.UnescapeString(text))
	}
	if v, ok := spelled(text); ok {
		found("spelled", v)
	}
	hexRuns(text, func(v string) { found("hex", v) })
	numberRuns(text, func(v string) { found("codes", v) })
	runs(text, func(run string) {
		by := func(name string) func(string) { return func(v string) { found(name, v) } }
		fromBase64(run, by("base64"))
		if len(run) >= longCode {
			fromBase64(reversed(run), by("reversed+base64"))
			fromBase64(rot13Letters(run), by("rot13+base64"))
			fromBase32(run, by("base32"))
		}
	})
}

// stretches calls for each run of readable characters in bytes that is long
// enough: what stands around a code may have been taken for a part of it.
func stretches(b []byte, least int, each func(string)) {
	from := 0
	for i := 0; i <= len(b); {
		r, n := utf8.RuneError, 1
		if i < len(b) {
			r, n = utf8.DecodeRune(b[i:])
		}
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7F {
			if i-from >= least {
				each(string(b[from:i]))
			}
			from = i + n
		}
		i += n
	}
}

func inBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

// runs calls for each run of the letters of base64, and for lines of nothing else
// as one.
func runs(text string, each func(string)) {
	var lines strings.Builder
	joined := 0
	flush := func() {
		if joined > 1 {
			each(lines.String())
		}
		lines.Reset()
		joined = 0
	}
	for i := 0; i < len(text); {
		if !inBase64(text[i]) {
			if c := text[i]; c != '\n' && c != '\r' && c != ' ' && c != '\t' {
				flush()
			}
			i++
			continue
		}
		from := i
		for i < len(text) && inBase64(text[i]) {
			i++
		}
		if i-from >= shortCode {
			each(text[from:i])
		}
		if joined > 0 && !strings.ContainsAny(text[max(0, from-2):from], "\n\r") {
			flush()
		}
		lines.WriteString(text[from:i])
		joined++
	}
	flush()
}

// fromBase64 reads a run that is a code as a whole or, when it is long, from any of
// its first four characters on.
func fromBase64(run string, each func(string)) {
	code := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		code = base64.RawURLEncoding
	}
	starts, least := 1, len(run)/2
	if len(run) >= longCode {
		starts, least = 4, longCode/2
	}
	for i := range starts {
		c := strings.TrimRight(run[i:], "=")
		if len(c)%4 == 1 {
			c = c[:len(c)-1]
		}
		// The first characters tell of most words that they are none, without a copy.
		var head [3]byte
		if len(c) < 4 {
			break
		}
		if _, err := code.Decode(head[:], []byte(c[:4])); starts == 1 && (err != nil || head[0] < '\t' || head[0] > 0xF4) {
			break
		}
		b, _ := code.DecodeString(c) // up to what is none
		stretches(b, least, each)
	}
}

func fromBase32(run string, each func(string)) {
	run = strings.ToUpper(strings.TrimRight(run, "="))
	if len(run) < longCode {
		return
	}
	b, _ := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(run)
	stretches(b, longCode/2, each)
}

func rot13Letters(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case 'A' <= r && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

func hexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// hexRuns calls for what runs of hexadecimal digits stand for, also where pairs
// stand apart or have a prefix.
func hexRuns(text string, each func(string)) {
	var digits []byte
	gap := 0
	flush := func() {
		for i := 0; i < 2 && len(digits)-i >= shortCode; i++ {
			b := make([]byte, (len(digits)-i)/2)
			if _, err := hex.Decode(b, digits[i:i+2*len(b)]); err == nil {
				stretches(b, shortCode/2, each)
			}
		}
		digits, gap = digits[:0], 0
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case hexDigit(c) && (c != '0' || i+1 == len(text) || text[i+1]|0x20 != 'x'):
			if gap > 0 && len(digits)%2 == 1 {
				flush() // words, not pairs
			}
			digits, gap = append(digits, c), 0
		case len(digits) > 0 && gap < 4 && strings.IndexByte(" :,-\\x0X\n", c) >= 0:
			gap++
		default:
			flush()
		}
	}
	flush()
}

// numberRuns calls for what lists of the numbers of characters stand for.
func numberRuns(text string, each func(string)) {
	var b []byte
	flush := func() {
		if len(b) >= shortCode {
			each(string(b))
		}
		b = b[:0]
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c < '0' || c > '9' {
			if c != ' ' && c != ',' && c != '\n' {
				flush()
			}
			i++
			continue
		}
		from := i
		for i < len(text) && '0' <= text[i] && text[i] <= '9' {
			i++
		}
		n, err := strconv.Atoi(text[from:min(i, from+4)])
		if err != nil || n < ' ' || n > '~' {
			flush()
			continue
		}
		b = append(b, byte(n))
	}
	flush()
}

// percent undoes %XX wherever it stands, and the + that stands for a blank.
func percent(text string) string {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && hexDigit(text[i+1]) && hexDigit(text[i+2]) {
			n, _ := strconv.ParseUint(text[i+1:i+3], 16, 8)
			b = append(b, byte(n))
			i += 2
			continue
		}
		b = append(b, text[i])
	}
	return string(b)
}

// unescaped undoes the escapes of JSON and of programming languages.
func unescaped(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		text = text[i:]
		r, multibyte, rest, err := strconv.UnquoteChar(text, 0)
		switch {
		case err != nil: // \/ and \" and what is no escape
			text = text[1:]
			continue
		case multibyte || r < utf8.RuneSelf:
			b.WriteRune(r)
		default:
			b.WriteByte(byte(r))
		}
		text = rest
	}
	b.WriteString(text)
	return b.String()
}

// spelled drops the words by which people write punctuation, if a text has them.
func spelled(text string) (string, bool) {
	low := strings.ToLower(text)
	if !strings.Contains(low, "dot") && !strings.Contains(low, "slash") {
		return "", false
	}
	var b strings.Builder
	n := 0
	for w := range strings.FieldsFuncSeq(low, func(r rune) bool { return between(r) }) {
		switch w {
		case "dot", "at", "slash", "dash", "hyphen", "underscore", "colon", "point":
			n++
		default:
			b.WriteString(w)
			b.WriteByte(' ')
		}
	}
	return b.String(), n > 0
}
