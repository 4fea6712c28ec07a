package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// maxJSONValues bounds the memory that decoding takes: eight MiB of "[]," would
// become half a GiB of Go values.
const maxJSONValues = 1 << 20

// Reasons why a text is not taken as JSON, for callers that branch.
var (
	errDuplicate = errors.New("a key stands twice")
	errTooLarge  = errors.New("the document is too large")
	errDepth     = fmt.Errorf("%w: it is nested more than %d deep", errTooLarge, limits.JSONDepth)
	errValues    = fmt.Errorf("%w: it has more than %d values", errTooLarge, maxJSONValues)
	errDigits    = fmt.Errorf("%w: a number has more than %d digits", errTooLarge, maxNumberText)
	errExponent  = fmt.Errorf("%w: a number has an exponent beyond %d", errTooLarge, maxExponent)
)

// span is a member of the outermost object, or an element of the outermost
// array: its value lies in the canonical text from start to end.
type span struct {
	name       string
	start, end int
}

// scanJSON reads one JSON value strictly (RFC 8259, I-JSON): UTF-8 without lone
// surrogates, no duplicate keys, bounded size, depth and numbers. It returns
// the value without white space and with strings in one spelling; members stay
// in their order and numbers as they are spelled. top lists the members of an
// object or the elements of an array, and is nil otherwise.
func scanJSON(raw []byte) (canonical []byte, top []span, err error) {
	s, err := scan(raw, limits.Arguments)
	if err != nil {
		return nil, nil, err
	}
	return s.out, s.top, nil
}

// scan is scanJSON for a text of at most the given bytes. Beside an error stands
// what was read until then.
func scan(raw []byte, most int) (*scanner, error) {
	if len(raw) > most {
		return &scanner{}, fmt.Errorf("%w: %d bytes, allowed are %d", errTooLarge, len(raw), most)
	}
	s := &scanner{in: raw, out: make([]byte, 0, len(raw))}
	if _, err := s.document(); err != nil {
		return s, fmt.Errorf("%w at byte %d", err, s.i)
	}
	return s, nil
}

// scanner is the one grammar of JSON here. It writes canonical text, and where
// it has a tree it also makes nodes with their places.
type scanner struct {
	in, out []byte
	i       int
	values  int
	top     []span
	tree    *jsonTree // nil: no nodes
}

// document reads the whole text. The node is nil without a tree.
func (s *scanner) document() (*node, error) {
	s.space()
	n, err := s.value(1)
	if err != nil {
		return n, err
	}
	s.space()
	if s.i < len(s.in) {
		return n, errors.New("more text follows the JSON value")
	}
	return n, nil
}

func (s *scanner) space() {
	for s.i < len(s.in) && (s.in[s.i] == ' ' || s.in[s.i] == '\t' || s.in[s.i] == '\n' || s.in[s.i] == '\r') {
		s.i++
	}
}

// next skips white space and takes c if it comes next.
func (s *scanner) next(c byte) bool {
	s.space()
	if s.i >= len(s.in) || s.in[s.i] != c {
		return false
	}
	s.i++
	return true
}

func (s *scanner) value(depth int) (*node, error) {
	if depth > limits.JSONDepth {
		return nil, errDepth
	}
	if s.values++; s.values > maxJSONValues {
		return nil, errValues
	}
	if s.i >= len(s.in) {
		return nil, errors.New("a JSON value is missing")
	}
	n := s.node()
	switch c := s.in[s.i]; {
	case c == '{':
		return n, s.object(n, depth)
	case c == '[':
		return n, s.array(n, depth)
	case c == '"':
		text, err := s.text()
		s.out = appendJSONString(s.out, text)
		return n.set(kindString, text), err
	case c == '-' || c >= '0' && c <= '9':
		text, err := s.number()
		if n != nil { // the text is copied for a tree alone
			n.set(kindNumber, string(text))
		}
		return n, err
	}
	for i, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.in[s.i:], []byte(word)) {
			s.i += len(word)
			s.out = append(s.out, word...)
			return n.set([]kind{kindBoolean, kindBoolean, kindNull}[i], word), nil
		}
	}
	for _, word := range []string{"NaN", "Infinity"} {
		if bytes.HasPrefix(s.in[s.i:], []byte(word)) {
			return n, fmt.Errorf("%s is not JSON", word)
		}
	}
	return n, errors.New("a JSON value is missing")
}

func (s *scanner) array(n *node, depth int) error {
	n.set(kindArray, "")
	s.i++
	s.out = append(s.out, '[')
	if s.next(']') {
		s.out = append(s.out, ']')
		return nil
	}
	for {
		s.space()
		start := len(s.out)
		item, err := s.value(depth + 1)
		if err != nil {
			return err
		}
		if n != nil {
			n.items = append(n.items, item)
		}
		if depth == 1 {
			s.top = append(s.top, span{"", start, len(s.out)})
		}
		if s.next(']') {
			s.out = append(s.out, ']')
			return nil
		}
		if !s.next(',') {
			return errors.New("a comma or closing bracket is missing")
		}
		s.out = append(s.out, ',')
	}
}

