package quarantine

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/spec"
)

// scriptMeta is what a script block says.
type scriptMeta struct {
	requiresPython  string
	dependencies    []string
	hasDependencies bool
	tables          bool // [tool.…]: meant for one runner, not read here
}

// tomlReader reads the part of TOML that a script block needs: at the top
// level the two keys of PEP 723, with strings on one line and arrays of them.
// Everything else is an error rather than a guess, because another runner's
// reader would understand it.
type tomlReader struct {
	s string
	i int
}

func readScript(content string) (scriptMeta, error) {
	var meta scriptMeta
	t := &tomlReader{s: content}
	seen := map[string]bool{}
	for {
		t.blank(true)
		if t.i == len(t.s) {
			return meta, nil
		}
		if t.s[t.i] == '[' {
			meta.tables = true
			return meta, nil
		}
		key := t.key()
		if seen[key] {
			return meta, fmt.Errorf("key %s stands twice", spec.Quote(key))
		}
		seen[key] = true
		t.blank(false)
		if !t.take('=') {
			return meta, fmt.Errorf("no = follows the key %s", spec.Quote(key))
		}
		t.blank(false)
		var err error
		switch key {
		case "requires-python":
			meta.requiresPython, err = t.text()
		case "dependencies":
			meta.hasDependencies = true
			meta.dependencies, err = t.list()
		default:
			return meta, fmt.Errorf("key %s is none of PEP 723", spec.Quote(key))
		}
		if err != nil {
			return meta, fmt.Errorf("value of %s: %w", key, err)
		}
		t.blank(false)
		if t.i < len(t.s) && !t.take('\n') {
			return meta, fmt.Errorf("something follows the value of %s", key)
		}
	}
}

// blank skips spaces and comments, and line ends where they mean nothing.
func (t *tomlReader) blank(lines bool) {
	for t.i < len(t.s) {
		switch c := t.s[t.i]; {
		case c == ' ', c == '\t', c == '\r' && strings.HasPrefix(t.s[t.i:], "\r\n"), c == '\n' && lines:
			t.i++
		case c == '#':
			if n := strings.IndexByte(t.s[t.i:], '\n'); n >= 0 {
				t.i += n
			} else {
				t.i = len(t.s)
			}
		default:
			return
		}
	}
}

func (t *tomlReader) take(c byte) bool {
	if t.i < len(t.s) && t.s[t.i] == c {
		t.i++
		return true
	}
	return false
}

// key reads a bare key; a quoted or dotted one comes out as a key that nobody
// knows and is refused by that.
func (t *tomlReader) key() string {
	begin := t.i
	for t.i < len(t.s) && !strings.ContainsRune("= \t\r\n", rune(t.s[t.i])) {
		t.i++
	}
	return t.s[begin:t.i]
}

func (t *tomlReader) list() ([]string, error) {
	if !t.take('[') {
		return nil, fmt.Errorf("not an array")
	}
	var out []string
	for {
		t.blank(true)
		if t.take(']') {
			return out, nil
		}
		s, err := t.text()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
		t.blank(true)
		if !t.take(',') {
			if t.take(']') {
				return out, nil
			}
			return nil, fmt.Errorf("neither , nor ] follows an element")
		}
	}
}

// text reads a basic or a literal string of one line.
func (t *tomlReader) text() (string, error) {
	literal := t.i < len(t.s) && t.s[t.i] == '\''
	if !literal && (t.i == len(t.s) || t.s[t.i] != '"') {
		return "", fmt.Errorf("not a string")
	}
	if q := t.s[t.i:]; strings.HasPrefix(q, `"""`) || strings.HasPrefix(q, "'''") {
		return "", fmt.Errorf("a string of several lines")
	}
	quote := t.s[t.i]
	t.i++
	var b strings.Builder
	for t.i < len(t.s) {
		c := t.s[t.i]
		switch {
		case c == quote:
			t.i++
			return b.String(), nil
		case c == '\n':
			return "", fmt.Errorf("a string that is not closed")
		case c == '\\' && !literal:
			r, size, err := tomlEscape(t.s[t.i+1:])
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			t.i += 1 + size
		default:
			b.WriteByte(c)
			t.i++
		}
	}
	return "", fmt.Errorf("a string that is not closed")
}

func tomlEscape(s string) (r rune, size int, err error) {
	const simple, meaning = `btnfr"\`, "\b\t\n\f\r\"\\"
	if s == "" {
		return 0, 0, fmt.Errorf("a string that is not closed")
	}
	if i := strings.IndexByte(simple, s[0]); i >= 0 {
		return rune(meaning[i]), 1, nil
	}
	digits := map[byte]int{'u': 4, 'U': 8}[s[0]]
	if digits == 0 || len(s) <= digits {
		return 0, 0, fmt.Errorf("an unknown escape")
	}
	n, err := strconv.ParseUint(s[1:1+digits], 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return 0, 0, fmt.Errorf("an escape that is no character")
	}
	return rune(n), 1 + digits, nil
}
