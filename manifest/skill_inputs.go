package manifest

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// subset are the keywords of JSON Schema that ADR-002 has. Another one would be a
// rule that its author believes in and nobody enforces [SK-17].
var subset = []string{"type", "pattern", "minimum", "maximum", "items", "properties", "default", "enum"}

// skillTypes are the words of type [SK-10].
var skillTypes = []spec.Type{spec.TypeString, spec.TypeNumber, spec.TypeInteger, spec.TypeBoolean, spec.TypeArray, spec.TypeObject}

// skillPatternTime is what all patterns of a manifest may take to match its defaults.
const skillPatternTime = 30 * time.Millisecond

func (s *skillReader) inputs(n *node) {
	stop := s.patterns.startFor(skillPatternTime)
	defer stop()
	seen := map[string]bool{}
	read := func(list string) (out []spec.SkillInput) {
		for _, item := range s.entries(n, list, "inputs."+list, "name", "description", "schema", "sensitive") {
			name, at := s.word(item, "name", "inputs."+list, true)
			description, _ := s.word(item, "description", "inputs."+list, true)
			schema, good := s.inputSchema(item, list)
			in := spec.SkillInput{Name: name, Description: description, Schema: schema, Sensitive: s.flag(item, "sensitive", "sensitive")}
			switch {
			case at == nil:
				continue
			case !isSkillInput(name):
				s.add(skillInputName, at.at, "the name %s of an input is not allowed", spec.Quote(name))
				continue
			case seen[name]:
				s.add(skillDuplicateInput, at.at, "two inputs are called %s", spec.Quote(name))
				continue
			}
			seen[name] = true
			if !good {
				in.Schema = json.RawMessage(`{}`) // what is wrong has been reported
			}
			out = append(out, in)
			s.tool.Inputs = append(s.tool.Inputs, neutralInput(&in, item.get("schema"), list == "required"))
		}
		return out
	}
	s.skill.Required, s.skill.Optional = read("required"), read("optional")
}

// isSkillInput tells whether a name can be an input's: it stands in {{tokens}} and
// behind --input.
func isSkillInput(name string) bool {
	if name == "" || len(name) > limits.InputName {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_' && i == 0:
		case i > 0 && (c >= '0' && c <= '9' || c == '_' || c == '-'):
		default:
			return false
		}
	}
	return true
}

// neutralInput is the input in the words of all formats, as far as they go.
func neutralInput(in *spec.SkillInput, schema *node, required bool) spec.Input {
	out := spec.Input{Name: in.Name, Description: in.Description, Required: required, Type: spec.TypeString}
	if schema == nil || schema.kind != kindObject {
		return out
	}
	if t := schema.get("type"); t != nil && slices.Contains(skillTypes, spec.Type(t.text)) {
		out.Type = spec.Type(t.text)
	}
	if d := schema.get("default"); d != nil && !required {
		out.Default = d.json()
	}
	if items := schema.get("items"); items != nil && out.Type == spec.TypeArray {
		out.Items = items.json()
	}
	return out
}

// inputSchema reads a schema of the subset, whose default must fit it [SK-15].
func (s *skillReader) inputSchema(item *node, list string) (json.RawMessage, bool) {
	n := item.get("schema")
	if n == nil {
		s.addFix(skillMissingKey, item.at, "add the key schema", "the key %q is missing in inputs.%s", "schema", list)
		return nil, false
	}
	if !s.subschema(n) {
		return nil, false
	}
	text := n.json()
	if !s.defaults(n) {
		return nil, false
	}
	if d := n.get("default"); d != nil && list == "required" {
		s.add(skillUnusedDefault, d.at, "a required input has a default, which is never used")
	}
	return text, true
}

