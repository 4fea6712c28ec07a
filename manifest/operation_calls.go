package manifest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Operation checks the calls of one operation of a tool, and what it answers. It is
// safe for concurrent use as long as nobody changes the operation.
type Operation struct {
	name   string // of the tool and the operation, for messages
	input  *Schema
	output *Schema // nil: anything
	closed bool
	known  []string        // members that the schema names
	ok     map[string]bool // those that are marked x-tainted-ok
}

// taintedOK is the keyword by which the schema of an input says that its value may
// come from anywhere. A schema's readers ignore keywords that they do not know.
const taintedOK = "x-tainted-ok"

// NewOperation compiles nothing yet. The tool's own schema is used as it is written,
// but that it takes no member which it does not name, unless it says something of such
// members itself [TI-P26, C-29].
func NewOperation(tool spec.Name, op *spec.Operation) *Operation {
	o := &Operation{name: tool.String() + " " + op.Name, ok: map[string]bool{}}
	text, closed := Closed(op.Input)
	o.input, o.closed = newSchema(text), closed
	if op.Output != nil && op.Output.Schema != nil {
		o.output = newSchema(op.Output.Schema)
	}
	var root struct {
		Properties map[string]struct {
			TaintedOK bool `json:"x-tainted-ok"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(op.Input, &root) // what is no such object has no properties
	for name, p := range root.Properties {
		o.known = append(o.known, name)
		o.ok[name] = p.TaintedOK
	}
	slices.Sort(o.known)
	return o
}

// Closed returns the schema of an input as a caller is held to it: an object that has
// no members but those it names. One that says itself what other members may be
// (additionalProperties, unevaluatedProperties, patternProperties, or alternatives and
// references that could name more) is left as it is, and closed is false unless it
// says that there are none [C-29]. nil is an operation without input.
func Closed(input json.RawMessage) (schema []byte, closed bool) {
	const none = `{"type":"object","properties":{},"additionalProperties":false}`
	if input == nil {
		return []byte(none), true
	}
	members, err := Object(input, len(input))
	if err != nil {
		return input, false // the schema does not compile, and every call is refused
	}
	for _, m := range members {
		switch m.Name {
		case "additionalProperties", "unevaluatedProperties":
			return input, string(m.Value) == "false"
		}
	}
	for _, m := range members {
		switch m.Name {
		case "patternProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "$ref", "$dynamicRef":
			return input, false
		}
	}
	var b bytes.Buffer
	if err := json.Compact(&b, input); err != nil {
		return input, false
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("}"))
	if len(members) > 0 {
		text = append(text, ',')
	}
	return append(text, `"additionalProperties":false}`...), true
}

// Input is the schema that a call is held to.
func (o *Operation) Input() *Schema { return o.input }

// IsClosed tells whether members that the schema does not name are refused.
func (o *Operation) IsClosed() bool { return o.closed }

// TaintedOK tells whether a member of the input may come from anywhere: its schema
// says so by x-tainted-ok.
func (o *Operation) TaintedOK(name string) bool { return o.ok[name] }

// Arguments checks the arguments of a call and returns them as one JSON object with
// its members in the order of their names and every number spelled as it came.
// Nothing is added: a default of a JSON Schema is a remark.
//
// The error is one of those of [Arguments].
func (o *Operation) Arguments(raw []byte) (canonical []byte, err error) {
	doc, top, err := scanJSON(raw)
	if err != nil {
		return nil, fault.New(fault.Usage, jsonReason(err), "arguments of %s: %w", o.name, err)
	}
	if doc[0] != '{' {
		return nil, fault.New(fault.Usage, ReasonWrongType, "arguments of %s: they must be one JSON object", o.name)
	}
	slices.SortFunc(top, func(a, b span) int { return strings.Compare(a.name, b.name) })
	out := []byte{'{'}
	for i, m := range top {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendJSONString(out, m.name), ':')
		out = append(out, doc[m.start:m.end]...)
	}
	out = append(out, '}')
	problems := o.input.checkCanonical(out)
	if len(problems) == 0 {
		return out, nil
	}
	reason, words := ReasonWrongType, make([]string, len(problems))
	for i, p := range problems {
		words[i] = p.String()
	}
	if o.closed {
		for _, m := range top {
			if !slices.Contains(o.known, m.name) {
				reason = ReasonUnknown
				text := "unknown argument " + spec.Quote(m.name)
				if like := Nearest(m.name, o.known); like != "" {
					text += ", did you mean " + spec.Quote(like)
				}
				words = append([]string{text}, words...)
			}
		}
	}
	return nil, fault.New(fault.Usage, reason, "arguments of %s: %s", o.name, strings.Join(words, "; "))
}

// Result checks an answer, or one record of several, against the schema of the output
// and returns it in compact form. The error is a *fault.Error of kind ToolFailed with
// the reason wrong_result.
func (o *Operation) Result(raw []byte) (json.RawMessage, error) {
	doc, _, err := scanJSON(raw)
	if err != nil {
		return nil, fault.New(fault.ToolFailed, ReasonResult, "result of %s: %w", o.name, err)
	}
	if o.output == nil {
		return doc, nil
	}
	problems := o.output.checkCanonical(doc)
	if len(problems) == 0 {
		return doc, nil
	}
	words := make([]string, len(problems))
	for i, p := range problems {
		words[i] = p.String()
	}
	return nil, fault.New(fault.ToolFailed, ReasonResult, "result of %s: %s", o.name, strings.Join(words, "; "))
}
