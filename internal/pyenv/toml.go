package pyenv

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// pylock.toml is the one TOML document that this program reads, and it comes
// from a resolver that the maintainer runs. So this reads the part of TOML 1.0
// that lock files use (tables, arrays of tables, dotted keys, strings on one
// line, integers, booleans, dates as text, arrays, inline tables) and refuses
// the rest instead of guessing.

// parseTOML returns tables as map[string]any, arrays as []any, and string,
// int64, bool; a date is the string as written.
func parseTOML(text string) (map[string]any, error) {
	if len(text) > limits.Document {
		return nil, fmt.Errorf("document has %d bytes, allowed are %d", len(text), limits.Document)
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("document is not UTF-8")
	}
	root := map[string]any{}
	p := &tomlReader{text: text, line: 1}
	if err := p.document(root); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.line, err)
	}
	return root, nil
}

type tomlReader struct {
	text string
	at   int
	line int
}

func (p *tomlReader) document(root map[string]any) error {
	table := root
	for {
		p.space(true)
		var err error
		switch {
		case p.at == len(p.text):
			return nil
		case p.take("[["):
			table, err = p.header(root, "]]", true)
		case p.take("["):
			table, err = p.header(root, "]", false)
		default:
			err = p.pair(table, 0)
		}
		if err != nil {
			return err
		}
		p.space(false)
		if p.at < len(p.text) && p.text[p.at] != '\n' {
			return errors.New("more than one thing on a line")
		}
	}
}

// header reads the rest of [a.b] or [[a.b]] and returns the table it opens.
func (p *tomlReader) header(root map[string]any, end string, array bool) (map[string]any, error) {
	path, err := p.path()
	if err != nil {
		return nil, err
	}
	if !p.take(end) {
		return nil, fmt.Errorf("table header does not end with %q", end)
	}
	last := len(path) - 1
	table, err := descend(root, path[:last])
	if err != nil {
		return nil, err
	}
	fresh := map[string]any{}
	old, taken := table[path[last]]
	if !array {
		if taken {
			return nil, fmt.Errorf("table %s is defined twice", spec.Quote(path[last]))
		}
		table[path[last]] = fresh
		return fresh, nil
	}
	list, isList := old.([]any)
	if taken && !isList {
		return nil, fmt.Errorf("key %s is both a table and a list", spec.Quote(path[last]))
	}
	table[path[last]] = append(list, fresh)
	return fresh, nil
}

// descend walks into tables, making those that are missing; in an array of
// tables it is the last one that is meant.
func descend(table map[string]any, path []string) (map[string]any, error) {
	for _, key := range path {
		switch next := table[key].(type) {
		case nil:
			fresh := map[string]any{}
			table[key], table = fresh, fresh
		case map[string]any:
			table = next
		case []any:
			if len(next) == 0 {
				return nil, fmt.Errorf("key %s is not a table", spec.Quote(key))
			}
			last, ok := next[len(next)-1].(map[string]any)
			if !ok {
				return nil, fmt.Errorf("key %s is not a table", spec.Quote(key))
			}
			table = last
		default:
			return nil, fmt.Errorf("key %s is not a table", spec.Quote(key))
		}
	}
	return table, nil
}

// pair reads key = value into table.
func (p *tomlReader) pair(table map[string]any, depth int) error {
	path, err := p.path()
	if err != nil {
		return err
	}
	if !p.take("=") {
		return fmt.Errorf("key %s has no value", spec.Quote(strings.Join(path, ".")))
	}
	last := len(path) - 1
	if table, err = descend(table, path[:last]); err != nil {
		return err
	}
	if _, taken := table[path[last]]; taken {
		return fmt.Errorf("key %s is defined twice", spec.Quote(path[last]))
	}
	p.space(false)
	table[path[last]], err = p.value(depth)
	return err
}

func (p *tomlReader) path() ([]string, error) {
	var path []string
	for {
		p.space(false)
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		path = append(path, key)
		if p.space(false); !p.take(".") {
			return path, nil
		}
		if len(path) > limits.ManifestDepth {
			return nil, errors.New("key is too deep")
		}
	}
}

