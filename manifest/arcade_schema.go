package manifest

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/patch-cat/patch-git/spec"
)

// ArcadeInput is the JSON Schema of a definition's parameters, as Arcade's own
// converter makes it [§6.3]: an object of one property for each parameter, the
// required ones listed, and no others. The losses tell what is only nearly the same,
// by pointers into the definition.
func ArcadeInput(a *spec.Arcade) (json.RawMessage, []Loss) {
	var losses []Loss
	b := []byte(`{"type":"object","properties":{`)
	var required []byte
	for i, p := range a.Parameters {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONString(b, p.Name), ':')
		value, lost := arcadeValue(&p.Value, p.Description)
		b = append(b, value...)
		losses = append(losses, below(indexed("/input/parameters", i)+"/value_schema", lost)...)
		if !p.Inferrable {
			losses = append(losses, Loss{indexed("/input/parameters", i) + "/inferrable", Dropped, "a JSON Schema cannot say that a model must not infer a value", false})
		}
		if p.Required {
			required = append(appendJSONString(required, p.Name), ',')
		}
	}
	b = append(b, '}')
	if len(required) > 0 {
		b = append(append(append(b, `,"required":[`...), required[:len(required)-1]...), ']')
	}
	return append(b, `,"additionalProperties":false}`...), losses
}

// ArcadeOutput is the JSON Schema of a definition's answer as MCP wants it, an
// object: what is no object stands in its member "result". It is nil where the
// definition says nothing of the answer.
func ArcadeOutput(a *spec.Arcade) (json.RawMessage, []Loss) {
	if a.OutputValue == nil {
		return nil, nil
	}
	value, losses := arcadeValue(a.OutputValue, a.OutputText)
	losses = below("/output/value_schema", losses)
	if a.OutputValue.Type == "json" {
		return value, losses
	}
	b := append([]byte(`{"type":"object","properties":{"result":`), value...)
	return append(b, `},"required":["result"]}`...), losses
}

// ArcadeValue is the JSON Schema of a value: json is an object, an array without a
// type of its elements an array of anything [C-34], and words of an enumeration of
// numbers are numbers [C-35]. Losses have paths within the value's schema.
func ArcadeValue(v *spec.ArcadeValue) (json.RawMessage, []Loss) { return arcadeValue(v, "") }

func arcadeValue(v *spec.ArcadeValue, description string) (json.RawMessage, []Loss) {
	var losses []Loss
	b := append([]byte(`{"type":`), appendJSONString(nil, string(typeOfArcade(v.Type)))...)
	if v.Type == "json" {
		losses = append(losses, Loss{"/val_type", Approximated, "json is any JSON, and here an object", false})
	}
	enum, lost := enumOf(v)
	losses = append(losses, lost...)
	if v.Type == "array" {
		if items := arcadeItems(v); items != nil {
			b = append(append(b, `,"items":`...), items...)
		}
	} else {
		b = append(b, enum...)
	}
	return append(appendMember(b, "description", description), '}'), losses
}

// arcadeItems is the schema of an array's elements; nil is anything. Words of an
// enumeration are those of the elements: an array itself is none of them.
func arcadeItems(v *spec.ArcadeValue) json.RawMessage {
	if v.Inner == "" {
		return nil
	}
	enum, _ := enumOf(v)
	b := append([]byte(`{"type":`), appendJSONString(nil, string(typeOfArcade(v.Inner)))...)
	return append(append(b, enum...), '}')
}

// enumOf writes the member enum of a schema.
func enumOf(v *spec.ArcadeValue) ([]byte, []Loss) {
	if len(v.Enum) == 0 {
		return nil, nil
	}
	of := elementType(v)
	if of == "json" || of == "" {
		return nil, []Loss{{"/enum", Dropped, "words are no objects, so that no value would be left", false}}
	}
	var losses []Loss
	var b []byte
	for i, word := range v.Enum {
		value, fits := enumWord(word, of)
		if !fits {
			losses = append(losses, Loss{indexed("/enum", i), Dropped, "it is no " + of, false})
			continue
		}
		b = append(append(b, value...), ',')
	}
	if of != "string" && b != nil {
		losses = append(losses, Loss{"/enum", Approximated, "words are written as values of the type " + of, false})
	}
	if b == nil {
		return nil, losses
	}
	return append(append([]byte(`,"enum":[`), b[:len(b)-1]...), ']'), losses
}

// enumWord is a word of an enumeration as a value of a type, and whether it is one.
func enumWord(word, of string) ([]byte, bool) {
	switch of {
	case "integer", "number":
		fits := isNumber(word) && sizedNumber(word) && (of == "number" || isInteger(word))
		return []byte(word), fits
	case "boolean":
		return []byte(word), word == "true" || word == "false"
	}
	return appendJSONString(nil, word), true
}

// below puts losses under a path.
func below(path string, losses []Loss) []Loss {
	for i := range losses {
		losses[i].Path = path + losses[i].Path
	}
	return losses
}

