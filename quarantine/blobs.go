package quarantine

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/spec"
)

// Sizes from which a row of encoded characters is looked at.
const (
	minBlob    = 24      // base64 and base32 that decode to text
	minHex     = 24      // hexadecimal that decodes to text
	minUnknown = 160     // a row that decodes to nothing readable
	minEscapes = 6       // escapes of letters that need none
	maxBlob    = 1 << 14 // bytes of one row that are decoded
)

// encoded finds text that a person cannot read and a model can: rows of
// base64, base32, hexadecimal or bits, escapes for letters that need none,
// spaced-out letters, and words in leetspeak, reversed or shifted by some letters.
func encoded(text string) []remark {
	var out []remark
	found := func(at int, seen string, args ...any) {
		r := remark{rule: encodedText, line: 1 + strings.Count(text[:at], "\n")}
		r.format(seen, args...)
		out = append(out, r)
	}
	if at, kind, says := blob(text); at >= 0 {
		if says == "" {
			found(at, "has a row of characters that looks like %s", kind)
		} else {
			found(at, "has %s that says %s", kind, spec.Quote(says))
		}
	}
	if at, kind, says := cipher(text); at >= 0 {
		found(at, "has %s %s", kind, spec.Quote(says))
	}
	if at, says := escapes(text); at >= 0 {
		found(at, "has letters written as escapes, which say %s", spec.Quote(says))
	}
	if at, says := spaced(text); at >= 0 {
		found(at, "has letters set apart, which say %s", spec.Quote(says))
	}
	if line, kind, says := disguisedWords(text); line > 0 {
		r := remark{rule: encodedText, line: line}
		r.format("has %s words, which say %s", kind, spec.Quote(says))
		out = append(out, r)
	}
	return out
}

// blob finds the first row of encoded characters, what it is and what it says.
// Rows with blanks or line ends between them count as one if each of them looks
// encoded by itself.
func blob(text string) (at int, kind, says string) {
	var row strings.Builder
	begin := -1
	for i := 0; i < len(text); {
		for i < len(text) && !isBlobByte(text[i]) {
			if !isBlank(text[i]) {
				if kind, says := decodeRow(row.String()); kind != "" {
					return begin, kind, says
				}
				begin = -1
				row.Reset()
			}
			i++
		}
		from := i
		for i < len(text) && isBlobByte(text[i]) {
			i++
			if text[i-1] == '=' && i < len(text) && text[i] != '=' && isBlobByte(text[i]) {
				break // a name and its value
			}
		}
		piece := text[from:i]
		if i < len(text) && isBlobByte(text[i]) {
			piece = strings.TrimRight(piece, "=")
		}
		switch {
		case piece == "":
		case !looksEncoded(piece):
			if kind, says := decodeRow(row.String()); kind != "" {
				return begin, kind, says
			}
			begin = -1
			row.Reset()
		default:
			if begin < 0 {
				begin = from
			}
			if row.Len() < maxBlob {
				row.WriteString(piece)
			}
		}
	}
	kind, says = decodeRow(row.String())
	if kind == "" {
		return -1, "", ""
	}
	return begin, kind, says
}

func isBlobByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '=' || c == '_' || c == '-'
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == '"' || c == '\'' || c == '`' || c == ':' || c == '.' || c == ';' || c == '|'
}

// looksEncoded tells whether a piece is no word: it has digits or changes case
// inside, or is longer than words are.
func looksEncoded(piece string) bool {
	if len(piece)%2 == 0 && isOver(piece, "0123456789abcdefABCDEF") && (len(piece) >= 4 || strings.ContainsAny(piece, "0123456789")) {
		return true
	}
	digits, upper, lower, changes := 0, 0, 0, 0
	for i := range len(piece) {
		c := piece[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z':
			upper++
			if i > 0 && piece[i-1] >= 'a' && piece[i-1] <= 'z' {
				changes++
			}
		case c >= 'a' && c <= 'z':
			lower++
		}
	}
	return len(piece) >= 4 && (digits > 0 && upper+lower > 0 || changes > 0 || strings.HasSuffix(piece, "=")) ||
		len(piece) >= minBlob && lower == 0 || digits == len(piece) && digits >= 2
}

