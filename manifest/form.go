package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/schemas"
)

// form is one of our own schemas: what a manifest of one format looks like. Its
// patterns are harmless, so that unlike a [Schema] it needs no budget and no lock.
type form struct {
	doc      func() any // the schema, decoded
	annotate func() *jsonschema.Schema
	assert   func() *jsonschema.Schema // "format" asserts
	quick    func() *quick
}

// The forms; each is compiled when it is first used.
var (
	installForm = newForm(&schemas.Install)
	arcadeForm  = newForm(&schemas.Arcade)
	skillForm   = newForm(&schemas.Skill)
	patchForm   = newForm(&schemas.Patch)
)

func newForm(text *[]byte) *form {
	compile := func(formats bool) func() *jsonschema.Schema {
		return sync.OnceValue(func() *jsonschema.Schema {
			s, err := compileForm(*text, formats)
			if err != nil {
				panic("schemas: " + err.Error()) // a test compiles each
			}
			return s
		})
	}
	return &form{
		doc: sync.OnceValue(func() any {
			doc, err := decodeJSON(*text)
			if err != nil {
				panic("schemas: " + err.Error())
			}
			return doc
		}),
		annotate: compile(false), assert: compile(true),
		quick: sync.OnceValue(func() *quick { return quickly(parseJSON(*text, &report{}), &patternCache{}) }),
	}
}

func compileForm(text []byte, formats bool) (*jsonschema.Schema, error) {
	doc, err := decodeJSON(text)
	if err != nil {
		return nil, err
	}
	if err := prepareForm(doc); err != nil {
		return nil, err
	}
	moved, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.LoadURL = func(string) (io.ReadCloser, error) {
		return nil, errors.New("a schema may not refer to another document")
	}
	c.RegisterExtension(patternKeyword, nil, &patternBudget{})
	c.AssertFormat = true // the library always does in draft-07; what asserts is said here
	c.Formats = map[string]func(any) bool{}
	for name, holds := range formatsKnown() {
		c.Formats[name] = func(v any) bool {
			text, ok := v.(string)
			return !formats || !ok || holds(text)
		}
	}
	if err := c.AddResource(schemaURL, bytes.NewReader(moved)); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

// checkForm holds a manifest against a form and reports each thing that does not
// fit as a finding of the rule: with its JSON Pointer, its place, and a code that
// begins with "schema-". Of alternatives that a member such as kind chooses between,
// the chosen one is judged. It tells whether the manifest fits.
func checkForm(r *report, root *node, f *form, id rule) bool {
	steps := limits.ToolFile // more than a file of that size can need, which a test tries
	if q := f.quick(); q != nil && !r.formats && q.fits(root, &steps) {
		return true
	}
	compiled := f.annotate()
	if r.formats {
		compiled = f.assert()
	}
	value, cut := root.firstValues(maxExplained)
	var err error
	validate := func() error { err = compiled.Validate(value); return nil }
	broken := guard(validate)
	if broken == nil && err == nil && cut { // nothing among the first
		value = root.value()
		broken = guard(validate)
	}
	if broken != nil {
		r.addCode(id, "schema", root.at, "%s", broken)
		return false
	}
	var failed *jsonschema.ValidationError
	switch {
	case err == nil:
		return true
	case !errors.As(err, &failed):
		r.addCode(id, "schema", root.at, "%s", plainText(err.Error()))
		return false
	}
	e := explainer{report: r, root: root, schema: f.doc(), rule: id, said: map[string]bool{}}
	e.explain(failed, "", "")
	return false
}

// maxExplained is how many entries of a list of the outermost object are looked at to say
// what is wrong: more than any of our schemas allows to a list of objects.
const maxExplained = 1_000

// firstValues is value with the lists of the outermost object cut to their first entries,
// and whether one was longer: the library keeps reasons for each of a hundred thousand.
func (n *node) firstValues(most int) (value any, cut bool) {
	if n.kind != kindObject {
		return n.value(), false
	}
	short := *n
	short.members = slices.Clone(n.members)
	for i, m := range short.members {
		if len(m.value.items) > most {
			list := *m.value
			list.items = list.items[:most]
			short.members[i].value, cut = &list, true
		}
	}
	return short.value(), cut
}

// value is the node as the schema library takes it: numbers as they are spelled.
func (n *node) value() any {
	switch n.kind {
	case kindBoolean:
		return n.text == "true"
	case kindNumber:
		return json.Number(n.text)
	case kindString:
		return n.text
	case kindArray:
		items := make([]any, len(n.items))
		for i, item := range n.items {
			items[i] = item.value()
		}
		return items
	case kindObject:
		members := make(map[string]any, len(n.members))
		for _, m := range n.members {
			members[m.name] = m.value.value()
		}
		return members
	}
	return nil
}

// typeWord is the name that JSON Schema has for the type of the value.
func (n *node) typeWord() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object", "null"}[n.kind]
}

// follow returns what a JSON Pointer names in a decoded document, nil where it
// names nothing.
func follow(doc any, pointer string) any {
	if pointer == "" {
		return doc
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = pointerName(part)
		switch d := doc.(type) {
		case map[string]any:
			doc = d[part]
		case []any:
			i, ok := index(part)
			if !ok || i >= len(d) {
				return nil
			}
			doc = d[i]
		default:
			return nil
		}
	}
	return doc
}
