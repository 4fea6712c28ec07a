package manifest

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/patch-cat/patch-git/spec"
)

// draft is the dialect of every schema that is written here.
const draft = "https://json-schema.org/draft/2020-12/schema"

// Schema is a JSON Schema 2020-12. It is safe for concurrent use; the zero
// value accepts nothing.
type Schema struct {
	text     []byte
	foreign  bool // of an operation, or authored
	authored bool // with items as their author wrote them: see [authoredTime]
	once     sync.Once
	mu       sync.Mutex // one check at a time, because patterns share a budget
	compiled *jsonschema.Schema
	patterns *patternBudget
	err      error
}

func newSchema(text []byte) *Schema { return &Schema{text: text} }

// JSON returns the schema's text: compact, keywords in a fixed order,
// properties in the order of the inputs, the same bytes for the same tool.
func (s *Schema) JSON() []byte { return bytes.Clone(s.text) }

// Inputs returns the schema of the tool's arguments: an object with one
// property per input and no others [PM-24, PM-26].
func Inputs(t *spec.Tool) *Schema {
	return authored(appendInputs(nil, t, true), writesItems(t))
}

// appendInputs writes the schema of the arguments, with what is required or
// with nothing required.
func appendInputs(b []byte, t *spec.Tool, require bool) []byte {
	b = append(b, `{"$schema":"`+draft+`","type":"object","properties":{`...)
	var required []byte
	for i, in := range t.Inputs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONString(b, in.Name), ':')
		b = appendInputSchema(b, &in)
		if in.Required && require {
			required = append(appendJSONString(required, in.Name), ',')
		}
	}
	b = append(b, `},"required":[`...)
	b = append(b, bytes.TrimSuffix(required, []byte(","))...)
	return append(b, `],"additionalProperties":false}`...)
}

// appendInputSchema writes the schema of one argument. An optional input whose
// default is null takes null as well, whatever its type: that is how Python
// says "not given".
func appendInputSchema(b []byte, in *spec.Input) []byte {
	b = append(b, `{"type":`...)
	if nullable(in) {
		b = append(b, '[')
		b = append(appendJSONString(b, string(in.Type)), `,"null"]`...)
	} else {
		b = appendJSONString(b, string(in.Type))
	}
	b = appendMember(b, "description", in.Description)
	if in.Default != nil {
		b = append(append(b, `,"default":`...), in.Default...)
	}
	return appendItems(b, in.Type, in.Items)
}

func nullable(in *spec.Input) bool { return !in.Required && string(in.Default) == "null" }

// Output returns the schema of the tool's result.
func Output(t *spec.Tool) *Schema {
	b := append([]byte(`{"$schema":"`+draft+`","type":`), appendJSONString(nil, string(t.Output.Type))...)
	b = appendMember(b, "description", t.Output.Description)
	return authored(appendItems(b, t.Output.Type, t.Output.Items), t.Output.Items != nil)
}

func appendMember(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return appendJSONString(append(b, `,"`+name+`":`...), value)
}

func appendItems(b []byte, t spec.Type, items []byte) []byte {
	if t == spec.TypeArray && items != nil {
		b = append(append(b, `,"items":`...), items...)
	}
	return append(b, '}')
}

// Problem is one way in which a document doesn't fit a schema.
type Problem struct {
	Path    string `json:"path"` // JSON Pointer into the document, "" for all of it
	Message string `json:"message"`
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return strings.Trim(spec.Quote(p.Path), `"`) + ": " + p.Message
}

// Check tells how a JSON document breaks the schema: nothing when it fits. A
// document that isn't strict JSON, and a schema that cannot be compiled, are
// problems as well. At most limits.ManifestProblems are returned, in the order
// of their paths; foreign text in them is escaped.
func (s *Schema) Check(doc []byte) []Problem {
	canonical, _, err := scanJSON(doc)
	if err != nil {
		return []Problem{{"", err.Error()}}
	}
	return s.checkCanonical(canonical)
}

// checkAll reports what is wrong with a document that scanJSON has passed.
func (s *Schema) checkCanonical(doc []byte) []Problem {
	if err := s.compile(); err != nil {
		return []Problem{{"", "the schema cannot be used: " + err.Error()}}
	}
	v, err := decodeJSON(doc)
	if err != nil {
		return []Problem{{"", err.Error()}}
	}
	err = s.validate(v)
	if err == nil {
		return nil
	}
	return problemsOf(err)
}

// sortProblems orders problems and drops repeats: the library visits the
// properties of an object in random order.
func sortProblems(list []Problem) []Problem {
	slices.SortFunc(list, func(a, b Problem) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(a.Message, b.Message)
	})
	return slices.Compact(list)
}
