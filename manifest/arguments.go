package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Reasons of the faults that [Arguments] and [Result] return.
const (
	ReasonNotJSON   = "not_json"           // not one JSON value by strict rules
	ReasonDuplicate = "duplicate_argument" // a key twice in one object
	ReasonTooLarge  = "too_large"          // beyond a cap on size, depth, count or digits
	ReasonUnknown   = "unknown_argument"
	ReasonMissing   = "missing_argument"
	ReasonWrongType = "wrong_type" // not what the schema of the input asks for
	ReasonResult    = "wrong_result"
)

// Arguments checks the arguments of a call against the tool's inputs before any
// process starts, and returns what the tool is given: one JSON object with the
// members in the order of the inputs, the defaults of absent optional inputs
// filled in [PM-26], and every number spelled as it came.
//
// The error is a *fault.Error of kind Usage that lists all problems; its reason
// is that of the first of them: unknown arguments come before missing ones, and
// missing ones before wrong types.
func Arguments(t *spec.Tool, raw []byte) (canonical []byte, err error) {
	return NewCalls(t).Arguments(raw)
}

// Calls checks many calls of one tool and compiles its schema once. It is safe for
// concurrent use as long as nobody changes the tool.
type Calls struct {
	tool   *spec.Tool
	schema *Schema
}

// NewCalls compiles nothing yet.
func NewCalls(t *spec.Tool) *Calls { return &Calls{t, relaxed(t)} }

// Arguments is [Arguments].
func (c *Calls) Arguments(raw []byte) (canonical []byte, err error) {
	t := c.tool
	doc, top, err := scanJSON(raw)
	if err != nil {
		return nil, fault.New(fault.Usage, jsonReason(err), "arguments of %s: %w", t.Name, err)
	}
	if doc[0] != '{' {
		return nil, fault.New(fault.Usage, ReasonWrongType, "arguments of %s: they must be one JSON object", t.Name)
	}
	given := map[string][]byte{}
	for _, m := range top {
		given[m.name] = doc[m.start:m.end]
	}
	var problems []string
	reason := ""
	found := func(why, message string) {
		if reason == "" {
			reason = why
		}
		problems = append(problems, message)
	}
	names := make([]string, len(t.Inputs))
	known := map[string]bool{}
	for i, in := range t.Inputs {
		names[i], known[in.Name] = in.Name, true
	}
	for _, m := range top {
		if !known[m.name] {
			message := "unknown argument " + spec.Quote(m.name)
			if like := Nearest(m.name, names); like != "" {
				message += ", did you mean " + like
			}
			found(ReasonUnknown, message)
		}
	}
	out, fit := []byte{'{'}, true
	for _, in := range t.Inputs {
		value := given[in.Name]
		switch {
		case value == nil && in.Required:
			found(ReasonMissing, fmt.Sprintf("missing argument %s (%s)", in.Name, in.Type))
			continue
		case value == nil && in.Default == nil:
			continue
		case value == nil:
			value = in.Default
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(appendJSONString(out, in.Name), ':')
		out = append(out, value...)
		fit = fit && fitsType(&in, value)
	}
	out = append(out, '}')
	// Missing arguments have been reported by name; the schema checks the rest, and says
	// what is wrong. Where every input is only a type it has nothing to add, and takes as
	// long as all of the other checks of a call.
	if !fit || writesItems(t) {
		for _, p := range c.schema.checkCanonical(out) {
			found(ReasonWrongType, "argument "+strings.TrimPrefix(p.String(), "/"))
		}
	}
	if len(problems) > 0 {
		e := fault.New(fault.Usage, reason, "arguments of %s: %s", t.Name, strings.Join(problems, "; "))
		return nil, e.Hint("%s", expected(t))
	}
	return out, nil
}

// fitsType tells whether a value is of the type of an input.
func fitsType(in *spec.Input, value []byte) bool {
	return slices.Contains(inputTypes, in.Type) && (isType(value, in.Type) || nullable(in) && string(value) == "null")
}

// relaxed is the schema of the arguments with nothing required.
func relaxed(t *spec.Tool) *Schema {
	return authored(appendInputs(nil, t, false), writesItems(t))
}

// expected tells a person what the tool takes.
func expected(t *spec.Tool) string {
	if len(t.Inputs) == 0 {
		return fmt.Sprintf("%s takes no arguments", t.Name)
	}
	list := make([]string, len(t.Inputs))
	for i, in := range t.Inputs {
		list[i] = in.Name + " (" + string(in.Type)
		if !in.Required {
			list[i] += ", optional"
		}
		list[i] += ")"
	}
	return fmt.Sprintf("%s takes %s", t.Name, strings.Join(list, ", "))
}

func jsonReason(err error) string {
	switch {
	case errors.Is(err, errDuplicate):
		return ReasonDuplicate
	case errors.Is(err, errTooLarge):
		return ReasonTooLarge
	case errors.Is(err, errNotObject):
		return ReasonWrongType
	}
	return ReasonNotJSON
}

// ArgumentFromText turns the text of a command-line flag into the JSON value
// of an input: a string as it is, anything else as JSON spells it. Whether the
// value fits the input's items is for [Arguments] to say. The error is a
// *fault.Error of kind Usage with the reason wrong_type.
func ArgumentFromText(in spec.Input, text string) (json.RawMessage, error) {
	refuse := func(why string) (json.RawMessage, error) {
		return nil, fault.New(fault.Usage, ReasonWrongType, "argument %s: %s", in.Name, why)
	}
	if in.Type == spec.TypeString {
		if !utf8.ValidString(text) {
			return refuse("the text is not UTF-8")
		}
		return appendJSONString(nil, text), nil
	}
	value, _, err := scanJSON([]byte(text))
	if err == nil && nullable(&in) && string(value) == "null" {
		return value, nil
	}
	article := map[spec.Type]string{
		spec.TypeNumber: "a number", spec.TypeInteger: "an integer", spec.TypeBoolean: "true or false",
		spec.TypeArray: "a JSON array", spec.TypeObject: "a JSON object",
	}[in.Type]
	switch {
	case err != nil:
		return refuse(fmt.Sprintf("%s is not %s (%s)", spec.Quote(text), article, err))
	case !isType(value, in.Type):
		return refuse(fmt.Sprintf("%s is not %s", spec.Quote(text), article))
	}
	return value, nil
}
