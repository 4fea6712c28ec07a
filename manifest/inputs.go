package manifest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// inputTypes are the types of an input [PM-22].
var inputTypes = []spec.Type{
	spec.TypeString, spec.TypeNumber, spec.TypeInteger, spec.TypeBoolean, spec.TypeArray, spec.TypeObject,
}

// outputTypes are those of the output [C-17].
var outputTypes = append(slices.Clone(inputTypes), spec.TypeNull)

// isInputName tells whether s is an identifier that Python takes as it is: it would normalise
// one with other letters (NFKC), and the argument would not be found by name.
// Like the other checks of every reading it is written out: compiling an
// expression takes longer than the whole rest of the reading.
func isInputName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= limits.InputName
}

// keywords cannot be parameters in some version of Python 3.
var keywords = []string{
	"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
	"elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
	"not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
}

func (p *patchReader) inputs(n *node) {
	if !p.is(n, kindArray, "inputs") {
		return
	}
	if len(n.items) > limits.Inputs {
		p.add(tooManyInputs, n.at, "there are %d inputs, allowed are %d", len(n.items), limits.Inputs)
		return
	}
	exact, folded := map[string]bool{}, map[string]string{}
	for i, item := range n.items {
		where := "/inputs/" + strconv.Itoa(i)
		p.places[where] = item.at
		if !p.is(item, kindObject, "an input") {
			continue
		}
		in := p.input(item, where)
		low := strings.ToLower(in.Name)
		switch {
		case in.Name == "":
			continue
		case exact[in.Name]:
			p.add(duplicateInput, item.get("name").at, "two inputs have the name %s", spec.Quote(in.Name))
			continue
		case folded[low] != "":
			p.add(similarInput, item.get("name").at, "the inputs %s and %s differ only in case", folded[low], in.Name)
		}
		exact[in.Name], folded[low] = true, in.Name
		p.tool.Inputs = append(p.tool.Inputs, in)
	}
}

var inputKeys = []string{"name", "type", "description", "required", "default", "tainted_ok", "items"}

func (p *patchReader) input(n *node, where string) spec.Input {
	in := spec.Input{Required: true} // PM-24
	p.keys(n, where, inputKeys)
	if v := p.want(n, where, "name", missingKey); v != nil && p.is(v, kindString, "an input's name") {
		switch {
		case !isInputName(v.text):
			p.add(badInputName, v.at, "input name %s is not a Python identifier of at most 64 ASCII characters", spec.Quote(v.text))
		case slices.Contains(keywords, v.text):
			p.add(reservedInput, v.at, "input name %q is a keyword of Python", v.text)
		case strings.HasPrefix(v.text, "__"):
			p.add(reservedInput, v.at, "input name %q begins with two underscores", v.text)
		default:
			in.Name = v.text
		}
	}
	if v := p.want(n, where, "type", missingKey); v != nil {
		in.Type = p.typeOf(v, inputTypes)
	}
	if v := n.get("description"); v != nil {
		in.Description = p.sentence(v, "an input's description")
	} else {
		p.add(undescribedInput, n.at, "the input has no description")
	}
	if v := n.get("required"); v != nil && p.is(v, kindBoolean, "required") {
		in.Required = v.text == "true"
	}
	if v := n.get("tainted_ok"); v != nil && p.is(v, kindBoolean, "tainted_ok") {
		in.TaintedOK = v.text == "true"
	}
	if v := n.get("items"); v != nil {
		switch {
		case in.Type == "": // reported; whether items belong here is unknown
		case in.Type != spec.TypeArray:
			p.add(strayItems, v.at, "items stand on an input of type %s", in.Type)
		case v.kind != kindObject:
			if v.kind != kindBroken {
				p.add(badItems, v.at, "items of an input must be an object, this is %s", v.kind)
			}
		default:
			if p.itemsSchema(v) {
				in.Items = v.json()
			}
		}
	}
	if v := n.get("default"); v != nil && v.kind != kindBroken {
		p.unclear(v)
		p.defaultOf(v, &in)
	}
	return in
}