// decodeRow tells what a row is, and what it says if that is text.
func decodeRow(row string) (kind, says string) {
	if len(row) < minHex {
		return "", ""
	}
	row = row[:min(len(row), maxBlob)]
	if isOver(row, "01") && len(row) >= 32 {
		if says, ok := readable(fromBits(row)); ok {
			return "bits", says
		}
	}
	digits := strings.TrimRight(strings.TrimPrefix(row, "0x"), "=")
	if isOver(digits, "0123456789abcdefABCDEF") {
		if data, err := hex.DecodeString(digits[:len(digits)&^1]); err == nil {
			if says, ok := readable(data); ok {
				return "hexadecimal", says
			}
		}
		for _, base := range [...]int{10, 8} {
			if says, ok := readable(fromCodes(row, base)); ok {
				return "character codes", says
			}
		}
		return unknown(digits, 2*minUnknown, "hexadecimal")
	}
	if pairs := strings.NewReplacer("-", "", "_", "").Replace(row); len(pairs) < len(row) && isOver(pairs, "0123456789abcdefABCDEF") {
		if data, err := hex.DecodeString(pairs[:len(pairs)&^1]); err == nil {
			if says, ok := readable(data); ok {
				return "hexadecimal", says
			}
		}
	}
	bare := strings.TrimRight(row, "=")
	for _, encoding := range [...]*base32.Encoding{base32.StdEncoding, base32.HexEncoding} {
		if says, ok := readable(decodePrefix(encoding.WithPadding(base32.NoPadding).DecodeString, strings.ToUpper(bare), 8)); ok {
			return "base32", says
		}
	}
	std := strings.NewReplacer("-", "+", "_", "/").Replace(bare)
	for skip := range 4 { // a prefix such as "data=" shifts the row
		if len(std)-skip < minBlob {
			break
		}
		if says, ok := readable(decodePrefix(base64.RawStdEncoding.DecodeString, std[skip:], 4)); ok {
			return "base64", says
		}
		if says, ok := readable(decodePrefix(base64.RawStdEncoding.DecodeString, reversed(std)[skip:], 4)); ok {
			return "base64 written backwards", says
		}
	}
	if strings.Count(row, "/")+strings.Count(row, "-")+strings.Count(row, "_") > len(row)/20 {
		return "", "" // a path or a name
	}
	return unknown(bare, minUnknown, "base64")
}

func unknown(row string, from int, kind string) (string, string) {
	if len(row) >= from && strings.ContainsAny(row, "0123456789") {
		return kind, ""
	}
	return "", ""
}

// decodePrefix decodes as much of the row as makes whole groups.
func decodePrefix(decode func(string) ([]byte, error), row string, group int) []byte {
	if len(row)%group == 1 {
		row = row[:len(row)-1]
	}
	data, err := decode(row)
	if err != nil {
		data, _ = decode(row[:len(row)/group*group])
	}
	return data
}

func isOver(s, alphabet string) bool { return s != "" && strings.Trim(s, alphabet) == "" }

func fromBits(row string) []byte {
	var out []byte
	for len(row) >= 8 {
		n, err := strconv.ParseUint(row[:8], 2, 8)
		if err != nil {
			return nil
		}
		out = append(out, byte(n))
		row = row[8:]
	}
	return out
}

// fromCodes reads a row of codes from 32 to 126, which need no separator.
func fromCodes(row string, base int) []byte {
	var out []byte
	for row != "" {
		n := 2
		if row[0] == '1' {
			n = 3
		}
		if len(row) < n {
			return nil
		}
		code, err := strconv.ParseUint(row[:n], base, 8)
		if err != nil || code < ' ' || code > '~' {
			return nil
		}
		out = append(out, byte(code))
		row = row[n:]
	}
	return out
}

