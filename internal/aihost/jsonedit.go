package aihost

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// edit is one change of a text: cut bytes at an offset give way to others.
type edit struct {
	at, cut int
	put     string
}

// apply makes changes that do not overlap.
func apply(text string, edits []edit) string {
	edits = slices.SortedStableFunc(slices.Values(edits), func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.at])
		b.WriteString(e.put)
		at = e.at + e.cut
	}
	b.WriteString(text[at:])
	return b.String()
}

// member is a value by its name. Objects are lists of them, so that what is
// written has an order.
type member struct {
	name  string
	value any // a string, []string, []any, []member, or int
}

// setJSON gives the changes after which a path of names has a value; none where it
// has it already. Objects that miss on the way are made.
func setJSON(text string, comments bool, path []string, value any) ([]edit, error) {
	if strings.TrimSpace(strings.TrimPrefix(text, bom(text))) == "" {
		s := style{newline: newlineOf(text), unit: "  "}
		return []edit{{len(bom(text)), len(text) - len(bom(text)), s.write(nest(path, value), "") + s.newline}}, nil
	}
	p, err := locate(text, comments, path)
	if err != nil {
		return nil, err
	}
	s := styleOf(text, p)
	if p.found == len(path) {
		if sameJSON(text[p.value:p.end], value) {
			return nil, nil
		}
		return []edit{{p.value, p.end - p.value, s.write(value, indentAt(text, p.value))}}, nil
	}
	inner := p.on[p.found]
	name := path[p.found]
	return s.insert(text, inner, func(s style, indent string) string {
		return s.write(name, "") + ": " + s.write(nest(path[p.found+1:], value), indent)
	}), nil
}

// nest is the value below the names of a path.
func nest(path []string, value any) any {
	for _, name := range slices.Backward(path) {
		value = []member{{name, value}}
	}
	return value
}

// appendJSON gives the changes after which the list at a path has one more element
// at its end; a list that misses is made.
func appendJSON(text string, comments bool, path []string, value any) ([]edit, error) {
	if strings.TrimSpace(strings.TrimPrefix(text, bom(text))) == "" {
		return setJSON(text, comments, path, []any{value})
	}
	p, err := locate(text, comments, path)
	if err != nil {
		return nil, err
	}
	if p.found < len(path) {
		return setJSON(text, comments, path, []any{value})
	}
	s := styleOf(text, p)
	return s.insert(text, p.inside, func(s style, indent string) string { return s.write(value, indent) }), nil
}

// dropPart gives the changes after which the i-th part of a container is gone.
func dropPart(text string, c container, i int) []edit {
	m := c.members[i]
	end := m.end
	var edits []edit
	switch {
	case m.comma >= 0:
		end = m.comma + 1
	case i > 0: // the comma before it would be the last thing then
		edits = append(edits, edit{at: c.members[i-1].comma, cut: 1})
	}
	from := m.at
	for from > 0 && strings.IndexByte(" \t", text[from-1]) >= 0 {
		from--
	}
	// The whole line goes, where nothing else is on it. A line break is kept where
	// it may be what ends a comment.
	if rest := strings.TrimLeft(text[end:], " \t"); from > 0 && text[from-1] == '\n' && (strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n")) {
		end = len(text) - len(rest)
		from--
		if from > 0 && text[from-1] == '\r' {
			from--
		}
	}
	edits = append(edits, edit{at: from, cut: end - from})
	if len(c.members) == 1 && strings.TrimSpace(text[c.open+1:from]+text[end:c.close]) == "" {
		return []edit{{at: c.open + 1, cut: c.close - c.open - 1}}
	}
	return edits
}

// style is how a file is written.
type style struct {
	newline string
	unit    string // of indentation
}

func newlineOf(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// styleOf takes the indentation of the first part that begins a line, which is one
// step deeper than the bracket that it is in.
func styleOf(text string, p place) style {
	s := style{newlineOf(text), "  "}
	for _, c := range slices.Concat(p.on, []container{p.inside}) {
		for _, m := range c.members {
			indent, first := indentOf(text, m.at)
			if unit, ok := strings.CutPrefix(indent, indentAt(text, c.open)); first && ok && unit != "" {
				s.unit = unit
				return s
			}
		}
	}
	return s
}

// indentOf is the white space before a place on its line, and whether nothing else
// is before it.
func indentOf(text string, at int) (indent string, first bool) {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	before := text[begin:at]
	rest := strings.TrimLeft(strings.TrimPrefix(before, bom(before)), " \t")
	return before[:len(before)-len(rest)], rest == ""
}

// indentAt is the indentation of the line that has a place.
func indentAt(text string, at int) string {
	indent, _ := indentOf(text, at)
	return strings.TrimPrefix(indent, bom(indent))
}

// insert puts a part at the end of a container: on a line of its own, unless what
// is there stands on one line.
func (s style) insert(text string, c container, part func(s style, indent string) string) []edit {
	outer := indentAt(text, c.open)
	if len(c.members) == 0 {
		end := len(strings.TrimRight(text[:c.close], " \t\r\n"))
		return []edit{{end, c.close - end, s.newline + outer + s.unit + part(s, outer+s.unit) + s.newline + outer}}
	}
	last := c.members[len(c.members)-1]
	indent, ownLine := indentOf(text, last.at)
	var edits []edit
	at, tail := last.end, ""
	if last.comma >= 0 {
		at, tail = last.comma+1, ","
	} else {
		edits = append(edits, edit{at: last.end, put: ","})
	}
	if !ownLine {
		return append(edits, edit{at: at, put: " " + part(style{newline: " "}, "") + tail})
	}
	return append(edits, edit{at: remark(text, at), put: s.newline + indent + part(s, indent) + tail})
}

// remark is the end of the comments that follow a place on its line, which belong
// to what is before them.
func remark(text string, at int) int {
	for {
		rest := strings.TrimLeft(text[at:], " \t")
		from := len(text) - len(rest)
		switch {
		case strings.HasPrefix(rest, "//"):
			comment, _, _ := strings.Cut(rest, "\n")
			return from + len(strings.TrimRight(comment, "\r"))
		case strings.HasPrefix(rest, "/*"):
			at = from + strings.Index(rest, "*/") + 2
		default:
			return at
		}
	}
}

// write writes a value, whose first line is indented already.
func (s style) write(value any, indent string) string {
	list := func(open, close string, n int, one func(i int) string) string {
		if n == 0 {
			return open + close
		}
		var b strings.Builder
		b.WriteString(open)
		for i := range n {
			b.WriteString(s.newline + indent + s.unit + one(i))
			if i < n-1 {
				b.WriteByte(',')
			}
		}
		b.WriteString(s.newline + indent + close)
		return b.String()
	}
	switch v := value.(type) {
	case []member:
		return list("{", "}", len(v), func(i int) string { return s.write(v[i].name, "") + ": " + s.write(v[i].value, indent+s.unit) })
	case []any:
		return list("[", "]", len(v), func(i int) string { return s.write(v[i], indent+s.unit) })
	case []string: // of arguments: short, and on one line
		var b []string
		for _, e := range v {
			b = append(b, s.write(e, ""))
		}
		return "[" + strings.Join(b, ", ") + "]"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // a string or a number always has a form
	return strings.TrimRight(b.String(), "\n")
}

// sameJSON tells whether a text says a value already.
func sameJSON(text string, value any) bool {
	var is, want any
	return json.Unmarshal(plain(text), &is) == nil &&
		json.Unmarshal([]byte(style{newline: "\n"}.write(value, "")), &want) == nil && reflect.DeepEqual(is, want)
}