// defaultOf checks that a default is a value that the input takes. null fits
// every optional input: it is how Python writes "not given".
func (p *patchReader) defaultOf(n *node, in *spec.Input) {
	if in.Required {
		p.add(unusedDefault, n.at, "the input is required, so its default is never used")
	}
	if in.Type == "" {
		return
	}
	raw := n.json()
	probe := *in
	probe.Default = raw
	s := newSchema(appendInputSchema(nil, &probe))
	if problems := p.within(s, in.Items, raw); len(problems) > 0 {
		p.add(badDefault, n.at, "the default does not fit the type %s: %s", in.Type, problems[0])
		return
	}
	in.Default = raw
}

// What may be spent to hold the defaults of a file against its schemas, all together: on
// patterns, and in steps of [authoredSteps].
const (
	defaultsTime  = 2 * readTime
	defaultsSteps = 50_000
)

// within is [Schema.Check] in what is left to this file.
func (p *patchReader) within(s *Schema, items json.RawMessage, value []byte) []Problem {
	if items == nil {
		return s.Check(value)
	}
	if s.foreign, s.authored = true, true; s.compile() != nil {
		return s.Check(value)
	}
	b := s.patterns
	b.reading, b.mostMatching, b.mostSteps = true, defaultsTime-p.matching, defaultsSteps-p.steps
	if b.mostMatching <= 0 || b.mostSteps <= 0 {
		return []Problem{{"", "checking the defaults of this file takes too long"}}
	}
	problems := s.Check(value)
	p.matching += b.matching
	p.steps += b.steps
	return problems
}

// typeOf reads the name of a type; "" when it is none.
func (p *patchReader) typeOf(n *node, allowed []spec.Type) spec.Type {
	t := spec.Type(n.text)
	switch {
	case n.kind == kindBroken:
	case n.kind == kindString && slices.Contains(allowed, t):
		return t
	case n.kind == kindNull && n.text == "null" && slices.Contains(allowed, spec.TypeNull):
		return spec.TypeNull // without quotes the word is YAML's null
	default:
		fix := ""
		if meant := pythonTypes[n.text]; meant != "" {
			fix = "write " + string(meant)
		}
		p.addFix(badType, n.at, fix, "type is %s, allowed are %s", shown(n), wordList(allowed))
	}
	return ""
}

// pythonTypes are names that authors write for the types of the format.
var pythonTypes = map[string]spec.Type{
	"str": spec.TypeString, "int": spec.TypeInteger, "float": spec.TypeNumber, "bool": spec.TypeBoolean,
	"list": spec.TypeArray, "dict": spec.TypeObject, "None": spec.TypeNull,
}

func wordList(types []spec.Type) string {
	var b strings.Builder
	for i, t := range types {
		switch {
		case i == len(types)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(t))
	}
	return b.String()
}

func (p *patchReader) output(n *node) {
	out := &p.tool.Output
	if !p.is(n, kindObject, "outputs") {
		return
	}
	const where = "/outputs"
	p.keys(n, where, []string{"type", "description", "items"})
	if v := p.want(n, where, "type", missingKey); v != nil {
		out.Type = p.typeOf(v, outputTypes)
	}
	if v := n.get("description"); v != nil {
		out.Description = p.sentence(v, "the description of the outputs")
	}
	v := n.get("items")
	switch {
	case v == nil || out.Type == "" || v.kind == kindBroken:
	case out.Type != spec.TypeArray:
		p.add(strayItems, v.at, "items stand on outputs of type %s", out.Type)
	case v.kind == kindObject:
		if p.itemsSchema(v) {
			out.Items = v.json()
		}
	case v.kind == kindString || v.kind == kindNull:
		// The documented example writes the bare word [C-15].
		if t := p.typeOf(v, outputTypes); t != "" {
			out.Items = []byte(`{"type":"` + string(t) + `"}`)
		}
	default:
		p.add(badItems, v.at, "items must be an object or the name of a type, this is %s", v.kind)
	}
}