// subschema checks the keywords of a schema, each at its own place.
func (s *skillReader) subschema(n *node) bool {
	if n.kind != kindObject {
		if n.kind != kindBroken {
			s.add(skillSchema, n.at, "a schema must be %s, this is %s", kindObject, n.kind)
		}
		return false
	}
	good := true
	wrong := func(id rule, at pos, format string, args ...any) {
		s.add(id, at, format, args...)
		good = false
	}
	for _, m := range n.members {
		v := m.value
		switch m.name {
		case "type":
			if v.kind != kindString || !slices.Contains(skillTypes, spec.Type(v.text)) {
				wrong(skillSchema, v.at, "the type %s is none of string, number, integer, boolean, array, object", spec.Quote(v.text))
			}
		case "pattern":
			if v.kind != kindString {
				wrong(skillPattern, v.at, "a pattern must be %s, this is %s", kindString, v.kind)
			} else if _, err := compilePattern(v.text); err != nil || utf8.RuneCountInString(v.text) > maxPattern {
				wrong(skillPattern, v.at, "the pattern %s cannot be used (%v)", spec.Quote(v.text), err)
			}
		case "minimum", "maximum":
			if v.kind != kindNumber {
				wrong(skillSchema, v.at, "%s must be %s, this is %s", m.name, kindNumber, v.kind)
			}
		case "items":
			good = s.subschema(v) && good
		case "properties":
			if v.kind != kindObject {
				wrong(skillSchema, v.at, "properties must be %s, this is %s", kindObject, v.kind)
				continue
			}
			for _, p := range v.members {
				good = s.subschema(p.value) && good
			}
		case "enum":
			if v.kind != kindArray || len(v.items) == 0 {
				wrong(skillSchema, v.at, "enum must be a list with at least one value")
			}
		case "default":
			good = good && v.kind != kindBroken
		default:
			fix := ""
			if like := s.nearest(m.name, subset); like != "" {
				fix = "write " + like
			}
			s.addFix(skillKeyword, m.at, fix, "the keyword %s is unsupported", spec.Quote(m.name))
			good = false
		}
	}
	return good
}

// defaults checks every default against the schema that it stands in.
func (s *skillReader) defaults(n *node) bool {
	good := true
	if d := n.get("default"); d != nil {
		if why := s.fits(n, d); why != "" {
			s.add(skillDefault, d.at, "the default does not fit: %s", why)
			good = false
		}
	}
	if items := n.get("items"); items != nil {
		good = s.defaults(items) && good
	}
	if properties := n.get("properties"); properties != nil {
		for _, p := range properties.members {
			good = s.defaults(p.value) && good
		}
	}
	return good
}

// SkillValue turns the text of an input of a skill into the JSON that its schema
// asks for: text as it is where the schema wants a string or says no type, and
// JSON otherwise. The error is a *fault.Error of kind Usage that says how the value
// does not fit and repeats nothing of a sensitive one.
func SkillValue(in *spec.SkillInput, text string) (json.RawMessage, error) {
	var schema struct{ Type spec.Type }
	if err := json.Unmarshal(in.Schema, &schema); err != nil {
		return nil, fault.New(fault.Usage, ReasonWrongType, "input %s: its schema cannot be read", in.Name)
	}
	value := json.RawMessage(nil)
	if schema.Type != "" && schema.Type != spec.TypeString {
		canonical, _, err := scanJSON([]byte(text))
		if err != nil {
			return nil, fault.New(fault.Usage, ReasonWrongType, "input %s: the value is not %s in JSON", in.Name, schema.Type)
		}
		value = canonical
	} else if utf8.ValidString(text) {
		value = appendJSONString(nil, text)
	} else {
		return nil, fault.New(fault.Usage, ReasonWrongType, "input %s: the text is not UTF-8", in.Name)
	}
	switch problems := newSchema(in.Schema).Check(value); {
	case len(problems) == 0:
		return value, nil
	case in.Sensitive:
		return nil, fault.New(fault.Usage, ReasonWrongType, "input %s: the value does not fit its schema", in.Name)
	default:
		return nil, fault.New(fault.Usage, ReasonWrongType, "input %s: %s", in.Name, problems[0])
	}
}
