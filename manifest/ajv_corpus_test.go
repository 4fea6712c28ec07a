package manifest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// variant makes documents of one: each differs from it in one place, by what the
// schema at that place says and by what is wrong everywhere. Documents are JSON
// texts, so that 1.0 stays what it is.
type variant struct {
	schema any
	made   map[string]bool
	list   []string
}

// variantsOf returns different documents, at most so many, chosen by a hash of
// their text so that the choice is the same everywhere and of all kinds.
func variantsOf(tb testing.TB, schema any, bases []string, most int) []string {
	tb.Helper()
	v := &variant{schema: schema, made: map[string]bool{}}
	for _, base := range bases {
		root := parseJSON([]byte(base), &report{})
		if root == nil {
			tb.Fatalf("the base is not JSON: %s", base)
		}
		v.keep(root)
		v.walk(root, root, schema, func(n *node) *node { return n })
	}
	slices.SortFunc(v.list, func(a, b string) int {
		return int(int64(hash(a)>>1) - int64(hash(b)>>1))
	})
	out := v.list[:min(most, len(v.list))]
	slices.Sort(out)
	for _, base := range bases { // each is in, whatever its hash
		text := string(parseJSON([]byte(base), &report{}).json())
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64() >> 1
}

func (v *variant) keep(n *node) {
	text := string(n.json())
	if len(text) < 60_000 && !v.made[text] {
		v.made[text] = true
		v.list = append(v.list, text)
	}
}

// anything are values of every type, and numbers that are odd to somebody.
var anything = func() []*node {
	var out []*node
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `1.0`, `1.5`, `30.0`, `3e1`, `300`, `301`, `9007199254740992`, `9007199254740993`, `1e300`, `-0`,
		`""`, `"x"`, `"X"`, `"0.2"`, `"\n"`, `[]`, `{}`, `[null]`, `["x"]`, `[1]`, `[[]]`, `{"x_extra":1}`, `{"__proto__":1}`, `{"type":"object"}`,
	} {
		out = append(out, parseJSON([]byte(text), &report{}))
	}
	return out
}()

// walk makes the variants at n and below. rebuild returns a copy of the root with
// another value where n stands.
func (v *variant) walk(root, n *node, schema any, rebuild func(*node) *node) {
	put := func(other *node) { v.keep(rebuild(other)) }
	for _, value := range anything {
		put(value)
	}
	s := v.resolved(schema, n)
	switch n.kind {
	case kindString:
		v.texts(n, s, put)
	case kindNumber:
		for _, suffix := range []string{".0", ".5", "0", "1"} {
			if text := strings.TrimSuffix(n.text, ".0") + suffix; isNumber(text) {
				put(&node{kind: kindNumber, text: text})
			}
		}
	case kindArray:
		put(&node{kind: kindArray, items: append(slices.Clone(n.items), anything[0])})
		for _, most := range []string{"minItems", "maxItems"} {
			limit, ok := number(s[most])
			for _, size := range []int{limit - 1, limit, limit + 1} {
				if ok && size >= 0 && len(n.items) > 0 {
					put(&node{kind: kindArray, items: slices.Repeat(n.items[:1], size)})
				}
			}
		}
		for i, item := range n.items {
			v.walk(root, item, s["items"], func(other *node) *node {
				items := slices.Clone(n.items)
				items[i] = other
				return rebuild(&node{kind: kindArray, items: items})
			})
		}
	case kindObject:
		v.object(root, n, s, put, rebuild)
	}
}