// ArcadeParameters makes parameters of the JSON Schema of an object, the opposite of
// [ArcadeInput]. Losses have pointers into the schema. The error is of a text that
// is no such schema.
func ArcadeParameters(schema json.RawMessage) ([]spec.ArcadeParameter, []Loss, error) {
	root, err := schemaTree(schema)
	if err != nil {
		return nil, nil, err
	}
	if t := root.get("type"); root.kind != kindObject || t != nil && t.text != "object" {
		return nil, nil, errNotObject
	}
	var losses []Loss
	parameters := []spec.ArcadeParameter{}
	required := map[string]bool{}
	if list := root.get("required"); list != nil {
		for _, item := range list.items {
			required[item.text] = true
		}
	}
	if properties := root.get("properties"); properties != nil {
		for _, m := range properties.members {
			where := "/properties/" + pointerPart(m.name)
			p := spec.ArcadeParameter{Name: m.name, Required: required[m.name], Inferrable: true}
			p.Description = stringAt(m.value, "description")
			var lost []Loss
			p.Value, lost = valueOfSchema(m.value)
			losses = append(losses, below(where, lost)...)
			delete(required, m.name)
			parameters = append(parameters, p)
		}
	}
	for _, m := range root.members {
		switch {
		case slices.Contains([]string{"$schema", "type", "properties", "required", "title"}, m.name):
		case m.name == "additionalProperties" && m.value.text == "false":
		default:
			losses = append(losses, Loss{"/" + pointerPart(m.name), Dropped, "parameters say nothing beyond their names, types and which are required", false})
		}
	}
	if len(required) > 0 {
		losses = append(losses, Loss{"/required", Dropped, "there are no such properties", false})
	}
	return parameters, losses, nil
}

// schemaTree reads a JSON Schema.
func schemaTree(schema json.RawMessage) (*node, error) {
	r := &report{}
	n := parseJSON(schema, r)
	if n == nil || r.blocked {
		return nil, errors.New(r.finish()[0].Message)
	}
	return n, nil
}

func stringAt(n *node, name string) string {
	if v := n.get(name); v != nil && v.kind == kindString {
		return v.text
	}
	return ""
}

// ArcadeValueOf makes the schema of a value of a JSON Schema, the opposite of
// [ArcadeValue].
func ArcadeValueOf(schema json.RawMessage) (spec.ArcadeValue, []Loss, error) {
	n, err := schemaTree(schema)
	if err != nil {
		return spec.ArcadeValue{}, nil, err
	}
	v, losses := valueOfSchema(n)
	return v, losses, nil
}

func valueOfSchema(n *node) (spec.ArcadeValue, []Loss) {
	v := spec.ArcadeValue{Type: "json"}
	if n.kind != kindObject { // true and false
		return v, []Loss{{"", Approximated, "any JSON is json", false}}
	}
	var losses []Loss
	t, null := typeOfSchema(n)
	if null {
		losses = append(losses, Loss{"/type", Approximated, "null is not a value of its own", false})
	}
	switch t {
	case "object":
	case "":
		losses = append(losses, Loss{"", Approximated, "no single type is said, and json is any", false})
	default:
		v.Type = t
	}
	if t == "array" {
		losses = append(losses, elementsOf(n, &v)...)
	}
	read := []string{"type", "items", "description", "title"}
	if lost, ok := wordsOfSchema(n, &v.Enum); ok {
		losses, read = append(losses, lost...), append(read, "enum", "const")
	}
	for _, m := range n.members {
		if !slices.Contains(read, m.name) {
			losses = append(losses, Loss{"/" + pointerPart(m.name), Dropped, "a value says its type and its words alone", false})
		}
	}
	return v, losses
}

// elementsOf reads what an array is of: one level, and no more than a type and words.
func elementsOf(n *node, v *spec.ArcadeValue) []Loss {
	items := n.get("items")
	if items == nil || items.kind != kindObject {
		return nil
	}
	inner, losses := valueOfSchema(items)
	losses = below("/items", losses)
	switch t, _ := typeOfSchema(items); {
	case inner.Type == "array":
		losses = append(losses, Loss{"/items", Approximated, "arrays of arrays are arrays of anything", false})
	case t == "": // of anything, which needs no word
	default:
		v.Inner, v.Enum = inner.Type, inner.Enum
	}
	if d := items.get("description"); d != nil {
		losses = append(losses, Loss{"/items/description", Dropped, "elements have no description", false})
	}
	return losses
}

// typeOfSchema is the one type of a schema beside null; "" where there is no such.
func typeOfSchema(n *node) (t string, null bool) {
	words := []*node{n.get("type")}
	if words[0] != nil && words[0].kind == kindArray {
		words = words[0].items
	}
	for _, w := range words {
		switch {
		case w == nil:
		case w.text == "null":
			null = true
		case t != "" || !slices.Contains([]string{"string", "integer", "number", "boolean", "object", "array"}, w.text):
			return "", null
		default:
			t = w.text
		}
	}
	return t, null
}

// wordsOfSchema makes words of enum or const, of scalars alone.
func wordsOfSchema(n *node, words *[]string) ([]Loss, bool) {
	values := []*node{n.get("const")}
	if e := n.get("enum"); e != nil && e.kind == kindArray {
		values = e.items
	}
	if len(values) == 0 || values[0] == nil {
		return nil, false
	}
	var losses []Loss
	converted := false
	for i, value := range values {
		switch value.kind {
		case kindString:
			*words = append(*words, value.text)
		case kindNumber, kindBoolean:
			*words, converted = append(*words, value.text), true
		default:
			losses = append(losses, Loss{"/enum/" + strconv.Itoa(i), Dropped, "words of an enumeration are texts", false})
		}
	}
	if converted {
		losses = append(losses, Loss{"/enum", Approximated, "values of an enumeration are written as texts", false})
	}
	return losses, true
}
