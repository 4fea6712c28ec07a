package manifest

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
)

// plainYAML reads the YAML that nearly every manifest is written in: block mappings
// and lists of scalars that end on their line, with lists and mappings in brackets
// that do, too. It makes the nodes that the library and the converter would make and
// takes a tenth of their time. It never reports anything: nil is the answer to all that
// it does not know or that a rule may be broken by, which is then read by the library.
// TestPlainYAML and FuzzPlainYAML hold the two against each other.
//
// The lines must have come through [prepare].
func plainYAML(lines []string, first, margin int) *node {
	p := plainReader{lines: lines, first: first, margin: margin}
	if p.next() != 0 {
		return nil
	}
	if root := p.mapping(0, 1); root != nil && p.next() < 0 {
		return root
	}
	return nil
}

// Beyond these the library reads: what is far below the caps needs no count of its own.
const (
	maxPlainDepth   = limits.ManifestDepth / 2
	maxPlainNodes   = limits.ManifestNodes / 2
	maxPlainMembers = 64 // of one mapping; each key is compared with each
)

type plainReader struct {
	lines         []string
	first, margin int
	n             int // the line that is read
	nodes         int
	slab          []node
}

// next goes to the next line with something on it and returns its indentation, -1 at
// the end.
func (p *plainReader) next() int {
	for ; p.n < len(p.lines); p.n++ {
		s := p.lines[p.n]
		for i := range len(s) {
			if s[i] != ' ' {
				return i
			}
		}
	}
	return -1
}

// node is a new one at a byte offset of the line, before which all is ASCII; nil when
// there are too many.
func (p *plainReader) node(k kind, offset int) *node {
	if p.nodes++; p.nodes > maxPlainNodes {
		return nil
	}
	if len(p.slab) == 0 {
		p.slab = make([]node, 32)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.kind, n.at = k, p.pos(offset)
	return n
}

func (p *plainReader) pos(offset int) pos { return pos{p.first + p.n, p.margin + offset + 1} }

// mapping reads the mapping whose first key stands at the offset of this line, all
// others at the same on lines of their own.
func (p *plainReader) mapping(indent, depth int) *node {
	n := p.node(kindObject, indent)
	if n == nil || depth > maxPlainDepth {
		return nil
	}
	for {
		s := p.lines[p.n]
		colon := plainKey(s, indent)
		if colon < 0 || len(n.members) == maxPlainMembers {
			return nil
		}
		m := member{name: s[indent:colon], at: p.pos(indent)}
		p.nodes++
		if k, _ := plainScalar(m.name); k != kindString || n.folds(m.name) {
			return nil
		}
		if at := filled(s, colon+1); at < len(s) {
			m.value = p.inline(s, at, depth+1)
		} else {
			p.n++
			switch next := p.next(); {
			case next >= indent && isEntry(p.lines[p.n], next):
				m.value = p.list(next, depth+1)
			case next > indent:
				m.value = p.mapping(next, depth+1)
			}
		}
		if m.value == nil {
			return nil
		}
		n.members = append(n.members, m)
		switch next := p.next(); {
		case next < indent:
			return n
		case next > indent:
			return nil
		}
	}
}

// list reads the entries whose hyphens stand at the offset of this line and of others.
func (p *plainReader) list(indent, depth int) *node {
	n := p.node(kindArray, indent)
	if n == nil || depth > maxPlainDepth {
		return nil
	}
	for {
		s := p.lines[p.n]
		at := filled(s, indent+1)
		var item *node
		if plainKey(s, at) >= 0 {
			item = p.mapping(at, depth+1)
		} else {
			item = p.inline(s, at, depth+1)
		}
		if item == nil {
			return nil
		}
		n.items = append(n.items, item)
		next := p.next()
		if next > indent {
			return nil
		}
		if next < indent || !isEntry(p.lines[p.n], next) {
			return n // where a key may follow, its mapping says
		}
	}
}

// inline reads the value that goes from an offset to the end of its line.
func (p *plainReader) inline(s string, at, depth int) *node {
	var n *node
	end := len(s)
	switch c := s[at]; {
	case c == '"' || c == '\'':
		n, end = p.quoted(s, at)
	case c == '[' || c == '{':
		n, end = p.flow(s, at, depth)
	case begins(s, at):
		if !plainRest(s[at:]) {
			return nil
		}
		n = p.scalar(s[at:], at)
	}
	if n == nil || filled(s, end) < len(s) {
		return nil
	}
	p.n++
	return n
}

// scalar is a value without quotes, whose blanks at the end are none of it.
func (p *plainReader) scalar(text string, at int) *node {
	n := p.node(kindString, at)
	if n == nil {
		return nil
	}
	n.text = strings.TrimRight(text, " ")
	n.kind, n.unclear = plainScalar(n.text)
	if n.kind == kindNumber && !sizedNumber(n.text) {
		return nil
	}
	return n
}

// quoted reads a string in quotes with the escapes that people write; end is behind it.
func (p *plainReader) quoted(s string, at int) (n *node, end int) {
	quote := s[at]
	var b []byte // the text as far as something in it was escaped
	begin := at + 1
	for i := begin; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\t':
			return nil, 0
		case c == '\\' && quote == '"':
			if i+1 == len(s) || s[i+1] != '\\' && s[i+1] != '"' {
				return nil, 0
			}
			b = append(append(b, s[begin:i]...), s[i+1])
			i++
			begin = i + 1
		case c != quote:
		case quote == '\'' && i+1 < len(s) && s[i+1] == '\'':
			b = append(b, s[begin:i+1]...)
			i++
			begin = i + 1
		default:
			if n = p.node(kindString, at); n == nil {
				return nil, 0
			}
			n.text = s[begin:i]
			if b != nil {
				n.text = string(append(b, n.text...))
			}
			return n, i + 1
		}
	}
	return nil, 0
}

