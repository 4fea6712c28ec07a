package manifest

import (
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// Codes of what is wrong with a schema that a manifest carries [TI-P26].
const (
	codeSchemaInvalid = "input-schema-invalid"
	codeSchemaRemote  = "input-schema-remote-ref"
	codeSchemaDialect = "input-schema-dialect"
)

// schemaLint looks at one schema in a manifest: whether it is one of JSON Schema
// 2020-12 by the table of the dialect, whole in itself, and finite.
type schemaLint struct {
	say      func(code string, at pos, where, message string)
	patterns *patternCache
	root     *node
	base     map[*node]*url.URL // of each schema, the resource that it is in
	where    map[*node]string   // JSON Pointer of each schema that was seen
	names    map[string]*node   // resources and anchors by their URI
	refs     []reference
	count    int
	good     bool
}

type reference struct {
	from   *node
	to     string
	at     pos
	where  string
	target *node
}

// schemaBase is the address of a schema that names none.
const schemaBase = "urn:patch-git:schema"

// lintSchema reports what is wrong with a schema, and tells whether it can be used
// and how many schemas are in it.
func lintSchema(root *node, where string, patterns *patternCache, say func(code string, at pos, where, message string)) (count int, good bool) {
	base, _ := url.Parse(schemaBase)
	l := &schemaLint{
		say: say, patterns: patterns, root: root, good: true,
		base: map[*node]*url.URL{}, where: map[*node]string{}, names: map[string]*node{schemaBase: root},
	}
	l.schema(root, where, base)
	for i := 0; i < len(l.refs) && l.good; i++ { // a target may hold more of them
		l.resolve(&l.refs[i])
	}
	if l.good {
		l.finite()
	}
	return l.count, l.good
}

func (l *schemaLint) bad(at pos, where, format string, args ...any) {
	l.fail(codeSchemaInvalid, at, where, format, args...)
}

func (l *schemaLint) fail(code string, at pos, where, format string, args ...any) {
	l.good = false
	l.say(code, at, where, fmt.Sprintf(format, args...))
}

func (l *schemaLint) schema(n *node, where string, base *url.URL) {
	if _, seen := l.where[n]; seen {
		return
	}
	l.where[n] = where
	if n.kind == kindBoolean {
		return
	}
	if n.kind != kindObject {
		l.bad(n.at, where, "a schema is an object, true or false; this is %s", n.kind)
		return
	}
	if l.count++; l.count > maxSubschemas {
		if l.count == maxSubschemas+1 {
			l.bad(n.at, where, "the schema consists of more than %d schemas", maxSubschemas)
		}
		return
	}
	if id := n.get("$id"); id != nil && id.kind == kindString {
		if u, err := base.Parse(id.text); err == nil && (isURI(strings.TrimSuffix(id.text, "#")) || isRelative(strings.TrimSuffix(id.text, "#"))) {
			base = u
			l.names[strings.TrimSuffix(u.String(), "#")] = n
		} else {
			l.bad(id.at, where+"/$id", "%s is not a URI", spec.Quote(id.text))
		}
	}
	l.base[n] = base
	for _, m := range n.members {
		l.keyword(n, m, where+"/"+pointerPart(m.name), base)
	}
}

func (l *schemaLint) keyword(n *node, m member, where string, base *url.URL) {
	v := m.value
	want := func(ok bool, what string) bool {
		if !ok {
			l.bad(v.at, where, "%s must be %s, this is %s", spec.Quote(m.name), what, shown(v))
		}
		return ok
	}
	switch s := dialect[m.name]; s {
	case shapeAny:
	case shapeText, shapeID, shapeAnchor, shapeRef, shapeDialect, shapePattern:
		if want(v.kind == kindString, "a string") {
			l.text(n, s, v, where, base)
		}
	case shapeBoolean:
		want(v.kind == kindBoolean, "true or false")
	case shapeNumber:
		want(v.kind == kindNumber, "a number")
	case shapePositive:
		want(v.kind == kindNumber && sign(v.text) > 0, "a number above 0")
	case shapeCount:
		want(v.kind == kindNumber && sign(v.text) >= 0 && isInteger(v.text), "an integer from 0 on")
	case shapeArray:
		want(v.kind == kindArray, "an array")
	case shapeNames:
		want(areNames(v), "an array of different strings")
	case shapeNameMap:
		want(v.kind == kindObject && !slices.ContainsFunc(v.members, func(m member) bool { return !areNames(m.value) }), "an object of arrays of different strings")
	case shapeType:
		want(isTypes(v), "a type, or an array of different types")
	case shapeVocabulary:
		want(v.kind == kindObject && !slices.ContainsFunc(v.members, func(m member) bool { return m.value.kind != kindBoolean }), "an object of true and false")
	default:
		l.below(s, m, where, base, want)
	}
}

// below looks at the schemas that a keyword holds.
func (l *schemaLint) below(s shape, m member, where string, base *url.URL, want func(bool, string) bool) {
	v := m.value
	switch s {
	case shapeSchema:
		l.schema(v, where, base)
	case shapeList:
		if want(v.kind == kindArray && len(v.items) > 0, "an array of schemas") {
			for i, item := range v.items {
				l.schema(item, fmt.Sprintf("%s/%d", where, i), base)
			}
		}
	case shapeMap, shapeDependencies:
		if !want(v.kind == kindObject, "an object of schemas") {
			return
		}
		for _, p := range v.members {
			if s == shapeDependencies && areNames(p.value) {
				continue
			}
			if m.name == "patternProperties" {
				l.pattern(p.name, p.at, where+"/"+pointerPart(p.name))
			}
			l.schema(p.value, where+"/"+pointerPart(p.name), base)
		}
	}
}

// text looks at a keyword whose value is a string.
func (l *schemaLint) text(n *node, s shape, v *node, where string, base *url.URL) {
	switch s {
	case shapePattern:
		l.pattern(v.text, v.at, where)
	case shapeDialect:
		if strings.TrimSuffix(v.text, "#") != draft {
			l.fail(codeSchemaDialect, v.at, where, "the dialect is %s, read is %s", spec.Quote(v.text), draft)
		}
	case shapeID:
		if _, fragment, _ := strings.Cut(v.text, "#"); fragment != "" {
			l.bad(v.at, where, "%s has a fragment", spec.Quote(v.text))
		}
	case shapeAnchor:
		if !isAnchor(v.text) {
			l.bad(v.at, where, "%s is not the name of an anchor", spec.Quote(v.text))
			return
		}
		l.names[base.String()+"#"+v.text] = n
	case shapeRef:
		l.refs = append(l.refs, reference{from: n, to: v.text, at: v.at, where: where})
	}
}

func (l *schemaLint) pattern(text string, at pos, where string) {
	if _, err := l.patterns.compile(text); err != nil {
		l.bad(at, where, "the pattern %s is not one of ECMAScript: %s", spec.Quote(text), err)
	}
}

// resolve finds what a reference refers to, within the document alone.
func (l *schemaLint) resolve(r *reference) {
	u, err := l.base[r.from].Parse(r.to)
	if err != nil {
		l.bad(r.at, r.where, "%s is not a URI", spec.Quote(r.to))
		return
	}
	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	resource := l.names[u.String()]
	switch {
	case resource == nil:
		l.fail(codeSchemaRemote, r.at, r.where, "it refers to another document, %s", spec.Quote(r.to))
		return
	case fragment == "":
		r.target = resource
	case strings.Contains(fragment, "/patternProperties/"), strings.HasSuffix(fragment, "/additionalProperties"):
		l.bad(r.at, r.where, "%s refers to where a schema has no name of its own; put it into $defs", spec.Quote(r.to))
		return
	case fragment[0] == '/':
		r.target = resource.exactly(fragment)
	default:
		r.target = l.names[u.String()+"#"+fragment]
	}
	if r.target == nil {
		l.bad(r.at, r.where, "%s refers to nothing", spec.Quote(r.to))
		return
	}
	if _, seen := l.where[r.target]; !seen {
		l.schema(r.target, r.where, l.base[r.from]) // what no keyword holds must be a schema, too
	}
}

// finite refuses schemas that refer to themselves for one and the same value.
func (l *schemaLint) finite() {
	targets := map[*node][]*node{}
	for _, r := range l.refs {
		targets[r.from] = append(targets[r.from], r.target)
	}
	const open, done = 1, 2
	state := map[*node]int{}
	var visit func(n *node) bool
	visit = func(n *node) bool {
		if n == nil || state[n] == done {
			return true
		}
		if state[n] == open {
			return false
		}
		state[n] = open
		for _, next := range slices.Concat(n.inPlace(), targets[n]) {
			if !visit(next) {
				return false
			}
		}
		state[n] = done
		return true
	}
	for _, r := range l.refs { // each circle has one
		if !visit(r.from) {
			l.bad(r.at, r.where, "the schema refers to itself without end")
			return
		}
	}
}

// inPlace are the schemas that hold for the same value as this one.
func (n *node) inPlace() []*node {
	var out []*node
	for _, m := range n.members {
		switch m.name {
		case "allOf", "anyOf", "oneOf":
			out = append(out, m.value.items...)
		case "not", "if", "then", "else":
			out = append(out, m.value)
		case "dependentSchemas", "dependencies":
			for _, p := range m.value.members {
				out = append(out, p.value)
			}
		}
	}
	return out
}

// exactly follows a JSON Pointer to its end; nil where it leads nowhere.
func (n *node) exactly(pointer string) *node {
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = pointerName(part)
		next := n.get(part)
		if i, ok := index(part); n.kind == kindArray && ok && i < len(n.items) && (part == "0" || part[0] != '0') {
			next = n.items[i]
		}
		if next == nil {
			return nil
		}
		n = next
	}
	return n
}

func sign(text string) int {
	if text[0] != '-' && strings.Trim(text, "0123456789") == "" { // nearly all
		return len(strings.TrimLeft(text, "0"))
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return -1
	}
	return r.Sign()
}

func areNames(n *node) bool {
	if n.kind != kindArray {
		return false
	}
	seen := map[string]bool{}
	for _, item := range n.items {
		if item.kind != kindString || seen[item.text] {
			return false
		}
		seen[item.text] = true
	}
	return true
}

func isTypes(n *node) bool {
	word := func(n *node) bool { return n.kind == kindString && typeArticles[n.text] != "" }
	if n.kind != kindArray {
		return word(n)
	}
	return areNames(n) && len(n.items) > 0 && !slices.ContainsFunc(n.items, func(item *node) bool { return !word(item) })
}

// isAnchor tells whether s is a name of an anchor: a letter or _, then letters,
// digits, -, _ and points.
func isAnchor(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isLetter(c) && c != '_' && (i == 0 || !isDigit(c) && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}
