package aihost

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tomlTable is what one document says of one table, by its path.
type tomlTable struct {
	text   string
	path   []string
	self   *statement // its header, or its inline table; nil where there is none
	header bool
	keys   []statement // below it, in whatever form
	last   int         // end of the last thing that stands under its header
}

// findTOML reads a document and gathers a table. A table that is there twice, or is
// anything but a table, is an error.
func findTOML(text string, path []string) (tomlTable, error) {
	all, err := readTOML(text)
	if err != nil {
		return tomlTable{}, err
	}
	t := tomlTable{text: text, path: path}
	under := false
	for i, s := range all {
		onWay := len(s.path) <= len(path) && slices.Equal(s.path, path[:len(s.path)])
		below := len(s.path) > len(path) && slices.Equal(s.path[:len(path)], path)
		switch {
		case onWay && (s.list || !s.header && !s.inside):
			return t, fmt.Errorf("line %d: %s is no table", line(text, s.at), strings.Join(s.path, "."))
		case onWay && len(s.path) == len(path):
			if t.self != nil {
				return t, fmt.Errorf("line %d: %s is there twice", line(text, s.at), strings.Join(s.path, "."))
			}
			t.self, t.header, t.last = &all[i], s.header, s.end
		case below && s.list:
			return t, fmt.Errorf("line %d: %s is a list of tables", line(text, s.at), strings.Join(s.path, "."))
		case below:
			if !s.header && t.get(s.path[len(path):]...) != nil {
				return t, fmt.Errorf("line %d: %s is there twice", line(text, s.at), strings.Join(s.path, "."))
			}
			t.keys = append(t.keys, s)
		}
		if s.header {
			under = s.header && slices.Equal(s.path, path)
		}
		if under {
			t.last = max(t.last, s.end)
		}
	}
	return t, nil
}

// get is the statement of one key below the table.
func (t tomlTable) get(path ...string) *statement {
	for i, s := range t.keys {
		if !s.header && slices.Equal(s.path[len(t.path):], path) {
			return &t.keys[i]
		}
	}
	return nil
}

// there tells whether the document says anything of the table.
func (t tomlTable) there() bool { return t.self != nil || len(t.keys) > 0 }

// setTOML gives the changes, step by step, after which a table has the members, and
// the text after them; no step where it has them. A table that misses is written at
// the end of the document.
func setTOML(text string, path []string, members []member) (steps [][]edit, after string, err error) {
	t, err := findTOML(text, path)
	if err == nil && !t.there() {
		edits, err := newTable(text, path, members)
		return oneStep(text, edits, err)
	}
	for _, m := range members {
		if err != nil {
			return nil, "", err
		}
		edits, no := t.set(m)
		if no != nil {
			return nil, "", no
		}
		if len(edits) > 0 {
			steps, text = append(steps, edits), apply(text, edits)
			t, err = findTOML(text, path)
		}
	}
	return steps, text, err
}

// set gives the changes after which the table has one member.
func (t tomlTable) set(m member) ([]edit, error) {
	if inner, ok := m.value.([]member); ok && len(inner) == 1 && (t.get(m.name) != nil || t.below(m.name)) {
		sub, err := findTOML(t.text, append(slices.Clone(t.path), m.name))
		if err != nil {
			return nil, err
		}
		return sub.set(inner[0]) // we have but one
	}
	if t.below(m.name) {
		return nil, fmt.Errorf("%s is a table", strings.Join(append(slices.Clone(t.path), m.name), "."))
	}
	if s := t.get(m.name); s != nil {
		if reflect.DeepEqual(s.text, m.value) {
			return nil, nil
		}
		return []edit{{s.value, s.end - s.value, tomlValue(m.value)}}, nil
	}
	pair := tomlKey(m.name) + " = " + tomlValue(m.value)
	switch {
	case t.self == nil:
		return nil, errors.New("it is written as single keys with dots; write it as a table of its own, or remove it")
	case t.header:
		end := len(t.text) // of the line, with a remark on it
		if i := strings.IndexByte(t.text[t.last:], '\n'); i >= 0 {
			end = len(strings.TrimSuffix(t.text[:t.last+i], "\r"))
		}
		return []edit{{at: end, put: newlineOf(t.text) + pair}}, nil
	case t.self.empty:
		return []edit{{t.self.value, t.self.end - t.self.value, "{ " + pair + " }"}}, nil
	}
	return []edit{{at: t.self.value + 1, put: " " + pair + ","}}, nil
}

// below tells whether a member is a table with a header of its own, or made of
// keys with dots.
func (t tomlTable) below(name string) bool {
	return slices.ContainsFunc(t.keys, func(s statement) bool {
		return s.path[len(t.path)] == name && (s.header || len(s.path) > len(t.path)+1)
	}) && t.get(name) == nil
}

