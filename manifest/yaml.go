package manifest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// commentSign is how many characters stand before the YAML on each line of a
// Python file; other files have their YAML at the margin.
const commentSign = len("# ")

// parseYAML reads the lines of a block into nodes, nil when that is not
// possible. Anything in YAML beyond what JSON has is refused [C-20].
func parseYAML(lines []string, first int, r *report) *node {
	lines, ok := prepare(lines, first, r)
	if !ok {
		return nil
	}
	root := decode(lines, first, r)
	if root == nil {
		return nil
	}
	c := converter{report: r, lines: lines, first: first}
	n := c.convert(root, 1)
	if n.kind == kindBroken || c.nodes > limits.ManifestNodes {
		return nil
	}
	if n.kind != kindObject {
		r.add(notMapping, n.at, "the manifest is %s", n.kind)
		return nil
	}
	return n
}

// prepare checks line by line what the YAML library would report without a
// place, or not at all, and returns the lines with tabs in the indentation
// replaced so that the rest can still be read.
func prepare(lines []string, first int, r *report) ([]string, bool) {
	out := make([]string, len(lines))
	ok := true
	for i, s := range lines {
		at := func(offset int) pos { return pos{first + i, r.margin + utf8.RuneCountInString(s[:offset]) + 1} }
		out[i] = s
		indent := len(s) - len(strings.TrimLeft(s, " \t"))
		if t := strings.IndexByte(s[:indent], '\t'); t >= 0 && indent < len(s) {
			r.add(tabIndent, at(t), "a tab stands in the indentation")
			out[i] = strings.ReplaceAll(s[:indent], "\t", " ") + s[indent:]
		}
		if strings.HasPrefix(s, "%") {
			r.add(directive, at(0), "the line is a YAML directive")
			out[i] = ""
		}
		for j, c := range s {
			if c != '\t' && (c < ' ' || c >= 0x7F && c < 0xA0 || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF) && c != 0 && disagreement(c) == "" {
				r.add(controlChar, at(j), "there is the character U+%04X", c)
				ok = false
				break
			}
			// These have been reported with the file.
			ok = ok && c != 0 && disagreement(c) == ""
		}
		ok = ok && utf8.ValidString(s)
	}
	if at, deep := nesting(out); deep {
		r.add(tooDeep, pos{first + at, 1}, "values are nested more than %d deep", limits.ManifestDepth)
		return nil, false
	}
	return out, ok
}

// decode runs the YAML library over the lines. On a syntax error it looks for
// the line, mends the usual mistake (text that needs quotes) in its own copy
// and goes on, so that the other problems of the file are reported as well.
func decode(lines []string, first int, r *report) *yaml.Node {
	const mends = 8
	search := searchBytes
	for range mends {
		root, cause := library(lines)
		switch {
		case cause == nil && root == nil:
			r.add(notMapping, pos{first, 1}, "the manifest is empty")
			return nil
		case cause == nil:
			return root
		}
		n, err := locate(lines, cause, &search), plainError(cause)
		mended, col, ok := quoteValue(lines[n])
		at := pos{first + n, r.margin + utf8.RuneCountInString(lines[n][:col]) + 1}
		if strings.HasPrefix(err.Error(), "unknown anchor") {
			r.add(anchor, at, "an alias is used (%s)", err)
		} else if ok {
			r.addFix(badYAML, at, "put the value in quotes", "the text needs quotes (%s)", err)
		} else {
			r.add(badYAML, at, "the line cannot be read as YAML (%s)", err)
		}
		if !ok {
			return nil
		}
		lines[n] = mended
	}
	return nil
}

// library reads the document, nil where it is empty, with the errors of the library; that
// there is only one has been seen to when the block was split.
func library(lines []string) (root *yaml.Node, err error) {
	// The library recovers only from panics of its own type; a bug in it must
	// not take the caller down with a hostile file.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the parser gave up: %s", spec.Quote(fmt.Sprint(p)))
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(lines, "\n")), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