// flow reads a list or mapping in brackets, of ASCII alone; end is behind it.
func (p *plainReader) flow(s string, at, depth int) (n *node, end int) {
	closing, k := byte(']'), kindArray
	if s[at] == '{' {
		closing, k = '}', kindObject
	}
	if n = p.node(k, at); n == nil || depth > maxPlainDepth {
		return nil, 0
	}
	i := filled(s, at+1)
	if i < len(s) && s[i] == closing {
		return n, i + 1
	}
	for i < len(s) {
		m := member{}
		if k == kindObject {
			colon := plainKey(s, i)
			if colon < 0 || len(n.members) == maxPlainMembers {
				return nil, 0
			}
			m.name, m.at = s[i:colon], p.pos(i)
			p.nodes++
			if k, _ := plainScalar(m.name); k != kindString || n.folds(m.name) {
				return nil, 0
			}
			i = filled(s, colon+1)
		}
		if m.value, i = p.flowValue(s, i, depth+1); m.value == nil {
			return nil, 0
		}
		if k == kindObject {
			n.members = append(n.members, m)
		} else {
			n.items = append(n.items, m.value)
		}
		i = filled(s, i)
		switch {
		case i >= len(s):
		case s[i] == closing:
			return n, i + 1
		case s[i] == ',':
			i = filled(s, i+1)
			continue
		}
		return nil, 0
	}
	return nil, 0
}

func (p *plainReader) flowValue(s string, at, depth int) (n *node, end int) {
	if at >= len(s) {
		return nil, 0
	}
	switch c := s[at]; {
	case c == '[' || c == '{':
		return p.flow(s, at, depth)
	case c == '"' || c == '\'':
		n, end = p.quoted(s, at)
		for i := at; i < end; i++ {
			if s[i] >= 0x80 { // places behind it are not those of the bytes
				return nil, 0
			}
		}
		return n, end
	case !begins(s, at):
		return nil, 0
	}
	for end = at; end < len(s) && s[end] != ',' && s[end] != ']' && s[end] != '}'; end++ {
		if c := s[end]; !isLetter(c) && !isDigit(c) && strings.IndexByte("_-./ +", c) < 0 {
			return nil, 0
		}
	}
	return p.scalar(s[at:end], at), end
}

// plainKey finds the colon that ends the key at an offset, with a blank or the end of
// the line behind it; -1 where no such key stands there.
func plainKey(s string, at int) int {
	for i := at; i < len(s) && i <= at+maxKey; i++ {
		switch c := s[i]; {
		case isLetter(c), c == '_', i > at && (isDigit(c) || c == '-'):
		case c == ':' && i > at && (i+1 == len(s) || s[i+1] == ' '):
			return i
		default:
			return -1
		}
	}
	return -1
}

// isEntry tells whether an entry of a list begins there, with something behind the hyphen.
func isEntry(s string, at int) bool {
	return s[at] == '-' && at+1 < len(s) && s[at+1] == ' ' && filled(s, at+1) < len(s)
}

// filled is the offset of the first character from i on that is no blank.
func filled(s string, i int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}

// begins tells whether a value without quotes may begin there: with less than YAML allows.
func begins(s string, at int) bool {
	c := s[at]
	return isLetter(c) || isDigit(c) || c >= 0x80 || strings.IndexByte("_/.$(+^", c) >= 0 ||
		c == '-' && at+1 < len(s) && isDigit(s[at+1])
}

// plainRest tells whether a text without quotes is one to its end: no key, no comment.
func plainRest(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '\t':
			return false
		case ':':
			if i+1 == len(s) || s[i+1] == ' ' {
				return false
			}
		case '#':
			if s[i-1] == ' ' { // the first character is never one
				return false
			}
		}
	}
	return true
}

// folds tells whether the mapping has the key, in any case.
func (n *node) folds(name string) bool {
	for i := range n.members {
		if strings.EqualFold(n.members[i].name, name) {
			return true
		}
	}
	return false
}
