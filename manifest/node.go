package manifest

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// kind is the type of a value, in the words of JSON.
type kind int

const (
	kindNull kind = iota
	kindBoolean
	kindNumber
	kindString
	kindArray
	kindObject
	// kindBroken stands for a value that was reported and could not be kept; it
	// keeps the key from being called missing as well.
	kindBroken
)

// String gives the word for an error message, with its article.
func (k kind) String() string {
	return [...]string{"empty (null)", "a boolean", "a number", "a string", "an array", "an object", "unreadable"}[k]
}

// node is one value of a manifest with its place in the file.
type node struct {
	kind    kind
	text    string // of a string its value, of other scalars their spelling
	at      pos
	unclear bool     // a plain scalar that other YAML readers don't take for text
	items   []*node  // of an array
	members []member // of an object, in the order of the file
}

type member struct {
	name  string
	at    pos
	value *node
}

// get returns the value of a member, nil when there is none.
func (n *node) get(name string) *node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// finder is get for one who asks for many members: by a map where there are many.
func (n *node) finder() func(name string) *node {
	const few = 16
	if len(n.members) <= few {
		return n.get
	}
	named := make(map[string]*node, len(n.members))
	for _, m := range n.members {
		named[m.name] = m.value
	}
	return func(name string) *node { return named[name] }
}

// json writes the value compactly, members in the order of the file and
// numbers as they are spelled.
func (n *node) json() json.RawMessage { return n.appendJSON(nil) }

func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case kindNull, kindBroken:
		return append(b, "null"...)
	case kindBoolean, kindNumber:
		return append(b, n.text...)
	case kindString:
		return appendJSONString(b, n.text)
	case kindArray:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, m := range n.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONString(b, m.name), ':')
		b = m.value.appendJSON(b)
	}
	return append(b, '}')
}

// appendJSONString writes a string with the fewest escapes that JSON allows,
// so that one string has one spelling.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ' || c == 0x7f:
			b = append(b, `\u00`...)
			b = append(b, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// isNumber tells whether a text is a number as JSON spells them. It is asked for every
// number of a call, for which an expression takes too long.
func isNumber(text string) bool {
	digits := func(s string) (rest string, some bool) {
		rest = strings.TrimLeft(s, "0123456789")
		return rest, len(rest) < len(s)
	}
	text = strings.TrimPrefix(text, "-")
	rest, ok := digits(text)
	if !ok || text[0] == '0' && len(text)-len(rest) > 1 {
		return false
	}
	if after, point := strings.CutPrefix(rest, "."); point {
		if rest, ok = digits(after); !ok {
			return false
		}
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		if rest, ok = digits(rest); !ok {
			return false
		}
	}
	return rest == ""
}

// unclearWords are the words that YAML 1.1 or the core schema of YAML 1.2 would
// read as a boolean or null.
var unclearWords = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// unclearScalar matches plain text, other than words, that YAML 1.1 or the core
// schema of YAML 1.2 would read as null, a number or a date.
var unclearScalar = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:~|=|[-+]?\.(inf|nan)|[-+]?0[xob][0-9a-f_]+|[-+]?[0-9][0-9_]*(\.[0-9_]*)?(e[-+]?[0-9]+)?|[-+]?\.[0-9_]+(e[-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?)$`)
})

// plainScalar types a scalar without quotes as JSON does [C-20]: exactly true,
// false, null and JSON's numbers are typed, nothing at all is null, and
// everything else, yes and dates too, is text.
func plainScalar(text string) (k kind, unclear bool) {
	switch {
	case text == "null" || text == "":
		return kindNull, false
	case text == "true" || text == "false":
		return kindBoolean, false
	case text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z':
		return kindString, slices.Contains(unclearWords, strings.ToLower(text))
	case isNumber(text):
		return kindNumber, false
	}
	return kindString, unclearScalar().MatchString(text)
}

// Numbers beyond these are refused everywhere: big.Rat, with which schemas are
// checked, needs memory in the order of 10^exponent, and Python itself refuses
// to read integers of more than 4300 digits.
const (
	maxNumberText = 1024
	maxExponent   = 400
)

// sizedNumber tells whether a JSON number is small enough to be computed with.
func sizedNumber(text string) bool {
	if len(text) > maxNumberText {
		return false
	}
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return true
	}
	e, err := strconv.Atoi(text[i+1:])
	return err == nil && e >= -maxExponent && e <= maxExponent
}

// integerText writes an integer such as 1.0 or 1e3 as digits.
func integerText(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() {
		return text
	}
	return r.Num().String()
}

// isInteger tells whether a JSON number is an integer, which 1.0 and 1e3 are
// to JSON Schema [C-31]. The number must be sized.
func isInteger(text string) bool {
	if !strings.ContainsAny(text, ".eE") {
		return true
	}
	_, digits, exponent := decimal(text)
	return digits == "" || exponent >= 0
}