func (p *tomlReader) key() (string, error) {
	if p.at < len(p.text) && (p.text[p.at] == '"' || p.text[p.at] == '\'') {
		return p.quoted()
	}
	start := p.at
	for p.at < len(p.text) && bareKey(p.text[p.at]) {
		p.at++
	}
	if start == p.at {
		return "", errors.New("a key is missing")
	}
	return p.text[start:p.at], nil
}

func bareKey(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *tomlReader) value(depth int) (any, error) {
	switch {
	case depth > limits.ManifestDepth:
		return nil, errors.New("value is nested too deeply")
	case p.at == len(p.text):
		return nil, errors.New("a value is missing")
	case p.text[p.at] == '"' || p.text[p.at] == '\'':
		return p.quoted()
	case p.take("["):
		return p.list(depth + 1)
	case p.take("{"):
		return p.inline(depth + 1)
	}
	return p.scalar()
}

// scalar reads what is neither quoted nor bracketed.
func (p *tomlReader) scalar() (any, error) {
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" \t\r\n,]}#", rune(p.text[p.at])) {
		p.at++
	}
	word := p.text[start:p.at]
	if word == "true" || word == "false" {
		return word == "true", nil
	}
	if n, err := strconv.ParseInt(strings.ReplaceAll(word, "_", ""), 10, 64); err == nil {
		return n, nil
	}
	if len(word) >= len("2006-01-02") && word[4] == '-' && word[7] == '-' {
		return word, nil
	}
	return nil, fmt.Errorf("value %s is of no kind that a lock file has", spec.Quote(word))
}

func (p *tomlReader) list(depth int) (any, error) {
	list := []any{}
	for {
		if p.space(true); p.take("]") {
			return list, nil
		}
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if p.space(true); !p.take(",") && !p.peek(']') {
			return nil, errors.New("list is not closed")
		}
	}
}

func (p *tomlReader) inline(depth int) (any, error) {
	table := map[string]any{}
	for {
		if p.space(true); p.take("}") {
			return table, nil
		}
		if err := p.pair(table, depth); err != nil {
			return nil, err
		}
		if p.space(true); !p.take(",") && !p.peek('}') {
			return nil, errors.New("inline table is not closed")
		}
	}
}

// quoted reads a string on one line, basic or literal.
func (p *tomlReader) quoted() (string, error) {
	mark := p.text[p.at]
	if strings.HasPrefix(p.text[p.at:], strings.Repeat(string(mark), 3)) {
		return "", errors.New("string over several lines")
	}
	start := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == mark:
			p.at++
			if mark == '\'' {
				return p.text[start+1 : p.at-1], nil
			}
			return unescape(p.text[start+1 : p.at-1])
		case c == '\\' && mark == '"':
			p.at++
		case c < ' ' && c != '\t' || c == 0x7f:
			return "", errors.New("string is not closed on its line")
		}
	}
	return "", errors.New("string is not closed")
}

// unescape fills in TOML's escapes, which are Go's without the octal, hex and
// quote ones.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for len(s) > 0 {
		if s[0] != '\\' {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		if len(s) < 2 || !strings.ContainsRune(`btnfr"\uU`, rune(s[1])) {
			return "", errors.New("string has an unknown escape")
		}
		r, _, rest, err := strconv.UnquoteChar(s, '"')
		if err != nil {
			return "", errors.New("string has a broken escape")
		}
		b.WriteRune(r)
		s = rest
	}
	return b.String(), nil
}

// space skips blanks, and with lines also line ends and comments; without it
// a comment is skipped up to its line's end.
func (p *tomlReader) space(lines bool) {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '#':
			if end := strings.IndexByte(p.text[p.at:], '\n'); end >= 0 {
				p.at += end
			} else {
				p.at = len(p.text)
			}
		case c == '\n' && lines:
			p.line++
			p.at++
		case c == ' ', c == '\t', c == '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *tomlReader) take(s string) bool {
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *tomlReader) peek(c byte) bool { return p.at < len(p.text) && p.text[p.at] == c }
