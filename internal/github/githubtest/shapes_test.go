package githubtest_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// shape is one type of testdata/shapes.txt; which of the fields is set tells
// what it is.
type shape struct {
	word   string           // string, number, boolean, null, any
	text   *string          // this very string
	ref    string           // another schema
	list   *shape           // of these
	fields map[string]field // of an object
	either []shape
}

type field struct {
	is       shape
	optional bool
}

type shapes map[string]shape

// readShapes reads the schemas.
func readShapes(t *testing.T) shapes {
	t.Helper()
	data, err := os.ReadFile("testdata/shapes.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := shapes{}
	for line := range strings.Lines(string(data)) {
		name, text, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || name == "#" {
			continue
		}
		r := &reader{text: text}
		all[name] = r.either()
		if r.text != "" {
			t.Fatalf("%s: %q is left", name, r.text)
		}
	}
	return all
}

type reader struct{ text string }

func (r *reader) next(s string) bool {
	rest, ok := strings.CutPrefix(r.text, s)
	r.text = rest
	return ok
}

func (r *reader) word() string {
	end := strings.IndexFunc(r.text, func(c rune) bool { return strings.ContainsRune(" :?|{}[]", c) })
	if end < 0 {
		end = len(r.text)
	}
	w := r.text[:end]
	r.text = r.text[end:]
	return w
}

func (r *reader) either() shape {
	all := []shape{r.one()}
	for r.next("|") {
		all = append(all, r.one())
	}
	if len(all) == 1 {
		return all[0]
	}
	return shape{either: all}
}

func (r *reader) one() shape {
	switch {
	case r.next("{"):
		fields := map[string]field{}
		for !r.next("}") {
			name := r.word()
			optional := r.next("?")
			if !r.next(":") {
				panic("no colon before " + r.text)
			}
			fields[name] = field{is: r.either(), optional: optional}
			r.next(" ")
		}
		return shape{fields: fields}
	case r.next("["):
		s := r.either()
		if !r.next("]") {
			panic("no bracket before " + r.text)
		}
		return shape{list: &s}
	case r.next("@"):
		return shape{ref: r.word()}
	case strings.HasPrefix(r.text, `"`):
		quoted, err := strconv.QuotedPrefix(r.text)
		if err != nil {
			panic(err)
		}
		r.text = r.text[len(quoted):]
		text, err := strconv.Unquote(quoted)
		if err != nil {
			panic(err)
		}
		return shape{text: &text}
	}
	return shape{word: r.word()}
}

// fits holds a decoded JSON value against a shape; "" if it has it.
func (all shapes) fits(where string, v any, s shape) string {
	switch {
	case s.ref != "":
		to, ok := all[s.ref]
		if !ok {
			return "no schema " + s.ref
		}
		return all.fits(where, v, to)
	case s.either != nil:
		var bad []string
		for _, one := range s.either {
			why := all.fits(where, v, one)
			if why == "" {
				return ""
			}
			bad = append(bad, why)
		}
		return strings.Join(slices.Compact(bad), "; ")
	case s.text != nil:
		if v != *s.text {
			return fmt.Sprintf("%s is %v and not %q", where, v, *s.text)
		}
		return ""
	case s.list != nil:
		list, ok := v.([]any)
		if !ok {
			return fmt.Sprintf("%s is %T and no list", where, v)
		}
		for i, one := range list {
			if why := all.fits(fmt.Sprintf("%s[%d]", where, i), one, *s.list); why != "" {
				return why
			}
		}
		return ""
	case s.fields != nil:
		return all.object(where, v, s)
	}
	ok := false
	switch s.word {
	case "any":
		ok = true
	case "string":
		_, ok = v.(string)
	case "number":
		_, ok = v.(float64)
	case "boolean":
		_, ok = v.(bool)
	case "null":
		ok = v == nil
	}
	if !ok {
		return fmt.Sprintf("%s is %T and no %s", where, v, s.word)
	}
	return ""
}

func (all shapes) object(where string, v any, s shape) string {
	o, ok := v.(map[string]any)
	if !ok {
		return fmt.Sprintf("%s is %T and no object", where, v)
	}
	for name, f := range s.fields {
		one, there := o[name]
		if !there {
			if !f.optional && name != "*" {
				return fmt.Sprintf("%s lacks %s", where, name)
			}
			continue
		}
		if why := all.fits(where+"."+name, one, f.is); why != "" {
			return why
		}
	}
	if _, open := s.fields["*"]; open {
		return ""
	}
	for name := range o {
		if _, known := s.fields[name]; !known {
			return fmt.Sprintf("%s has %s, which is not documented", where, name)
		}
	}
	return ""
}

// TestFits: the judge of all answers says no where it should.
func TestFits(t *testing.T) {
	r := &reader{text: `{a:string b?:number|null c:["x"|"y"] d?:{e:boolean *:any}}`}
	s := r.either()
	for _, tc := range []struct {
		value any
		good  bool
	}{
		{map[string]any{"a": "", "c": []any{}}, true},
		{map[string]any{"a": "", "b": nil, "c": []any{"x", "y"}, "d": map[string]any{"e": true, "more": 1.0}}, true},
		{map[string]any{"a": 1.0, "c": []any{}}, false},
		{map[string]any{"a": "", "c": []any{"z"}}, false},
		{map[string]any{"a": ""}, false},
		{map[string]any{"a": "", "c": []any{}, "z": 1.0}, false},
		{map[string]any{"a": "", "c": nil}, false},
		{map[string]any{"a": "", "c": []any{}, "b": "1"}, false},
		{map[string]any{"a": "", "c": []any{}, "d": map[string]any{}}, false},
		{[]any{}, false},
		{nil, false},
	} {
		if why := (shapes{}).fits("it", tc.value, s); (why == "") != tc.good {
			t.Errorf("%v: %q", tc.value, why)
		}
	}
}
