package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// minForm is the shortest piece of an encoding that is looked for: what is
// shorter stands in texts that have nothing to do with the secret.
const minForm = 8

// forms are the usual spellings of a value: as it is, in a JSON string by any
// writer, in an address, in hexadecimal, and in base64 wherever in a longer text
// the value began.
func forms(s string) []string {
	list := []string{s, quote(s, true), quote(s, false), quoteASCII(quote(s, true)), quoteASCII(quote(s, false)), strings.ReplaceAll(quote(s, false), "/", `\/`), url.QueryEscape(s), url.PathEscape(s), lowerPercent(url.QueryEscape(s))}
	for _, f := range append([]string{hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s)))}, base64Forms(s)...) {
		if len(f) >= minForm {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// quote spells s as the inside of a JSON string, with <, > and & as they are
// or escaped, because writers of JSON differ in that.
func quote(s string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return s
	}
	return string(b.Bytes()[1 : b.Len()-2]) // without quotes and line feed
}

// quoteASCII escapes all but ASCII in what is quoted, as Python's json does.
func quoteASCII(quoted string) string {
	var b strings.Builder
	for _, c := range quoted {
		if c < 0x80 {
			b.WriteRune(c)
			continue
		}
		for _, u := range utf16.Encode([]rune{c}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}

// lowerPercent writes %2F as %2f.
func lowerPercent(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

// base64Forms are the characters that a value alone decides, at each of the three
// places where it can begin between two groups, in both alphabets; and the whole
// encoding of the value by itself.
func base64Forms(s string) (list []string) {
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		list = append(list, enc.EncodeToString([]byte(s)))
		for lead := range 3 {
			text := enc.EncodeToString(append(make([]byte, lead), s...))
			// Six bits a character: the first that are not of the bytes in front
			// alone, up to the last that is whole.
			list = append(list, text[(lead*8+5)/6:(lead+len(s))*8/6])
		}
	}
	return list
}