// readable tells whether bytes are text that somebody wrote: UTF-8 without
// control characters, mostly letters and blanks.
func readable(data []byte) (string, bool) {
	if len(data) < 10 || !utf8.Valid(data) {
		return "", false
	}
	letters, blanks, other := 0, 0, 0
	for _, r := range string(data) {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsSpace(r):
			blanks++
		case r < ' ' || r == 0x7F || !unicode.IsPrint(r):
			return "", false
		default:
			other++
		}
	}
	return string(data), letters*4 >= (letters+blanks+other)*2 && (blanks > 0 || letters+blanks >= 4*other)
}

// escapes finds letters that are written as percent, HTML, hexadecimal or
// Unicode escapes although they need not be.
func escapes(text string) (at int, says string) {
	if !strings.ContainsAny(text, `%&\=`) {
		return -1, ""
	}
	begin, letters, end := -1, 0, 0
	var b strings.Builder
	for i := 0; i < len(text); {
		c, n := escape(text[i:])
		if n == 0 {
			// What stands between two escapes belongs to the text that they spell.
			if begin >= 0 && i-end > 3 {
				if letters >= minEscapes {
					return begin, b.String()
				}
				begin, letters = -1, 0
				b.Reset()
			} else if begin >= 0 {
				b.WriteByte(text[i])
			}
			i++
			continue
		}
		if begin < 0 {
			begin = i
		}
		b.WriteRune(c)
		if c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) || text[i] == '=' {
			letters++
		}
		i += n
		end = i
	}
	if letters >= minEscapes {
		return begin, b.String()
	}
	return -1, ""
}

// escape reads the escape that s begins with; n is 0 where there is none.
func escape(s string) (c rune, n int) {
	switch {
	case s[0] == '%' && len(s) >= 3:
		if text, err := url.PathUnescape(s[:3]); err == nil && len(text) == 1 {
			return rune(text[0]), 3
		}
	case s[0] == '=' && len(s) >= 3 && s[1] >= '2' && strings.IndexByte("0123456789ABCDEF", s[1]) >= 0 && strings.ContainsAny(s[1:3], "ABCDEF"):
		if code, err := strconv.ParseUint(s[1:3], 16, 8); err == nil { // quoted-printable
			return rune(code), 3
		}
	case s[0] == '&' && len(s) >= 4 && s[1] == '#':
		end := 2 // a browser needs no semicolon
		for end < min(len(s), 10) && (unicode.IsDigit(rune(s[end])) || s[end]|0x20 >= 'a' && s[end]|0x20 <= 'f' || end == 2 && s[end]|0x20 == 'x') {
			end++
		}
		if text := html.UnescapeString(s[:end] + ";"); text != s[:end]+";" {
			if end < len(s) && s[end] == ';' {
				end++
			}
			r, _ := utf8.DecodeRuneInString(text)
			return r, end
		}
	case s[0] == '\\' && len(s) >= 4:
		if end := strings.IndexByte(s[:min(len(s), 12)], '}'); end > 3 && s[1] == 'u' && s[2] == '{' {
			if code, err := strconv.ParseUint(s[3:end], 16, 21); err == nil {
				return rune(code), end + 1
			}
		}
		for _, form := range [...]struct {
			letter byte
			digits int
			base   int
		}{{'x', 2, 16}, {'u', 4, 16}, {'U', 8, 16}} {
			if s[1] == form.letter && len(s) >= 2+form.digits {
				if code, err := strconv.ParseUint(s[2:2+form.digits], form.base, 32); err == nil {
					return rune(code), 2 + form.digits
				}
			}
		}
		if code, err := strconv.ParseUint(s[1:4], 8, 8); err == nil {
			return rune(code), 4
		}
	}
	return 0, 0
}
