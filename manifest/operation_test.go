package manifest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// TestOperationInput holds arguments against schemas of operations: what closes
// them, patterns of ECMAScript in names of members, and what is never allowed to
// run for long.
func TestOperationInput(t *testing.T) {
	tests := []struct {
		name, schema, doc string
		closed            bool
		problem           string // "": it fits
	}{
		{"none", "", `{}`, true, ""},
		{"none, but a member", "", `{"a":1}`, true, "additionalProperties"},
		{"closed", `{"type":"object","properties":{"a":{}}}`, `{"a":1}`, true, ""},
		{"closed, another member", `{"type":"object","properties":{"a":{}}}`, `{"b":1}`, true, "additionalProperties"},
		{"closed, empty", `{}`, `{"b":1}`, true, "additionalProperties"},
		{"explicitly open", `{"type":"object","additionalProperties":true}`, `{"b":1}`, false, ""},
		{"open by a combination", `{"allOf":[{"properties":{"a":{"type":"string"}}}]}`, `{"b":1}`, false, ""},
		{"open by a reference", `{"$ref":"#/$defs/a","$defs":{"a":{"required":["b"]}}}`, `{"c":1}`, false, "missing properties"},
		{"unevaluated", `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1,"b":1}`, false, "not allowed"},
		{"names by look-ahead", `{"patternProperties":{"^(?!x)":{"type":"integer"}},"additionalProperties":false}`, `{"a":1}`, false, ""},
		{"names by look-ahead, wrong type", `{"patternProperties":{"^(?!x)":{"type":"integer"}},"additionalProperties":false}`, `{"a":"1"}`, false, "expected integer"},
		{"names by look-ahead, other name", `{"patternProperties":{"^(?!x)":{"type":"integer"}},"additionalProperties":false}`, `{"x":1}`, false, "not allowed"},
		{"named, evaluated", `{"patternProperties":{"^a":true},"unevaluatedProperties":false}`, `{"ab":1}`, false, ""},
		{"named, not evaluated", `{"patternProperties":{"^a":true},"unevaluatedProperties":false}`, `{"b":1}`, false, "not allowed"},
		{"a count as a fraction", `{"properties":{"a":{"minLength":2.0}}}`, `{"a":"x"}`, true, "length must be"},
		{"a name like a prototype", `{"properties":{"__proto__":{"type":"string"}}}`, `{"__proto__":1}`, true, "expected string"},
		{"an integer with a fraction of zero", `{"properties":{"a":{"type":"integer"}}}`, `{"a":9007199254740993.0}`, true, ""},
		{"2^53 is exact", `{"properties":{"a":{"const":9007199254740993}}}`, `{"a":9007199254740992}`, true, "value must be"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			op := &spec.Operation{Name: "a"}
			if c.schema != "" {
				op.Input = json.RawMessage(c.schema)
			}
			s := OperationInput(op)
			if s.Closed != c.closed {
				t.Errorf("closed: %v", s.Closed)
			}
			problems := s.Check([]byte(c.doc))
			switch {
			case c.problem == "" && len(problems) > 0:
				t.Errorf("%v", problems)
			case c.problem != "" && (len(problems) == 0 || !strings.Contains(problems[0].String(), c.problem)):
				t.Errorf("%v, wanted %s", problems, c.problem)
			}
		})
	}
}
