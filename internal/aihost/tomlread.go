package aihost

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
)

// statement is one key of a TOML document with its value, or one header of a
// table, by offsets of bytes.
type statement struct {
	path   []string // from the root of the document
	header bool     // [a.b], or [[a.b]] where list is set
	list   bool
	at     int // where it begins
	value  int // where the value begins; for a header its end
	end    int
	// inside is set for an inline table; its own keys are statements of their own.
	inside bool
	empty  bool // of an inline table
	text   any  // the value, where it is a string or a list of strings
}

// tomlReader goes through TOML 1.0. It finds where keys and values begin and end;
// what a number or a date is worth it does not ask, and that no key is there twice
// it looks at only for those it is to change.
type tomlReader struct {
	text  string
	at    int
	depth int
	found []statement
}

// readTOML lists all keys and headers of a document, in their order.
func readTOML(text string) ([]statement, error) {
	r := &tomlReader{text: text, at: len(bom(text))}
	var table []string
	for {
		if err := r.lines(); err != nil {
			return nil, err
		}
		if r.at == len(text) {
			return r.found, nil
		}
		if text[r.at] == '[' {
			var err error
			if table, err = r.header(); err != nil {
				return nil, err
			}
		} else if err := r.pair(table); err != nil {
			return nil, err
		}
		r.blank()
		if err := r.lineEnd(); err != nil {
			return nil, err
		}
	}
}

func (r *tomlReader) fail(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", line(r.text, r.at), fmt.Sprintf(format, args...))
}

// blank passes spaces and tabs.
func (r *tomlReader) blank() {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
}

// lineEnd passes a comment and the end of a line, or of the text.
func (r *tomlReader) lineEnd() error {
	if r.at < len(r.text) && r.text[r.at] == '#' {
		for r.at < len(r.text) && r.text[r.at] != '\n' && r.text[r.at] != '\r' {
			if c := r.text[r.at]; c < ' ' && c != '\t' || c == 0x7f {
				return r.fail("a control character in a comment")
			}
			r.at++
		}
	}
	rest := r.text[r.at:]
	switch {
	case rest == "":
	case strings.HasPrefix(rest, "\n"):
		r.at++
	case strings.HasPrefix(rest, "\r\n"):
		r.at += 2
	default:
		return r.fail("more than one thing on a line")
	}
	return nil
}

// lines passes white space, comments and ends of lines.
func (r *tomlReader) lines() error {
	for {
		r.blank()
		if r.at == len(r.text) || strings.IndexByte("#\r\n", r.text[r.at]) < 0 {
			return nil
		}
		if err := r.lineEnd(); err != nil {
			return err
		}
	}
}

func (r *tomlReader) header() ([]string, error) {
	s := statement{at: r.at, header: true}
	end := "]"
	if s.list = strings.HasPrefix(r.text[r.at:], "[["); s.list {
		end = "]]"
	}
	r.at += len(end)
	var err error
	if s.path, err = r.key(); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(r.text[r.at:], end) {
		return nil, r.fail("a table's name does not end with %s", end)
	}
	r.at += len(end)
	s.value, s.end = r.at, r.at
	r.found = append(r.found, s)
	return s.path, nil
}

// key reads a key with its dots and the white space around it.
func (r *tomlReader) key() ([]string, error) {
	var path []string
	for {
		r.blank()
		from := r.at
		switch {
		case r.at == len(r.text):
			return nil, r.fail("it ends where a name should be")
		case r.text[r.at] == '"' || r.text[r.at] == '\'':
			name, err := r.string()
			if err != nil {
				return nil, err
			}
			path = append(path, name)
		default:
			for r.at < len(r.text) && bare(r.text[r.at]) {
				r.at++
			}
			if r.at == from {
				return nil, r.fail("no name begins here")
			}
			path = append(path, r.text[from:r.at])
		}
		r.blank()
		if r.at == len(r.text) || r.text[r.at] != '.' {
			return path, nil
		}
		r.at++
	}
}

func bare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// pair reads a key and its value in a table.
func (r *tomlReader) pair(table []string) error {
	at := r.at
	key, err := r.key()
	if err != nil {
		return err
	}
	if r.at == len(r.text) || r.text[r.at] != '=' {
		return r.fail("no = after a name")
	}
	r.at++
	r.blank()
	s := statement{path: slices.Concat(table, key), at: at, value: r.at}
	i := len(r.found)
	r.found = append(r.found, s)
	if s.text, err = r.value(&s); err != nil {
		return err
	}
	s.end = r.at
	r.found[i] = s
	return nil
}

