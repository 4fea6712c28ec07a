package manifest

import (
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/spec"
)

// holds says what stands below a keyword of JSON Schema.
type holds int

const (
	holdsValue   holds = iota // a setting, checked by the metaschema
	holdsData                 // any JSON, not a schema
	holdsSchema               // a schema, or true or false
	holdsList                 // an array of schemas
	holdsMap                  // an object of schemas
	holdsPattern              // a regular expression
)

// schemaKeywords are the keywords of JSON Schema 2020-12 that items may use.
// What is left out refers to other documents or to itself ($ref, $id), or
// would need another engine for regular expressions in property names; a
// keyword that a checker doesn't know would be a rule nobody enforces.
var schemaKeywords = map[string]holds{
	"type": holdsValue, "title": holdsValue, "description": holdsValue, "format": holdsValue, "deprecated": holdsValue,
	"minimum": holdsValue, "maximum": holdsValue, "exclusiveMinimum": holdsValue, "exclusiveMaximum": holdsValue,
	"multipleOf": holdsValue, "minLength": holdsValue, "maxLength": holdsValue, "minItems": holdsValue,
	"maxItems": holdsValue, "uniqueItems": holdsValue, "minProperties": holdsValue, "maxProperties": holdsValue,
	"required": holdsValue,
	"enum":     holdsData, "const": holdsData, "default": holdsData, "examples": holdsData,
	"items": holdsSchema, "additionalProperties": holdsSchema, "not": holdsSchema,
	"anyOf": holdsList, "oneOf": holdsList, "allOf": holdsList, "prefixItems": holdsList,
	"properties": holdsMap,
	"pattern":    holdsPattern,
}

// itemsSchema checks a schema of array elements and reports each problem at
// its own place. It tells whether the schema can be kept.
func (p *patchReader) itemsSchema(n *node) bool {
	p.unclear(n)
	if !p.subschema(n) {
		return false
	}
	s := newSchema(n.json())
	if err := s.compile(); err != nil {
		at, what := n.at, err.Error()
		if pointer, message, ok := schemaProblem(err); ok {
			at, what = n.find(pointer).at, message
		}
		p.add(badItems, at, "items are not a valid JSON Schema: %s", what)
		return false
	}
	return true
}

// maxItemSchemas is how many schemas the items of a file have together: each takes the
// library tens of microseconds to compile, twice where there is a default.
const maxItemSchemas = 800

func (p *patchReader) subschema(n *node) bool {
	if p.schemas++; p.schemas > maxItemSchemas {
		if p.schemas == maxItemSchemas+1 {
			p.add(badItems, n.at, "this file has more than %d schemas in its items", maxItemSchemas)
		}
		return false
	}
	switch n.kind {
	case kindObject:
	case kindBoolean:
		return true
	case kindBroken:
		return false
	default:
		p.add(badItems, n.at, "a schema must be an object, this is %s", n.kind)
		return false
	}
	good := true
	for _, m := range n.members {
		what, known := schemaKeywords[m.name]
		switch {
		case strings.HasPrefix(m.name, "x-"):
		case !known:
			p.add(badItems, m.at, "the keyword %s is not allowed in items", spec.Quote(m.name))
			good = false
		case what == holdsSchema:
			good = p.subschema(m.value) && good
		case what == holdsList && m.value.kind == kindArray:
			for _, item := range m.value.items {
				good = p.subschema(item) && good
			}
		case what == holdsMap && m.value.kind == kindObject:
			for _, property := range m.value.members {
				good = p.subschema(property.value) && good
			}
		case what == holdsPattern:
			good = p.pattern(m.value) && good
		case m.name == "type" && m.value.kind == kindArray:
			for _, item := range m.value.items {
				good = p.typeWord(item) && good
			}
		case m.name == "type":
			good = p.typeWord(m.value) && good
		}
	}
	return good
}

// typeWord checks the name of a type inside a schema. The word null without
// quotes is YAML's null and is made the name of the type.
func (p *patchReader) typeWord(n *node) bool {
	t := p.typeOf(n, outputTypes)
	if t == spec.TypeNull {
		n.kind = kindString
	}
	return t != ""
}

func (p *patchReader) pattern(n *node) bool {
	if !p.is(n, kindString, "a pattern") {
		return false
	}
	if length := utf8.RuneCountInString(n.text); length > maxPattern {
		p.add(badPattern, n.at, "the pattern has %d characters, allowed are %d", length, maxPattern)
		return false
	}
	if _, err := compilePattern(n.text); err != nil {
		p.add(badPattern, n.at, "pattern %s: %s", spec.Quote(n.text), err)
		return false
	}
	return true
}

// find follows a JSON Pointer as far as it leads.
func (n *node) find(pointer string) *node {
	if pointer == "" {
		return n
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = pointerName(part)
		next := n.get(part)
		if i, ok := index(part); next == nil && ok && i < len(n.items) {
			next = n.items[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// index reads an array index of a JSON Pointer.
func index(part string) (int, bool) {
	i := 0
	for _, c := range []byte(part) {
		if c < '0' || c > '9' || i > 1<<20 {
			return 0, false
		}
		i = i*10 + int(c-'0')
	}
	return i, part != ""
}
