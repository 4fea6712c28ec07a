package manifest

import (
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// dialectBases are schemas with every keyword, from which broken ones are made.
var dialectBases = []string{
	`{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://a.example/s","$comment":"c","title":"t","type":["object","null"],"properties":{"a":{"type":"string","minLength":1,"maxLength":2.0,"pattern":"^a","format":"uri"}},"required":["a"],"additionalProperties":false,"minProperties":0,"maxProperties":3,"propertyNames":{"maxLength":9},"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":true},"$defs":{"x":{"$anchor":"x","const":null}}}`,
	`{"items":{"type":"integer","minimum":0,"maximum":1e3,"exclusiveMinimum":-1,"exclusiveMaximum":2,"multipleOf":0.5},"prefixItems":[true,{}],"minItems":0,"maxItems":9,"uniqueItems":true,"contains":{"enum":[1,"a",null]},"minContains":1,"maxContains":2,"unevaluatedItems":false}`,
	`{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#anchor"},"c":{"$ref":"https://a.example/t"},"d":{"$ref":"#/patternProperties/%5Ea"},"e":{"$ref":"#/definitions/y/items"}},"patternProperties":{"^a":{"type":"string","pattern":"(?=a)"}},"additionalProperties":{"$dynamicRef":"#node"},"$defs":{"x":{"$anchor":"anchor"},"t":{"$id":"https://a.example/t","$dynamicAnchor":"node"},"n":{"$dynamicAnchor":"node"}},"definitions":{"y":{"items":{}}}}`,
	`{"allOf":[{"if":true,"then":{"not":false},"else":{}}],"anyOf":[{"$ref":"#/$defs/q"}],"$defs":{"q":{}},"oneOf":[{}],"unevaluatedProperties":{"deprecated":true,"readOnly":false,"writeOnly":true,"default":1,"examples":[1]},"contentEncoding":"base64","contentMediaType":"a/b","contentSchema":{},"patternProperties":{"^a":{}},"dependencies":{"a":["b"],"c":{}},"$vocabulary":{"https://a.example":true},"$dynamicAnchor":"d","unknown":5}`,
}

// TestDialect holds the table of keywords against the metaschema: what the one takes
// the other takes, but for patterns, references and dialects, which no metaschema
// looks at.
func TestDialect(t *testing.T) {
	meta, err := jsonschema.NewCompiler().Compile(draft)
	if err != nil {
		t.Fatal(err)
	}
	own := func(text string) (good bool, why string) {
		_, good = lintSchema(parseJSON([]byte(text), &report{}), "", &patternCache{}, func(code string, _ pos, where, message string) {
			why += code + " " + where + ": " + message + "\n"
		})
		return good, why
	}
	// The library takes "format" of a pattern for a rule, and knows Go's patterns.
	documents := variantsOf(t, map[string]any{}, dialectBases, 2_500)
	taken := 0
	for _, text := range documents {
		root := parseJSON([]byte(text), &report{})
		if root == nil {
			t.Fatalf("not JSON: %s", text)
		}
		good, why := own(text)
		want := meta.Validate(root.value()) == nil
		if good {
			taken++
			if err := foreign([]byte(text)).Err(); err != nil {
				t.Errorf("passed, and the library does not take it: %v\n%s", err, text)
			}
		}
		if good == want || beyondMeta(root) {
			continue
		}
		t.Errorf("the metaschema says %v of %s\n%s", want, text, why)
	}
	if taken < 100 || taken > len(documents)-100 {
		t.Errorf("%d of %d are taken, which tells little", taken, len(documents))
	}
}

// beyondMeta tells whether a schema has a reference, pattern, address or dialect that
// the metaschema does not judge.
func beyondMeta(n *node) bool {
	for _, m := range n.members {
		if slices.Contains([]string{"$ref", "$dynamicRef", "$schema", "$id", "pattern", "patternProperties"}, m.name) {
			if m.name != "$schema" && m.name != "$id" || m.value.text != draft && m.value.text != "https://a.example/s" {
				return true
			}
		}
		if beyondMeta(m.value) {
			return true
		}
	}
	return slices.ContainsFunc(n.items, beyondMeta)
}

// TestQuick holds quick schemas against the schema library, on schemas that nobody
// here wrote for them and values of every kind.
func TestQuick(t *testing.T) {
	tried := 0
	for _, text := range variantsOf(t, map[string]any{}, append(quickBases(), dialectBases...), 1_200) {
		root := parseJSON([]byte(text), &report{})
		if _, good := lintSchema(root, "", &patternCache{}, func(string, pos, string, string) {}); !good {
			continue
		}
		q := quickly(root, &patternCache{})
		if q == nil {
			continue
		}
		s := foreign([]byte(text))
		if s.Err() != nil {
			t.Errorf("the library refuses %s: %v", text, s.Err())
			continue
		}
		for _, value := range append(anything, quickValues()...) {
			tried++
			steps := 1_000
			if fits, want := q.fits(value, &steps), len(s.Check(value.json())) == 0; fits != want && steps >= 0 {
				t.Errorf("the library says %v of %s by %s", want, value.json(), text)
			}
		}
	}
	if tried < 5_000 {
		t.Errorf("only %d were tried", tried)
	}
}

func quickBases() []string {
	return []string{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"},"b":{"type":["integer","null"],"minimum":1,"exclusiveMaximum":10}},"required":["a"],"additionalProperties":{"enum":[1,"a",null,{"a":[1.0]}]},"$defs":{"a":{"type":"string","minLength":1,"maxLength":2,"pattern":"^(?!b)"}}}`,
		`{"anyOf":[{"type":"string"},{"type":"array","items":{"not":{"type":"null"}},"minItems":1,"maxItems":2}],"oneOf":[{"const":"a"},{"const":"b"},{"type":"array"}]}`,
		`{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]},"else":{"maximum":5},"allOf":[true,{"minimum":0}]}`,
	}
}

func quickValues() []*node {
	var out []*node
	for _, text := range []string{
		`{"a":"a"}`, `{"a":"b"}`, `{"a":"aaa"}`, `{"a":"𝄞𝄞"}`, `{"a":"a","b":1.0}`, `{"a":"a","b":10}`, `{"a":"a","b":null}`, `{"a":"a","c":1.0}`,
		`{"a":"a","c":{"a":[1]}}`, `{"a":1}`, `{"a":1.0,"b":2}`, `["a"]`, `["a",null]`, `["a","b","c"]`, `"a"`, `"b"`, `6`, `5.0`, `4e0`, `1e1`,
	} {
		out = append(out, parseJSON([]byte(text), &report{}))
	}
	return out
}