// value passes a value and returns it where it is a string or a list of those.
func (r *tomlReader) value(s *statement) (any, error) {
	if r.depth++; r.depth > limits.HostDepth {
		return nil, r.fail("nested more than %d levels deep", limits.HostDepth)
	}
	defer func() { r.depth-- }()
	if r.at == len(r.text) {
		return nil, r.fail("it ends where a value should be")
	}
	switch r.text[r.at] {
	case '"', '\'':
		for _, q := range []string{`"""`, `'''`} {
			if strings.HasPrefix(r.text[r.at:], q) {
				return nil, r.longString(q)
			}
		}
		return r.string()
	case '[':
		return r.array()
	case '{':
		s.inside = true
		return nil, r.table(s)
	}
	return nil, r.scalar()
}

// scalar passes a number, a date or a truth value.
func (r *tomlReader) scalar() error {
	from := r.at
	for r.at < len(r.text) && (bare(r.text[r.at]) || strings.IndexByte("+.:", r.text[r.at]) >= 0) {
		r.at++
	}
	word := r.text[from:r.at]
	if strings.Count(word, "-") == 2 && len(word) == 10 { // a date, which may be parted from its time by a space
		if rest := r.text[r.at:]; len(rest) > 3 && rest[0] == ' ' && digit(rest[1]) && digit(rest[2]) && rest[3] == ':' {
			r.at++
			return r.scalar()
		}
	}
	switch number := strings.TrimLeft(word, "+-"); {
	case word == "true", word == "false", number == "inf", number == "nan", number != "" && digit(number[0]):
		return nil
	}
	r.at = from
	return r.fail("no value of TOML begins here")
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (r *tomlReader) array() (any, error) {
	r.at++
	list, all := []string{}, true
	for {
		if err := r.lines(); err != nil {
			return nil, err
		}
		if strings.HasPrefix(r.text[r.at:], "]") {
			r.at++
			if !all {
				return nil, nil
			}
			return list, nil
		}
		// Tables in a list have no path that anything could be found by.
		known := len(r.found)
		v, err := r.value(&statement{})
		if err != nil {
			return nil, err
		}
		r.found = r.found[:known]
		text, ok := v.(string)
		list, all = append(list, text), all && ok
		if err := r.lines(); err != nil {
			return nil, err
		}
		if strings.HasPrefix(r.text[r.at:], ",") {
			r.at++
		} else if !strings.HasPrefix(r.text[r.at:], "]") {
			return nil, r.fail("no comma and no end after a value")
		}
	}
}

// table passes an inline table.
func (r *tomlReader) table(s *statement) error {
	r.at++
	r.blank()
	if s.empty = strings.HasPrefix(r.text[r.at:], "}"); s.empty {
		r.at++
		return nil
	}
	for {
		r.blank()
		if err := r.pair(s.path); err != nil {
			return err
		}
		r.blank()
		switch rest := r.text[r.at:]; {
		case strings.HasPrefix(rest, "}"):
			r.at++
			return nil
		case !strings.HasPrefix(rest, ","):
			return r.fail("no comma and no end after a value")
		}
		r.at++
	}
}

// longString passes a string of many lines.
func (r *tomlReader) longString(quotes string) error {
	at := r.at + 3
	for ; at < len(r.text) && !strings.HasPrefix(r.text[at:], quotes); at++ {
		if r.text[at] == '\\' && quotes == `"""` {
			at++
		}
	}
	if at >= len(r.text) {
		return r.fail("a string does not end")
	}
	for range 2 { // up to two quotes may belong to it
		if strings.HasPrefix(r.text[at+1:], quotes) {
			at++
		}
	}
	r.at = at + 3
	return nil
}

// string reads a string of one line.
func (r *tomlReader) string() (string, error) {
	quote := r.text[r.at]
	var b strings.Builder
	for at := r.at + 1; at < len(r.text); at++ {
		switch c := r.text[at]; {
		case c == quote:
			r.at = at + 1
			return b.String(), nil
		case c == '\n' || c == '\r' || c < ' ' && c != '\t' || c == 0x7f:
			return "", r.fail("a string does not end on its line, or has a control character")
		case c == '\\' && quote == '"':
			text, n, err := escape(r.text[at:])
			if err != nil {
				return "", r.fail("%v", err)
			}
			b.WriteString(text)
			at += n - 1
		default:
			b.WriteByte(c)
		}
	}
	return "", r.fail("a string does not end")
}

// escape reads what follows a backslash.
func escape(s string) (text string, length int, err error) {
	if len(s) < 2 {
		return "", 0, errors.New("a string ends with a backslash")
	}
	if i := strings.IndexByte(`btnfr"\`, s[1]); i >= 0 {
		return "\b\t\n\f\r\"\\"[i : i+1], 2, nil
	}
	n := map[byte]int{'u': 4, 'U': 8}[s[1]]
	if n == 0 || len(s) < 2+n {
		return "", 0, errors.New("a string has an unknown escape")
	}
	code, err := strconv.ParseUint(s[2:2+n], 16, 32)
	if err != nil || code > 0x10ffff || code >= 0xd800 && code < 0xe000 {
		return "", 0, errors.New("a string has an escape of no character")
	}
	return string(rune(code)), 2 + n, nil
}