var yamlPrefix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (line \d+: )?`) })

// plainError drops the library's line number, which is often off by one and
// counts from the start of the block instead of the file.
func plainError(err error) error {
	text := yamlPrefix().ReplaceAllString(err.Error(), "")
	return errors.New(strings.Trim(spec.Quote(text), `"`))
}

// locate finds the line of a syntax error, from 0: the first line behind the
// longest run of lines that can be read. That asks for one parse per line, so
// it is done only for manifests of ordinary size, others get the last line, and only
// for so many bytes: then it is the line that the library names.
func locate(lines []string, cause error, search *int) int {
	const maxLines, maxBytes = 200, 8 * limits.KiB
	total := 0
	for _, s := range lines {
		total += len(s) + 1
	}
	if len(lines) > maxLines || total > maxBytes {
		return max(len(lines)-1, 0)
	}
	for n := len(lines) - 1; n > 0; n-- {
		total -= len(lines[n]) + 1
		if *search -= total; *search < 0 {
			return min(errorLine(cause), len(lines)) - 1
		}
		if _, err := library(lines[:n]); err == nil {
			return n
		}
	}
	return 0
}

// searchBytes is what a file may be read again for to find the lines of its errors.
const searchBytes = 192 * limits.KiB

var keyAndValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^( *(?:- +)*[A-Za-z_][A-Za-z0-9_-]*: +)([^ "'\[{|>#].*)$`)
})

// quoteValue puts the plain value of a "key: value" line in quotes. col is the
// byte offset at which the line goes wrong, as far as one can tell.
func quoteValue(s string) (mended string, col int, ok bool) {
	m := keyAndValue().FindStringSubmatch(s)
	if m == nil {
		return s, len(s) - len(strings.TrimLeft(s, " ")), false
	}
	col = len(m[1])
	if i := strings.Index(m[2], ": "); i >= 0 {
		col += i
	} else if strings.HasSuffix(m[2], ":") {
		col += len(m[2]) - 1
	}
	return m[1] + string(appendJSONString(nil, m[2])), col, true
}

// nesting estimates, before anything is built, whether values are nested
// deeper than allowed, and where. It follows indentation, leading "- " and "? ",
// and brackets outside of quotes; the converter counts exactly afterwards.
func nesting(lines []string) (at int, deep bool) {
	var indents []int
	var quote byte
	flow := 0
	for n, s := range lines {
		i := len(s) - len(strings.TrimLeft(s, " "))
		if flow == 0 && quote == 0 && i < len(s) && s[i] != '#' {
			for len(indents) > 0 && indents[len(indents)-1] >= i {
				indents = indents[:len(indents)-1]
			}
			indents = append(indents, i)
			for ; i+1 < len(s) && (s[i] == '-' || s[i] == '?') && s[i+1] == ' '; i += 2 {
				indents = append(indents, i+2)
			}
		}
		start := true // a quote or bracket here opens a value
		for ; i < len(s); i++ {
			c := s[i]
			switch {
			case quote == '"' && c == '\\':
				i++
				continue
			case quote != 0:
				if c == quote {
					quote, start = 0, false
				}
				continue
			case c == '#' && (i == 0 || s[i-1] == ' '):
				i = len(s)
				continue
			case (c == '"' || c == '\'') && start:
				quote = c
			case (c == '[' || c == '{') && (start || flow > 0):
				flow++
				start = true
				if flow+len(indents) > limits.ManifestDepth {
					return n, true
				}
				continue
			case (c == ']' || c == '}') && flow > 0:
				flow--
			}
			if c != ' ' {
				start = c == ':' || flow > 0 && c == ',' || (c == '-' || c == '?') && start
			}
		}
		if len(indents) > limits.ManifestDepth {
			return n, true
		}
	}
	return 0, false
}

// converter turns the library's nodes into ours.
type converter struct {
	*report
	lines []string
	first int
	nodes int

	// Where sigil looked last: nodes come in the order of the file, and a
	// manifest can be one long line.
	line, column, offset int
}

// place is where a node of the library stands in the file.
func (c *converter) place(n *yaml.Node) pos { return pos{c.first + n.Line - 1, c.margin + n.Column} }

