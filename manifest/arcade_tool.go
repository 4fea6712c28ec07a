package manifest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// tool makes the neutral model of a definition and reports what a registry cannot
// have of it.
func (r *arcadeReader) tool() (spec.Tool, bool) {
	t, problems := ArcadeTool(r.a)
	place := func(pointer string) pos {
		if p, ok := r.d.places[pointer]; ok {
			return p
		}
		return pos{r.d.Line, 1}
	}
	for _, p := range problems {
		if p.Path == "/toolkit/version" {
			r.add(arcadeVersion, place(p.Path), "%s", p.Message)
		} else {
			r.add(arcadeNoName, place(p.Path), "%s", p.Message)
		}
	}
	if _, digest, err := ArcadeName(r.a.Toolkit.Name, r.a.Name); digest && err == nil {
		r.add(arcadeShortened, place("/name"), "the name in a registry is %s", t.Name)
	}
	return t, len(problems) == 0
}

// ArcadeTool makes the neutral model of a definition. Name and version are empty
// where a registry can have none of that kind, which the problems say.
//
// A definition of the specified edition says nothing about effects. What says nothing
// and works with an account or a secret may do the worst with them, and counts as
// destructive; without either there is nothing of the person's to destroy, and it
// counts as writing. The network is what every such tool is called through.
func ArcadeTool(a *spec.Arcade) (spec.Tool, []Problem) {
	var problems []Problem
	t := spec.Tool{
		Format: spec.FormatArcade, Description: oneLine(a.Description), Inputs: []spec.Input{}, Arcade: a,
		Capabilities: spec.Capabilities{Network: true, Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Packages: []string{}},
		ExternalAuth: a.Accounts(),
		Output:       arcadeOutputOf(a),
	}
	if t.Description == "" {
		t.Description = "The tool " + a.Name + " of " + a.Toolkit.Name + " at Arcade."
	}
	var err error
	if t.Name, _, err = ArcadeName(a.Toolkit.Name, a.Name); err != nil {
		problems = append(problems, Problem{"/name", err.Error()})
	}
	if t.Version, err = spec.ParseVersion(a.Toolkit.Version); err != nil {
		problems = append(problems, Problem{"/toolkit/version", "the toolkit's " + err.Error()})
	}
	for _, p := range a.Parameters {
		in := spec.Input{Name: p.Name, Type: typeOfArcade(p.Value.Type), Description: oneLine(p.Description), Required: p.Required}
		if p.Value.Type == "array" {
			in.Items = arcadeItems(&p.Value)
		}
		t.Inputs = append(t.Inputs, in)
	}
	schema, _ := ArcadeInput(a)
	op := spec.Operation{
		Name: operationName(a), Summary: t.Description, Description: a.Description, Input: schema,
		Output:     &spec.OperationOutput{Format: spec.OutputJSON},
		Invocation: spec.Invocation{Kind: spec.InvokeArcade, Tool: a.FQN},
		Effects:    arcadeEffects(a),
		Idempotent: a.Behavior != nil && a.Behavior.Idempotent != nil && *a.Behavior.Idempotent,
	}
	if a.OutputValue != nil {
		op.Output.Schema, _ = ArcadeValue(a.OutputValue)
	}
	t.Operations = []spec.Operation{op}
	return t, problems
}

// operationName is the tool's own name as an operation may be called, or "call".
func operationName(a *spec.Arcade) string {
	name := snake(a.Name)
	if name == "" || name[0] < 'a' || name[0] > 'z' || len(name) > 63 {
		return "call"
	}
	return name
}

func arcadeEffects(a *spec.Arcade) spec.Effects {
	b := a.Behavior
	switch {
	case b != nil && b.Destructive != nil && *b.Destructive:
		return spec.EffectsDestructive
	case b != nil && b.ReadOnly != nil && *b.ReadOnly:
		return spec.EffectsRead
	case b != nil && b.Destructive != nil, len(a.Accounts())+len(a.Secrets) == 0:
		return spec.EffectsWrite
	}
	return spec.EffectsDestructive
}

// loseBehaviour notes that the specified edition has no behaviour. What it says of
// destruction protects a person where a reader of the rest would not expect it.
func (r *arcadeReader) loseBehaviour() {
	without := *r.a
	without.Behavior = nil
	security := arcadeEffects(r.a) == spec.EffectsDestructive && arcadeEffects(&without) != spec.EffectsDestructive
	reason := "what a tool does to the world is then guessed from its accounts and secrets"
	if security {
		reason = "nobody would know that the tool destroys, and ask before it runs"
	}
	r.d.Losses = append(r.d.Losses, Loss{"/metadata/behavior", Dropped, reason, security})
}

func typeOfArcade(t string) spec.Type {
	if t == "json" {
		return spec.TypeObject
	}
	return spec.Type(t)
}

func arcadeOutputOf(a *spec.Arcade) spec.Output {
	out := spec.Output{Type: spec.TypeNull, Description: oneLine(a.OutputText)}
	if a.OutputValue != nil {
		out.Type = typeOfArcade(a.OutputValue.Type)
		if a.OutputValue.Type == "array" {
			out.Items = arcadeItems(a.OutputValue)
		}
	}
	return out
}

// oneLine is a text without line breaks and control characters, cut at a word where
// it is longer than a description may be; the whole stands in the definition.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(c rune) bool { return unicode.IsSpace(c) || breaksLine(c) }), " ")
	if utf8.RuneCountInString(text) <= limits.Description {
		return text
	}
	cut := string([]rune(text)[:limits.Description-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
