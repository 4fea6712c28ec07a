package manifest

import (
	"bytes"

	"github.com/patch-cat/patch-git/spec"
)

// OperationSchema is the schema of what an operation takes or answers. It is safe
// for concurrent use.
type OperationSchema struct {
	*Schema
	// Closed tells that members which the schema does not name are refused although
	// the author did not say so [TI-P26, C-29].
	Closed bool
}

// nothing takes no member at all.
const nothing = `{"$schema":"` + draft + `","type":"object","additionalProperties":false}`

// OperationInput returns the schema of an operation's arguments. An operation
// without one takes an empty object. A root that does not itself say which members
// it allows beside those that it names is closed: one without additionalProperties,
// unevaluatedProperties, patternProperties, a reference, or a combination of
// schemas, which could name more.
//
// Nothing is compiled yet; [Schema.Err] tells whether it can be used.
func OperationInput(op *spec.Operation) *OperationSchema {
	if op.Input == nil {
		return &OperationSchema{foreign([]byte(nothing)), true}
	}
	text, closed := closeRoot(op.Input)
	return &OperationSchema{foreign(text), closed}
}

// OperationOutput returns the schema of an operation's answer, or of each record of
// an ndjson-stream; nil where the author gave none.
func OperationOutput(op *spec.Operation) *OperationSchema {
	if op.Output == nil || op.Output.Schema == nil {
		return nil
	}
	return &OperationSchema{foreign(op.Output.Schema), false}
}

// foreign is a schema of an operation, which unlike that of an input may use all of
// JSON Schema 2020-12 and is checked under a budget.
func foreign(text []byte) *Schema { return &Schema{text: text, foreign: true} }

// Err tells why the schema cannot be used; nil where it can.
func (s *Schema) Err() error { return s.compile() }

// openers are the keywords of a root by which it may allow more than it names [C-29].
var openers = map[string]bool{
	"additionalProperties": true, "unevaluatedProperties": true, "patternProperties": true,
	"allOf": true, "anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true,
	"dependentSchemas": true, "$ref": true, "$dynamicRef": true,
}

// closeRoot adds additionalProperties: false where nothing speaks against it.
func closeRoot(text []byte) (out []byte, closed bool) {
	members, err := Object(text, len(text))
	if err != nil {
		return text, false
	}
	for _, m := range members {
		if openers[m.Name] {
			return text, false
		}
	}
	out = bytes.TrimRight(bytes.Clone(text), " \t\r\n")
	out = bytes.TrimSuffix(out, []byte("}"))
	if len(members) > 0 {
		out = append(out, ',')
	}
	return append(out, `"additionalProperties":false}`...), true
}
