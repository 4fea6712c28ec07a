package aihost

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// container is an object or an array in a text, by offsets of bytes.
type container struct {
	open, close int // of its brackets
	members     []part
}

// part is one member of an object or one element of an array.
type part struct {
	name  string // "" in an array
	at    int    // where its name begins, or the element
	value int    // where its value begins
	end   int    // after its value
	comma int    // the comma after it, -1 where there is none
}

// jsonReader goes through JSON, and where comments is set through what VS Code
// and its kin read: with comments, and commas after the last member. It keeps
// nothing of what it passes; only what its callers ask for is remembered, because
// some hosts keep megabytes in such a file.
type jsonReader struct {
	text     string
	at       int
	depth    int
	comments bool
}

// fail is an error at the place where the reader stands.
func (r *jsonReader) fail(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", line(r.text, r.at), fmt.Sprintf(format, args...))
}

// line is the number of the line that has the byte at an offset.
func line(text string, at int) int { return 1 + strings.Count(text[:min(at, len(text))], "\n") }

// space passes white space and comments.
func (r *jsonReader) space() error {
	for r.at < len(r.text) {
		switch rest := r.text[r.at:]; {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		case rest[0] != '/':
			return nil
		case !r.comments:
			return r.fail("comments are not allowed in this file")
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			r.at += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return r.fail("a comment does not end")
			}
			r.at += end + 4
		default:
			return r.fail("a slash that begins no comment")
		}
	}
	return nil
}

// peek is the next byte after white space, 0 at the end.
func (r *jsonReader) peek() (byte, error) {
	if err := r.space(); err != nil {
		return 0, err
	}
	if r.at == len(r.text) {
		return 0, nil
	}
	return r.text[r.at], nil
}

// value passes one value.
func (r *jsonReader) value() error {
	c, err := r.peek()
	switch {
	case err != nil:
		return err
	case c == '{' || c == '[':
		_, err := r.container(false, func(string) error { return r.value() })
		return err
	case c == '"':
		_, err := r.string()
		return err
	case c == 0:
		return r.fail("it ends where a value should be")
	}
	end := r.at
	for end < len(r.text) && strings.IndexByte(" \t\r\n,:/]}[{\"", r.text[end]) < 0 {
		end++
	}
	if end == r.at || !json.Valid([]byte(r.text[r.at:end])) { // a number or one of the three words
		return r.fail("no value of JSON begins here")
	}
	r.at = end
	return nil
}

// string reads a string.
func (r *jsonReader) string() (string, error) {
	end := r.at + 1
	for end < len(r.text) && r.text[end] != '"' {
		if r.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(r.text) {
		return "", r.fail("a string does not end")
	}
	raw := r.text[r.at : end+1]
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return "", r.fail("a string is not written as JSON has it")
	}
	r.at = end + 1
	return s, nil
}

// container passes an object or an array. each is called where a value begins,
// with its name, and passes it; with keep the parts are remembered.
func (r *jsonReader) container(keep bool, each func(name string) error) (container, error) {
	if r.depth++; r.depth > limits.HostDepth {
		return container{}, r.fail("nested more than %d levels deep", limits.HostDepth)
	}
	defer func() { r.depth-- }()
	c := container{open: r.at}
	object := r.text[r.at] == '{'
	closing := map[bool]byte{true: '}', false: ']'}[object]
	r.at++
	for first := true; ; first = false {
		b, err := r.peek()
		if err != nil {
			return c, err
		}
		if b == closing && (first || r.comments) { // with comments a comma may come last
			c.close = r.at
			r.at++
			return c, nil
		}
		p := part{at: r.at, comma: -1}
		if object {
			if p.name, err = r.name(b); err != nil {
				return c, err
			}
		}
		if _, err := r.peek(); err != nil {
			return c, err
		}
		p.value = r.at
		if err := each(p.name); err != nil {
			return c, err
		}
		p.end = r.at
		if b, err = r.peek(); err != nil {
			return c, err
		}
		if b == ',' {
			p.comma = r.at
			r.at++
		}
		if keep {
			c.members = append(c.members, p)
		}
		if b == closing {
			c.close = r.at
			r.at++
			return c, nil
		}
		if b != ',' {
			return c, r.fail("no comma and no end after a value")
		}
	}
}

// name reads the name of a member and the colon after it.
func (r *jsonReader) name(next byte) (string, error) {
	if next != '"' {
		return "", r.fail("a member has no name in quotes")
	}
	name, err := r.string()
	if err != nil {
		return "", err
	}
	if b, err := r.peek(); err != nil {
		return "", err
	} else if b != ':' {
		return "", r.fail("no colon after a name")
	}
	r.at++
	return name, nil
}

// place is where a path of names leads to.
type place struct {
	on     []container // the objects on the way, from the outermost
	found  int         // how many names of the path are there
	value  int         // the value of the whole path, where all are
	end    int
	inside container // the parts of that value, where it is an object or an array
}

// locate reads the whole text, which must be one object, and finds a path in it.
// A name on the way that is there twice is an error: which of the two counts, only
// the host knows.
func locate(text string, comments bool, path []string) (place, error) {
	r := &jsonReader{text: text, comments: comments}
	r.at = len(bom(text))
	if b, err := r.peek(); err != nil {
		return place{}, err
	} else if b != '{' {
		return place{}, r.fail("it is no JSON object")
	}
	var p place
	if err := r.follow(path, &p); err != nil {
		return place{}, err
	}
	if err := r.space(); err != nil {
		return place{}, err
	}
	if r.at < len(text) {
		return place{}, r.fail("there is something after its end")
	}
	return p, nil
}

func (r *jsonReader) follow(path []string, p *place) error {
	if len(path) == 0 {
		var err error
		p.value = r.at
		if b, _ := r.peek(); b == '{' || b == '[' {
			p.inside, err = r.container(true, func(string) error { return r.value() })
		} else {
			err = r.value()
		}
		p.end = r.at
		return err
	}
	if b, err := r.peek(); err != nil {
		return err
	} else if b != '{' {
		return r.fail("what should have %s is no object", spec.Quote(path[0]))
	}
	depth := len(p.on)
	p.on = append(p.on, container{})
	seen := false
	c, err := r.container(true, func(name string) error {
		if name != path[0] {
			return r.value()
		}
		if seen {
			return r.fail("%s is there twice", spec.Quote(name))
		}
		seen = true
		p.found++
		return r.follow(path[1:], p)
	})
	p.on[depth] = c
	return err
}

// bom is the mark that some editors put at the beginning.
func bom(text string) string {
	const mark = "\ufeff"
	if strings.HasPrefix(text, mark) {
		return mark
	}
	return ""
}

// plain is JSON without what only some read: comments and last commas become
// spaces. The text was read without an error before.
func plain(text string) []byte {
	out := []byte(text)
	r := &jsonReader{text: text, comments: true}
	comma := -1
	for r.at < len(text) {
		from := r.at
		_ = r.space()
		for i := from; i < r.at; i++ {
			if strings.IndexByte(" \t\r\n", out[i]) < 0 {
				out[i] = ' '
			}
		}
		if r.at == len(text) {
			break
		}
		switch c := text[r.at]; {
		case c == '"':
			if _, err := r.string(); err != nil {
				return nil
			}
			comma = -1
			continue
		case c == ',':
			comma = r.at
		case (c == '}' || c == ']') && comma >= 0:
			out[comma] = ' '
			comma = -1
		default:
			comma = -1
		}
		r.at++
	}
	return out
}
