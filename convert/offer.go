package convert

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// offer is one thing that a host can be told to call, whatever format it comes
// from.
type offer struct {
	at          string // JSON Pointer of it in the document, "" for all of it
	name        string
	title       string
	description string
	input       *object // JSON Schema of the arguments
	output      *object // of the result, nil unknown
	effects     spec.Effects
	idempotent  bool
	network     bool
	unsaid      bool // the effects are taken to be the worst, because the document says none
}

// offers are what the document has to call.
func (c *conversion) offers() ([]offer, error) {
	switch c.tool.Format {
	case spec.FormatPatch:
		return c.patchOffer()
	case spec.FormatSkill:
		return c.skillOffer()
	}
	if len(c.tool.Operations) == 0 {
		return nil, impossible("%s lists no actions; its server tells them when it runs", c.tool.Name)
	}
	var all []offer
	for i := range c.tool.Operations {
		op := &c.tool.Operations[i]
		o := offer{
			at: "/actions/" + strconv.Itoa(i), name: string(c.tool.Name) + "__" + op.Name, description: op.Summary,
			effects: op.Effects, idempotent: op.Idempotent, network: c.tool.Capabilities.Network,
		}
		if op.Description != "" {
			o.description += "\n\n" + op.Description
		}
		switch {
		case c.tool.Format == spec.FormatArcade:
			// Arcade's own servers spell it so.
			o.at, o.name = "", strings.ReplaceAll(c.tool.Arcade.FQN, ".", "_")
			o.description = c.tool.Arcade.Description
			b := c.tool.Arcade.Behavior
			o.unsaid = b == nil || b.Destructive == nil && b.ReadOnly == nil
			if d := c.tool.Arcade.Deprecation; d != "" {
				o.description = "Deprecated: " + d + "\n\n" + o.description
			}
		case len(c.tool.Operations) == 1:
			o.name = op.Name
		}
		var err error
		if o.input, err = argumentsObject(op.Input); err != nil {
			return nil, err
		}
		if op.Output != nil && op.Output.Format == spec.OutputJSON && op.Output.Schema != nil {
			if o.output, err = schemaObject(op.Output.Schema); err != nil {
				return nil, err
			}
		}
		all = append(all, o)
	}
	return all, nil
}

// schemaObject is a schema as an object with a type; nil takes no arguments.
func schemaObject(raw json.RawMessage) (*object, error) {
	if raw == nil {
		return (&object{}).set("type", "object").set("properties", &object{}).set("additionalProperties", false), nil
	}
	v, err := parse(raw)
	if err != nil {
		return nil, err
	}
	o, ok := v.(*object)
	if !ok {
		return nil, impossible("a schema is no object")
	}
	// Hosts know the dialect, and some refuse a schema that names it.
	o.members = slices.DeleteFunc(o.members, func(m member) bool { return m.name == "$schema" })
	return o, nil
}

// argumentsObject is the schema of arguments, which are an object whether it says so
// or not.
func argumentsObject(raw json.RawMessage) (*object, error) {
	o, err := schemaObject(raw)
	if err != nil {
		return nil, err
	}
	switch kind, said := o.get("type"); {
	case !said:
		o.members = append([]member{{"type", "object"}}, o.members...)
	case kind != "object":
		return nil, impossible("the input of an action is no object")
	}
	return o, nil
}

func (c *conversion) patchOffer() ([]offer, error) {
	t := c.tool
	in, err := schemaObject(manifest.Inputs(t).JSON())
	if err != nil {
		return nil, err
	}
	out, err := schemaObject(manifest.Output(t).JSON())
	if err != nil {
		return nil, err
	}
	return []offer{{
		name: string(t.Name), title: titleOf(string(t.Name)), description: t.Description, input: in, output: out,
		effects: effectsOf(t), network: t.Capabilities.Network,
	}}, nil
}

// effectsOf is the worst that the capabilities of a Patch tool let it do, in the
// words of install manifests.
func effectsOf(t *spec.Tool) spec.Effects {
	switch k := t.Capabilities; {
	case k.HumanConfirm:
		return spec.EffectsDestructive
	case k.Filesystem == spec.FilesystemReadWrite, len(t.ExternalAuth) > 0:
		return spec.EffectsWrite
	case k.Network, k.Filesystem == spec.FilesystemReadOnly:
		return spec.EffectsRead
	}
	return spec.EffectsNone
}

func (c *conversion) skillOffer() ([]offer, error) {
	s := c.tool.Skill
	if s == nil || s.ManifestVersion == "" {
		return nil, impossible("the skill %s has no manifest_version, so it declares no inputs", c.tool.Name)
	}
	props, required := &object{}, []any{}
	for _, part := range []struct {
		inputs []spec.SkillInput
		must   bool
	}{{s.Required, true}, {s.Optional, false}} {
		for _, in := range part.inputs {
			schema, err := schemaOfInput(in)
			if err != nil {
				return nil, err
			}
			props.set(in.Name, schema)
			if part.must {
				required = append(required, in.Name)
			}
		}
	}
	schema := (&object{}).set("type", "object").set("properties", props).set("required", required).set("additionalProperties", false)
	effects := spec.EffectsRead
	switch {
	case s.Execution.Destructive:
		effects = spec.EffectsDestructive
	case len(s.Outputs) > 0:
		effects = spec.EffectsWrite
	}
	return []offer{{
		name: string(c.tool.Name), title: titleOf(s.Name), description: c.tool.Description, input: schema,
		effects: effects, idempotent: s.Execution.Idempotent, network: s.Execution.Network,
	}}, nil
}

// schemaOfInput is the schema of an input with its description in it.
func schemaOfInput(in spec.SkillInput) (*object, error) {
	schema := &object{}
	if in.Schema != nil {
		v, err := parse(in.Schema)
		if err != nil {
			return nil, err
		}
		if o, ok := v.(*object); ok {
			schema = o
		}
	}
	return schema.text("description", in.Description), nil
}

// titleOf turns csv_to_json and csv-to-json into "Csv to json".
func titleOf(name string) string {
	s := strings.NewReplacer("_", " ", "-", " ").Replace(name)
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
