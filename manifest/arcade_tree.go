package manifest

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// jsonTree reads one JSON value strictly, as [scanJSON] does, into nodes that
// know their places. The text begins at the place first of its file, which is not
// 1, 1 where a file holds several. The error says what is wrong and where; key
// spellings that stand twice in one object are reported to r and keep their first
// value, so that everything wrong with the members is told at once.
func jsonTree(text []byte, first pos, r *report) (*node, error) {
	t := &treeReader{scanner: scanner{in: text}, at: first, report: r}
	t.space()
	n, err := t.node(1)
	if err == nil {
		t.space()
		if t.i < len(t.in) {
			err = errors.New("more text follows the JSON value")
		}
	}
	if err != nil {
		r.add(arcadeJSON, t.here(), "it is not JSON: %v", err)
		return nil, err
	}
	return n, nil
}

// treeReader walks a JSON text. seen is how far at has been counted.
type treeReader struct {
	scanner
	at     pos
	seen   int
	nodes  int
	report *report
}

// here is the place of what comes next. It only ever goes forward, so that one
// long line costs no more than many short ones.
func (t *treeReader) here() pos {
	for to := min(t.i, len(t.in)); t.seen < to; {
		if t.in[t.seen] == '\n' {
			t.at = pos{t.at.line + 1, 1}
			t.seen++
			continue
		}
		_, width := utf8.DecodeRune(t.in[t.seen:])
		t.at.col++
		t.seen += width
	}
	return t.at
}

func (t *treeReader) node(depth int) (*node, error) {
	if depth > limits.ManifestDepth {
		return nil, fmt.Errorf("%w: it is nested more than %d deep", errTooLarge, limits.ManifestDepth)
	}
	if t.nodes++; t.nodes > limits.ManifestNodes {
		return nil, fmt.Errorf("%w: it has more than %d values", errTooLarge, limits.ManifestNodes)
	}
	n := &node{at: t.here()}
	if t.i >= len(t.in) {
		return nil, errors.New("a JSON value is missing")
	}
	var err error
	switch c := t.in[t.i]; c {
	case '{':
		n.kind = kindObject
		err = t.members(n, depth)
	case '[':
		n.kind = kindArray
		err = t.elements(n, depth)
	case '"':
		n.kind = kindString
		n.text, err = t.text()
	default:
		start := t.i
		t.out = t.out[:0]
		if err = t.value(depth); err != nil {
			return nil, err
		}
		n.text = string(t.in[start:t.i])
		switch c {
		case 'n':
			n.kind, n.text = kindNull, ""
		case 't', 'f':
			n.kind = kindBoolean
		default:
			n.kind = kindNumber
		}
	}
	return n, err
}

func (t *treeReader) elements(n *node, depth int) error {
	t.i++
	if t.next(']') {
		return nil
	}
	for {
		t.space()
		item, err := t.node(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
		if t.next(']') {
			return nil
		}
		if !t.next(',') {
			return errors.New("a comma or closing bracket is missing")
		}
	}
}

// members reads an object. Readers differ in which of two members of one name
// they keep, and in whether "Name" is "name": both are told.
func (t *treeReader) members(n *node, depth int) error {
	t.i++
	if t.next('}') {
		return nil
	}
	seen, folded := map[string]bool{}, map[string]string{}
	for {
		t.space()
		if t.i >= len(t.in) || t.in[t.i] != '"' {
			return errors.New("a key is missing")
		}
		at := t.here()
		key, err := t.text()
		if err != nil {
			return err
		}
		t.space()
		if !t.next(':') {
			return errors.New("a colon is missing")
		}
		t.space()
		value, err := t.node(depth + 1)
		if err != nil {
			return err
		}
		fold := strings.ToLower(key)
		switch {
		case seen[key]:
			t.report.add(arcadeDuplicate, at, "the member %s stands twice", spec.Quote(key))
		case folded[fold] != "":
			t.report.add(arcadeCase, at, "the members %s and %s differ only in case", spec.Quote(folded[fold]), spec.Quote(key))
			fallthrough
		default:
			seen[key], folded[fold] = true, key
			n.members = append(n.members, member{key, at, value})
		}
		if t.next('}') {
			return nil
		}
		if !t.next(',') {
			return errors.New("a comma or closing brace is missing")
		}
	}
}