func (v *variant) object(root, n *node, s map[string]any, put func(*node), rebuild func(*node) *node) {
	with := func(members ...member) *node { return &node{kind: kindObject, members: members} }
	for i, m := range n.members {
		put(with(slices.Delete(slices.Clone(n.members), i, i+1)...))
		if upper := strings.ToUpper(m.name); n.get(upper) == nil {
			put(with(append(slices.Delete(slices.Clone(n.members), i, i+1), member{name: upper, value: m.value})...))
		}
		var below any
		if p, ok := s["properties"].(map[string]any); ok {
			below = p[m.name]
		}
		v.walk(root, m.value, below, func(other *node) *node {
			members := slices.Clone(n.members)
			members[i].value = other
			return rebuild(with(members...))
		})
	}
	for _, name := range []string{"x_extra", "x-extra", "__proto__", "constructor", "$schema", "toString", ""} {
		if n.get(name) == nil {
			put(with(append(slices.Clone(n.members), member{name: name, value: anything[1]})...))
		}
	}
	for name, sub := range properties(v.schema) { // members of other branches and objects
		if n.get(name) == nil {
			for _, value := range []*node{anything[16], anything[20], anything[21], anything[22]} {
				if hash(name+string(n.json()))%5 == 0 || sub {
					put(with(append(slices.Clone(n.members), member{name: name, value: value})...))
				}
			}
		}
	}
}

// texts makes strings of the lengths that the schema bounds, in characters of one
// byte, of four, and with a combining one, and strings next to a pattern.
func (v *variant) texts(n *node, s map[string]any, put func(*node)) {
	say := func(text string) { put(&node{kind: kindString, text: text}) }
	for _, text := range []string{n.text + "\n", "\n" + n.text, n.text + " ", strings.ToUpper(n.text), strings.ToLower(n.text), n.text + "_", "-" + n.text, n.text + "é", "٣" + n.text, "not a uri"} {
		say(text)
	}
	for _, keyword := range []string{"minLength", "maxLength"} {
		limit, ok := number(s[keyword])
		for _, size := range []int{limit - 1, limit, limit + 1} {
			if ok && size >= 0 {
				say(strings.Repeat("a", size))
				say(strings.Repeat("𝄞", size))
				say(strings.Repeat("e\u0301", size/2))
			}
		}
	}
	if _, ok := s["pattern"]; ok {
		for _, size := range []int{1, 2, 3, 4, 62, 63, 64, 65, 66} {
			say(strings.Repeat("a", size))
			say(strings.Repeat("A", size))
		}
	}
	if list, ok := s["enum"].([]any); ok {
		for _, word := range list {
			if text, ok := word.(string); ok {
				say(text)
				say(text + "s")
			}
		}
	}
	for _, word := range constants(v.schema) {
		say(word)
	}
}

// resolved follows references and finds, of alternatives, the one that the value
// chooses.
func (v *variant) resolved(schema any, n *node) map[string]any {
	m, _ := schema.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		return v.resolved(follow(v.schema, strings.TrimPrefix(ref, "#")), n)
	}
	for _, keyword := range []string{"oneOf", "then"} {
		list, _ := m[keyword].([]any)
		if one, ok := m[keyword].(map[string]any); ok {
			list = []any{one}
		}
		for _, b := range list {
			branch, _ := b.(map[string]any)
			for _, by := range []string{"method", "kind"} {
				if c := constant(branch, by); c != "" && n.get(by) != nil && n.get(by).text == c {
					return branch
				}
			}
			if branch["type"] == n.typeWord() || keyword == "then" && m["properties"] == nil {
				return branch
			}
		}
	}
	return m
}

func number(v any) (int, bool) {
	if v == nil {
		return 0, false
	}
	n, err := strconv.Atoi(fmt.Sprint(v))
	return n, err == nil
}

// properties are all names of members that a schema has anywhere; the value tells
// those of short schemas, of which every one is tried everywhere.
func properties(schema any) map[string]bool {
	out := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if p, ok := v["properties"].(map[string]any); ok {
				for name := range p {
					out[name] = false
				}
			}
			for _, sub := range v {
				walk(sub)
			}
		case []any:
			for _, sub := range v {
				walk(sub)
			}
		}
	}
	walk(schema)
	return out
}

// constants are all values of "const" in a schema.
func constants(schema any) []string {
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if c, ok := v["const"].(string); ok {
				out = append(out, c)
			}
			for _, sub := range v {
				walk(sub)
			}
		case []any:
			for _, sub := range v {
				walk(sub)
			}
		}
	}
	walk(schema)
	slices.Sort(out)
	return slices.Compact(out)
}
