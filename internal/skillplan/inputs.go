package skillplan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// The rules of validation in their order [SK-39…46]. Rule 1, that the skill exists,
// is seen to before there is a plan.
const (
	ruleEdition Rule = 2 + iota
	ruleMapped
	ruleSchema
	rulePreconditions
	ruleEnv
	ruleUnmapped
	ruleRedaction
)

var struck = json.RawMessage(`"` + audit.Struck + `"`)

// inputs maps what was given to what the manifest declares. Every value of a skill
// that is sensitive as a whole is kept out of what is shown [SK-38].
func (p *Plan) inputs() {
	s := p.request.Tool.Skill
	given := map[string]string{}
	for _, g := range p.request.Inputs {
		known := slices.ContainsFunc(slices.Concat(s.Required, s.Optional), func(in spec.SkillInput) bool { return in.Name == g.Name })
		_, twice := given[g.Name]
		switch {
		case p.Edition == "":
			p.warn(ruleMapped, "undeclared", g.Name, fmt.Sprintf("the skill declares no inputs, and nothing checks %s", spec.Quote(g.Name)))
			if quoted, err := json.Marshal(g.Value); err == nil {
				p.values[g.Name] = quoted
				p.Inputs = append(p.Inputs, Input{Name: g.Name, From: "given", Value: quoted})
			}
		case !known:
			p.problem(ruleMapped, "unknown_input", g.Name, fmt.Sprintf("the skill has no input %s", spec.Quote(g.Name)))
		case twice:
			p.problem(ruleMapped, "input_twice", g.Name, fmt.Sprintf("the input %s is given twice", g.Name))
		}
		given[g.Name] = g.Value
	}
	for _, in := range s.Required {
		text, ok := given[in.Name]
		if !ok {
			p.problem(ruleMapped, "missing_input", in.Name, fmt.Sprintf("the required input %s is missing (%s)", in.Name, oneLine(in.Description)))
			p.Inputs = append(p.Inputs, Input{Name: in.Name, Required: true, Sensitive: in.Sensitive, From: "unset"})
			continue
		}
		p.take(&in, text, true)
	}
	for _, in := range s.Optional {
		if text, ok := given[in.Name]; ok {
			p.take(&in, text, false)
			continue
		}
		p.unmapped(&in)
	}
}

// take checks a value that was given.
func (p *Plan) take(in *spec.SkillInput, text string, required bool) {
	value, err := manifest.SkillValue(in, text)
	p.secret(in.Sensitive, text)
	if err != nil {
		p.problem(ruleSchema, "wrong_input", in.Name, err.Error())
		one := Input{Name: in.Name, Required: required, Sensitive: in.Sensitive, From: "given", Value: struck}
		if quoted, err := json.Marshal(text); err == nil && !in.Sensitive && !p.Hints.Sensitive {
			one.Value = quoted
		}
		p.Inputs = append(p.Inputs, one)
		return
	}
	p.put(in, value, required, "given")
}

func (p *Plan) put(in *spec.SkillInput, value json.RawMessage, required bool, from string) {
	p.values[in.Name] = value
	shown := value
	if in.Sensitive || p.Hints.Sensitive {
		shown = struck
		p.secretJSON(value)
	}
	p.Inputs = append(p.Inputs, Input{Name: in.Name, Required: required, Sensitive: in.Sensitive, From: from, Value: shown})
}

// unmapped is an optional input that nobody gave: its default, else nothing [C-38].
func (p *Plan) unmapped(in *spec.SkillInput) {
	var schema map[string]json.RawMessage
	if err := json.Unmarshal(in.Schema, &schema); err == nil && schema["default"] != nil {
		p.put(in, schema["default"], false, "default")
		p.warn(ruleUnmapped, "unmapped", in.Name, fmt.Sprintf("the optional input %s is not given and has its default", in.Name))
		return
	}
	p.Inputs = append(p.Inputs, Input{Name: in.Name, Sensitive: in.Sensitive, From: "unset"})
	p.warn(ruleUnmapped, "unmapped", in.Name, fmt.Sprintf("the optional input %s is not given and has no default", in.Name))
}

// secret notes a value that nobody may read.
func (p *Plan) secret(sensitive bool, text string) {
	if (sensitive || p.Hints.Sensitive) && text != "" {
		p.secrets = append(p.secrets, text)
	}
}

// secretJSON notes every text and number in a value, and its spelling as a whole.
func (p *Plan) secretJSON(value json.RawMessage) {
	var v any
	d := json.NewDecoder(strings.NewReader(string(value)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			p.secret(true, v)
		case json.Number:
			p.secret(true, v.String())
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(v)
}

// environment looks for the variables that the skill reads. One that is set to nothing
// counts as unset: programs differ in what they make of it [SK-18].
func (p *Plan) environment() {
	s := p.request.Tool.Skill
	look := func(name string) (value string, ok bool) {
		for _, g := range p.request.Env {
			if g.Name == name {
				value, ok = g.Value, true
			}
		}
		if ok {
			return value, true
		}
		return p.request.Lookup(name)
	}
	read := func(e spec.SkillEnv, required bool) {
		value, set := look(e.Name)
		one := Env{Name: e.Name, Required: required, Sensitive: e.Sensitive, Set: value != ""}
		p.Env = append(p.Env, one)
		p.secret(e.Sensitive, value)
		if one.Set {
			p.given[e.Name] = value
			return
		}
		if set {
			p.warn(ruleEnv, "empty_env", e.Name, fmt.Sprintf("the environment variable %s is set to nothing, which counts as unset", e.Name))
		}
		if required {
			p.problem(ruleEnv, "missing_env", e.Name, fmt.Sprintf("the required environment variable %s is not set", e.Name))
		}
	}
	for _, e := range s.EnvRequired {
		read(e, true)
	}
	for _, e := range s.EnvOptional {
		read(e, false)
	}
	for _, g := range p.request.Env {
		if !slices.ContainsFunc(p.Env, func(e Env) bool { return e.Name == g.Name }) {
			p.given[g.Name] = g.Value
		}
	}
}

// oneLine keeps a foreign text on one line.
func oneLine(s string) string { return strings.Trim(spec.Quote(s), `"`) }