// sigil returns the character at which a node begins. The library forgets a
// tag that is a lone "!", but the node's place is the tag's.
func (c *converter) sigil(n *yaml.Node) rune {
	if n.Line < 1 || n.Line > len(c.lines) {
		return 0
	}
	if n.Line != c.line || n.Column < c.column {
		c.line, c.column, c.offset = n.Line, 1, 0
	}
	s := c.lines[n.Line-1]
	for ; c.column < n.Column; c.column++ {
		_, width := utf8.DecodeRuneInString(s[c.offset:])
		c.offset += width
	}
	char, _ := utf8.DecodeRuneInString(s[c.offset:])
	return char
}

// convert returns a broken node for a value that cannot be kept.
func (c *converter) convert(y *yaml.Node, depth int) *node {
	n := &node{at: c.place(y), kind: kindBroken}
	if c.nodes++; c.nodes > limits.ManifestNodes {
		if c.nodes == limits.ManifestNodes+1 {
			c.add(tooManyNodes, n.at, "the manifest has more than %d values", limits.ManifestNodes)
		}
		return n
	}
	if depth > limits.ManifestDepth {
		c.add(tooDeep, n.at, "values are nested more than %d deep", limits.ManifestDepth)
		return n
	}
	switch sign := c.sigil(y); {
	case y.Kind == yaml.AliasNode:
		c.add(anchor, n.at, "the alias %s is used", spec.Quote("*"+y.Value))
		return n
	case y.Anchor != "":
		c.add(anchor, n.at, "the anchor %s is used", spec.Quote("&"+y.Anchor))
	case y.Style&yaml.TaggedStyle != 0 || sign == '!':
		c.add(tag, n.at, "a tag is used")
	}
	switch y.Kind {
	case yaml.ScalarNode:
		n.kind, n.text = kindString, y.Value
		if y.Style&^yaml.TaggedStyle == 0 {
			n.kind, n.unclear = plainScalar(y.Value)
			n.unclear = n.unclear || n.kind == kindNull && y.Value == ""
		}
		if n.kind == kindNumber && !sizedNumber(n.text) {
			c.add(hugeNumber, n.at, "a number has more than %d digits or an exponent above %d", maxNumberText, maxExponent)
			n.kind = kindBroken
		}
	case yaml.SequenceNode:
		n.kind = kindArray
		for _, item := range y.Content {
			n.items = append(n.items, c.convert(item, depth+1))
		}
	case yaml.MappingNode:
		n.kind = kindObject
		c.members(n, y, depth)
	}
	return n
}

// maxKey keeps every key printable: YAML reads at most 1024 characters,
// escapes included, as a key.
const maxKey = 128

func (c *converter) members(n *node, y *yaml.Node, depth int) {
	seen, folded := map[string]bool{}, map[string]string{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := c.convert(y.Content[i], depth+1)
		value := c.convert(y.Content[i+1], depth+1)
		if key.kind == kindBroken {
			continue
		}
		low := strings.ToLower(key.text)
		plain := y.Content[i].Style&^yaml.TaggedStyle == 0
		switch {
		case plain && key.text == "<<":
			c.add(mergeKey, key.at, "a merge key is used")
			continue
		case key.kind != kindString:
			c.add(badKey, key.at, "a key is %s, not a string", key.kind)
			continue
		case utf8.RuneCountInString(key.text) > maxKey || strings.ContainsAny(key.text, "\r\n\x00"):
			c.add(badKey, key.at, "the key %s is longer than %d characters or has line breaks", spec.Quote(key.text), maxKey)
			continue
		case seen[key.text]:
			c.add(duplicateKey, key.at, "the key %s stands twice", spec.Quote(key.text))
			continue
		case folded[low] != "":
			c.add(caseVariant, key.at, "the keys %s and %s differ only in case", spec.Quote(folded[low]), spec.Quote(key.text))
		}
		seen[key.text], folded[low] = true, key.text
		n.members = append(n.members, member{key.text, key.at, value})
	}
}
