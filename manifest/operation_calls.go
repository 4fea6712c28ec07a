package manifest

import (
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
	input  *OperationSchema
	output *OperationSchema // nil: anything
	closed bool             // members that are not known are refused
	known  []string         // members that the schema names
}

// NewOperation compiles nothing yet. The tool's own schema is used as it is written,
// but that it takes no member which it does not name, unless it says something of such
// members itself [TI-P26, C-29].
func NewOperation(tool spec.Name, op *spec.Operation) *Operation {
	o := &Operation{name: tool.String() + " " + op.Name, input: OperationInput(op), output: OperationOutput(op)}
	for _, in := range OperationInputs(op) {
		o.known = append(o.known, in.Name)
	}
	o.closed = o.input.Closed || string(membersOf(op.Input)["additionalProperties"]) == "false"
	return o
}

// Input is the schema that a call is held to.
func (o *Operation) Input() *OperationSchema { return o.input }

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
