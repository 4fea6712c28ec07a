package taint

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
)

// leaf is one text or number of a JSON document.
type leaf struct {
	at   *place
	text string
	name bool // it is the name of a member
}

// place is where a leaf lies: a chain from it to the root.
type place struct {
	up    *place
	key   string
	index int // of an array, -1 in an object
}

// pointer is the JSON pointer [RFC 6901].
func (p *place) pointer() string {
	var parts []string
	for ; p != nil && p.up != nil; p = p.up {
		if p.index >= 0 {
			parts = append(parts, strconv.Itoa(p.index))
			continue
		}
		key := p.key
		if strings.ContainsAny(key, "~/") {
			key = strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
		}
		parts = append(parts, key)
	}
	var b strings.Builder
	for _, p := range slices.Backward(parts) {
		b.WriteByte('/')
		b.WriteString(p)
	}
	return b.String()
}

// top is the name of the member of the document that a place lies in.
func (p *place) top() string {
	for ; p != nil && p.up != nil; p = p.up {
		if p.up.up == nil {
			return p.key
		}
	}
	return ""
}

// leaves calls for each text and number of a document, in its order, and for names
// in objects. Duplicates of a name are all there.
// It answers false when the document is no JSON, or too deep; what came before was
// called for.
func leaves(document []byte, each func(leaf)) bool {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	here := &place{index: -1} // the container that is open; its next member
	type open struct {
		at    *place
		array bool
		next  int
		key   bool // a name comes next
	}
	var stack []open
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		at := here
		if n := len(stack); n > 0 {
			o := &stack[n-1]
			if s, ok := token.(string); ok && o.key {
				o.key = false
				here = &place{up: o.at, key: s, index: -1}
				each(leaf{at: here, text: s, name: true})
				continue
			}
			if token != json.Delim(']') && token != json.Delim('}') {
				if o.array {
					at = &place{up: o.at, index: o.next}
					o.next++
				}
				o.key = !o.array
			}
		}
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '{', '[':
				if len(stack) == limits.JSONDepth {
					return false
				}
				stack = append(stack, open{at: at, array: v == '[', key: v == '{'})
			default:
				stack = stack[:len(stack)-1]
			}
		case string:
			each(leaf{at: at, text: v})
		case json.Number:
			each(leaf{at: at, text: counted(v.String())})
		}
		if len(stack) == 0 {
			_, err := d.Token()
			return err != nil && d.InputOffset() >= int64(len(bytes.TrimRight(document, " \t\r\n")))
		}
	}
}

// identifier tells whether a name is one that a programmer gives to a member, and
// not data: a short one of letters and underscores, with few digits.
func identifier(s string) bool {
	const longest, mostDigits = 24, 3
	digits := 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z'):
			return false
		}
	}
	return len(s) <= longest && digits <= mostDigits
}

// counted writes a JSON number as the value that a tool takes it for: 1.5e1, 15.0 and
// a number that is nearer to 15 than a float64 can tell are 15.
func counted(s string) string {
	if !strings.ContainsAny(s, ".eE") {
		return s
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