// newTable writes the table at the end, or into the inline table that it has to be
// in.
func newTable(text string, path []string, members []member) ([]edit, error) {
	outer, err := findTOML(text, path[:len(path)-1])
	if err != nil {
		return nil, err
	}
	if outer.self != nil && !outer.header {
		return outer.set(member{path[len(path)-1], members})
	}
	nl := newlineOf(text)
	var b strings.Builder
	if rest := strings.TrimPrefix(text, bom(text)); rest != "" {
		if !strings.HasSuffix(rest, "\n") {
			b.WriteString(nl)
		}
		if strings.TrimSpace(rest) != "" && !strings.HasSuffix(rest, nl+nl) {
			b.WriteString(nl)
		}
	}
	var names []string
	for _, n := range path {
		names = append(names, tomlKey(n))
	}
	b.WriteString("[" + strings.Join(names, ".") + "]" + nl)
	for _, m := range members {
		b.WriteString(tomlKey(m.name) + " = " + tomlValue(m.value) + nl)
	}
	return []edit{{at: len(text), put: b.String()}}, nil
}

// dropTOML gives the changes after which the document says nothing of a table.
func dropTOML(text string, path []string) ([]edit, error) {
	all, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	var edits []edit
	under := false // a header that is to go
	for i := 0; i < len(all); i++ {
		s := all[i]
		ours := len(s.path) >= len(path) && slices.Equal(s.path[:len(path)], path)
		if s.header {
			under = ours
		}
		if !ours {
			continue
		}
		gone := wholeLine(text, s.at, s.end)
		if !under && inInline(all[:i], s) {
			if !s.inside || len(s.path) > len(path) {
				return nil, fmt.Errorf("line %d: %s is part of an inline table, as single keys with dots: remove it by hand", line(text, s.at), strings.Join(path, "."))
			}
			gone = inlinePart(text, s.at, s.end)
		}
		if nl := newlineOf(text); s.header && strings.HasSuffix(text[:gone.at], nl+nl) { // the empty line before it
			gone.at, gone.cut = gone.at-len(nl), gone.cut+len(nl)
		}
		edits = append(edits, gone)
		for i+1 < len(all) && all[i+1].at < s.end { // what is inside an inline table
			i++
		}
	}
	return edits, nil
}

// inInline tells whether a statement stands inside one of those before it.
func inInline(before []statement, s statement) bool {
	return slices.ContainsFunc(before, func(b statement) bool { return b.inside && b.value < s.at && s.at < b.end })
}

// inlinePart takes a member out of an inline table, with the comma behind it, or before
// it where it is the last, or all blanks where it is the only one.
func inlinePart(text string, at, end int) edit {
	const blanks = " \t"
	before := len(strings.TrimRight(text[:at], blanks))
	behind := len(text) - len(strings.TrimLeft(text[end:], blanks))
	switch {
	case text[behind] == ',':
		end = len(text) - len(strings.TrimLeft(text[behind+1:], blanks))
	case text[before-1] == ',':
		at = before - 1
	default:
		at, end = before, behind
	}
	return edit{at: at, cut: end - at}
}

// wholeLine takes out what stands from at to end, with its remark and the end of
// its line.
func wholeLine(text string, at, end int) edit {
	for at > 0 && strings.IndexByte(" \t", text[at-1]) >= 0 {
		at--
	}
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		end += i + 1
	} else {
		end = len(text)
	}
	return edit{at: at, cut: end - at}
}

func tomlKey(name string) string {
	if name != "" && strings.IndexFunc(name, func(c rune) bool { return c > 0x7f || !bare(byte(c)) }) < 0 {
		return name
	}
	return tomlValue(name)
}

// tomlValue writes a string, a list of strings, or an inline table.
func tomlValue(value any) string {
	var parts []string
	switch v := value.(type) {
	case string:
		return tomlString(v)
	case []string:
		for _, s := range v {
			parts = append(parts, tomlString(s))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []member:
		for _, m := range v {
			parts = append(parts, tomlKey(m.name)+" = "+tomlValue(m.value))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	panic("aihost: no such value in TOML")
}

// tomlString takes the literal form where it can: in it paths of Windows are as
// they are.
func tomlString(s string) string {
	if strings.Contains(s, `\`) && strings.IndexFunc(s, func(c rune) bool { return c == '\'' || c < ' ' || c == 0x7f }) < 0 {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ' || c == 0x7f:
			b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(c), 16)[1:])
		default:
			b.WriteRune(c)
		}
		i += n
	}
	b.WriteByte('"')
	return b.String()
}
