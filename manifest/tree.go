package manifest

import (
	"bytes"
	"errors"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// jsonTree is what a scanner needs to make nodes: where it reports, and the
// place of the byte that it came to.
type jsonTree struct {
	report *report
	walked int // bytes whose place is known
	line   int // from 1
	column int // characters before, on that line
}

// parseJSON reads a whole JSON file into nodes with their places, by the rules of
// arguments: UTF-8 without lone surrogates, no key twice, bounded depth, count and
// numbers, numbers as they are spelled. Every key that stands twice is reported,
// and the first thing that is not JSON. The tree is nil beside that.
func parseJSON(data []byte, r *report) *node {
	if len(data) > limits.ToolFile {
		r.add(tooLarge, pos{}, "the file has %d bytes, allowed are %d", len(data), limits.ToolFile)
		return nil
	}
	if rest, marked := bytes.CutPrefix(data, []byte("\ufeff")); marked {
		r.add(byteOrderMark, pos{1, 1}, "the file begins with a byte order mark")
		data = rest
	}
	s := &scanner{in: data, tree: &jsonTree{report: r, line: 1}}
	n, err := s.document()
	if err == nil {
		return n
	}
	id := badJSON
	switch {
	case errors.Is(err, errDepth):
		id = tooDeep
	case errors.Is(err, errValues):
		id = tooManyNodes
	case errors.Is(err, errTooLarge):
		id = hugeNumber
	}
	r.add(id, s.here(), "%s", strings.TrimPrefix(err.Error(), errTooLarge.Error()+": "))
	return nil
}

// node begins the node of a value; nil without a tree.
func (s *scanner) node() *node {
	if s.tree == nil {
		return nil
	}
	return &node{at: s.here()}
}

// here is the place of the scanner. Each byte is walked once in a whole reading.
func (s *scanner) here() pos {
	t := s.tree
	if t == nil {
		return pos{}
	}
	for ; t.walked < s.i; t.walked++ {
		switch c := s.in[t.walked]; {
		case c == '\n':
			t.line, t.column = t.line+1, 0
		case c&0xC0 != 0x80: // no byte within a character
			t.column++
		}
	}
	return pos{t.line, t.column + 1}
}

// duplicate reports a key that stands twice, and tells whether reading goes on.
func (s *scanner) duplicate(key string, at pos) bool {
	if s.tree == nil {
		return false
	}
	s.tree.report.addCode(duplicateKey, "duplicate-key", at, "the key %s stands twice", spec.Quote(key))
	return true
}

// variants reports keys of one object that differ only in case: readers that fold
// case, as Go's own does, take one for the other.
func (s *scanner) variants(n *node) {
	if n == nil {
		return
	}
	odd := false
	for _, m := range n.members {
		odd = odd || m.name != strings.ToLower(m.name)
	}
	if !odd {
		return
	}
	first := map[string]string{}
	for _, m := range n.members {
		low := strings.ToLower(m.name)
		if other, ok := first[low]; ok {
			s.tree.report.addCode(caseVariant, "case-variant-key", m.at, "the keys %s and %s differ only in case", spec.Quote(other), spec.Quote(m.name))
			continue
		}
		first[low] = m.name
	}
}

// set makes n a value; of no node it does nothing.
func (n *node) set(k kind, text string) *node {
	if n != nil {
		n.kind, n.text = k, text
	}
	return n
}