func (s *scanner) object(n *node, depth int) error {
	n.set(kindObject, "")
	s.i++
	s.out = append(s.out, '{')
	if s.next('}') {
		s.out = append(s.out, '}')
		return nil
	}
	seen := map[string]bool{}
	for {
		s.space()
		if s.i >= len(s.in) || s.in[s.i] != '"' {
			return errors.New("a key is missing")
		}
		at := s.here()
		key, err := s.text()
		if err != nil {
			return err
		}
		// Readers differ in which of two members they keep, so that what was
		// checked need not be what the tool gets.
		twice := seen[key]
		if twice && !s.duplicate(key, at) {
			if depth == 1 { // neither of the two is its value
				s.top = slices.DeleteFunc(s.top, func(m span) bool { return m.name == key })
			}
			return fmt.Errorf("%w: %s", errDuplicate, spec.Quote(key))
		}
		seen[key] = true
		s.out = append(appendJSONString(s.out, key), ':')
		if !s.next(':') {
			return errors.New("a colon is missing")
		}
		s.space()
		start := len(s.out)
		value, err := s.value(depth + 1)
		if err != nil {
			return err
		}
		if n != nil && !twice {
			n.members = append(n.members, member{key, at, value})
		}
		if depth == 1 {
			s.top = append(s.top, span{key, start, len(s.out)})
		}
		if s.next('}') {
			s.out = append(s.out, '}')
			s.variants(n)
			return nil
		}
		if !s.next(',') {
			return errors.New("a comma or closing brace is missing")
		}
		s.out = append(s.out, ',')
	}
}

func (s *scanner) number() ([]byte, error) {
	start := s.i
	for s.i < len(s.in) && bytes.IndexByte([]byte("+-.0123456789eE"), s.in[s.i]) >= 0 {
		s.i++
	}
	text := s.in[start:s.i]
	if len(text) > maxNumberText {
		return nil, errDigits
	}
	if !isNumber(string(text)) {
		if bytes.HasPrefix(s.in[s.i:], []byte("Infinity")) {
			return nil, errors.New("-Infinity is not JSON")
		}
		return nil, fmt.Errorf("%s is not a JSON number", spec.Quote(string(text)))
	}
	if !sizedNumber(string(text)) {
		return nil, errExponent
	}
	s.out = append(s.out, text...)
	return text, nil
}

// text reads a string and returns its value.
func (s *scanner) text() (string, error) {
	s.i++
	start := s.i
	for s.i < len(s.in) && s.in[s.i] != '"' && s.in[s.i] != '\\' && s.in[s.i] >= ' ' && s.in[s.i] < utf8.RuneSelf {
		s.i++
	}
	b := append([]byte(nil), s.in[start:s.i]...)
	for s.i < len(s.in) {
		switch c := s.in[s.i]; {
		case c == '"':
			s.i++
			return string(b), nil
		case c == '\\':
			var err error
			if b, err = s.escape(b); err != nil {
				return "", err
			}
		case c < ' ':
			return "", errors.New("a control character stands in a string")
		case c < utf8.RuneSelf:
			b = append(b, c)
			s.i++
		default:
			r, width := utf8.DecodeRune(s.in[s.i:])
			if r == utf8.RuneError && width == 1 {
				return "", errors.New("the text is not UTF-8")
			}
			b = append(b, s.in[s.i:s.i+width]...)
			s.i += width
		}
	}
	return "", errors.New("a string is not closed")
}

// escape reads one escape sequence, both halves of a surrogate pair at once. A
// lone surrogate is no character: Go would replace it and Python keep it.
func (s *scanner) escape(b []byte) ([]byte, error) {
	if s.i+1 >= len(s.in) {
		return nil, errors.New("a string is not closed")
	}
	c := s.in[s.i+1]
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), c); i >= 0 {
		s.i += 2
		return append(b, "\"\\/\b\f\n\r\t"[i]), nil
	}
	r, ok := s.unit(s.i)
	if !ok {
		return nil, errors.New("an escape sequence is not JSON")
	}
	s.i += 6
	if utf16.IsSurrogate(r) {
		low, _ := s.unit(s.i)
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return nil, errors.New("a lone surrogate stands in a string")
		}
		s.i += 6
	}
	return utf8.AppendRune(b, r), nil
}

// unit reads \uXXXX at offset i.
func (s *scanner) unit(i int) (rune, bool) {
	if i+6 > len(s.in) || s.in[i] != '\\' || s.in[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s.in[i+2:i+6]), 16, 16)
	return rune(n), err == nil
}
