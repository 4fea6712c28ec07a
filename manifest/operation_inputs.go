package manifest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// taintedOK is the keyword by which the schema of an input says that its value may
// come from anywhere. A schema's readers ignore keywords that they do not know.
const taintedOK = "x-tainted-ok"

// OperationInputs are the members that the schema of an operation names, in the order
// of their names: what people and models are told of, flags are made of, and the steps
// of the stack look at one by one. The schema itself decides what fits. The type is ""
// where the schema names none, or several.
func OperationInputs(op *spec.Operation) []spec.Input {
	root := membersOf(op.Input)
	var required []string
	_ = json.Unmarshal(root["required"], &required) // what is no list of names requires nothing
	var list []spec.Input
	for name, schema := range membersOf(root["properties"]) {
		p := membersOf(schema)
		in := spec.Input{Name: name, Type: typeNamed(p["type"]), Default: p["default"], TaintedOK: string(p[taintedOK]) == "true", Required: slices.Contains(required, name)}
		_ = json.Unmarshal(p["description"], &in.Description)
		if in.Type == spec.TypeArray {
			in.Items = p["items"]
		}
		list = append(list, in)
	}
	slices.SortFunc(list, func(a, b spec.Input) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// membersOf are those of a JSON object by their exact names; none of anything else.
func membersOf(doc json.RawMessage) map[string]json.RawMessage {
	list, err := Object(doc, len(doc))
	if err != nil {
		return nil
	}
	out := make(map[string]json.RawMessage, len(list))
	for _, m := range list {
		out[m.Name] = m.Value
	}
	return out
}

// typeNamed is the one type that a schema names, null beside it or not.
func typeNamed(doc json.RawMessage) spec.Type {
	var list []spec.Type
	var one spec.Type
	if json.Unmarshal(doc, &one) == nil {
		return one
	}
	if json.Unmarshal(doc, &list) != nil {
		return ""
	}
	list = slices.DeleteFunc(list, func(t spec.Type) bool { return t == spec.TypeNull })
	if len(list) == 1 {
		return list[0]
	}
	return ""
}

// OperationResult is the type of what an operation answers, as its result has it: a
// text as a string, a stream of records as an array of them, bytes as an object with
// the members bytes and base64. It is "" where anything may come.
func OperationResult(op *spec.Operation) spec.Type {
	if op.Output == nil {
		return spec.TypeString
	}
	switch op.Output.Format {
	case spec.OutputNDJSON:
		return spec.TypeArray
	case spec.OutputText:
		return spec.TypeString
	case spec.OutputBinary:
		return spec.TypeObject
	case spec.OutputNone:
		return spec.TypeNull
	}
	return typeNamed(membersOf(op.Output.Schema)["type"])
}
