package convert

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// argumentPath is where the document has a keyword of an argument's schema: rest is
// "" or a pointer below that schema.
func (c *conversion) argumentPath(o *offer, name, rest string) string {
	t := c.tool
	switch t.Format {
	case spec.FormatPatch:
		if i := slices.IndexFunc(t.Inputs, func(in spec.Input) bool { return in.Name == name }); i >= 0 {
			return "/inputs/" + strconv.Itoa(i) + rest
		}
	case spec.FormatSkill:
		same := func(in spec.SkillInput) bool { return in.Name == name }
		at := ""
		if i := slices.IndexFunc(t.Skill.Required, same); i >= 0 {
			at = "/inputs/required/" + strconv.Itoa(i)
		} else if i := slices.IndexFunc(t.Skill.Optional, same); i >= 0 {
			at = "/inputs/optional/" + strconv.Itoa(i)
		}
		if rest != "" && rest != "/description" {
			at += "/schema"
		}
		return at + rest
	case spec.FormatArcade:
		i := slices.IndexFunc(t.Arcade.Parameters, func(p spec.ArcadeParameter) bool { return p.Name == name })
		at := "/input/parameters/" + strconv.Itoa(max(i, 0))
		switch {
		case rest == "" || rest == "/description":
			return at + rest
		case strings.HasPrefix(rest, "/enum") || strings.HasPrefix(rest, "/items/enum"):
			return at + "/value_schema/enum"
		}
		return at + "/value_schema"
	}
	return o.at + "/input/properties/" + pointerPart(name) + rest
}

// inputPath is where the document has what stands at a pointer of an offer's input.
func (c *conversion) inputPath(o *offer, pointer string) string {
	if rest, ok := strings.CutPrefix(pointer, "/properties/"); ok {
		name, rest, below := strings.Cut(rest, "/")
		if below {
			rest = "/" + rest
		}
		return c.argumentPath(o, strings.NewReplacer("~1", "/", "~0", "~").Replace(name), rest)
	}
	switch c.tool.Format {
	case spec.FormatInstall:
		return o.at + "/input" + pointer
	case spec.FormatArcade:
		return "/input/parameters"
	}
	return "/inputs"
}

// resultPath is where the document has what stands at a pointer of an offer's output.
func (c *conversion) resultPath(o *offer, pointer string) string {
	switch c.tool.Format {
	case spec.FormatPatch:
		return "/outputs" + pointer
	case spec.FormatArcade:
		return "/output/value_schema"
	}
	return o.at + "/output/schema" + pointer
}

// closed tells whether a schema takes no arguments but those it names, as the other
// formats all do. One that says nothing is closed, too [C-29].
func closed(o *offer) bool {
	more, said := o.input.get("additionalProperties")
	return !said || more == false
}

// leftOfActions tells what of the actions of an install manifest is gone, but for the
// schemas.
func (c *conversion) leftOfActions() {
	for i, op := range c.tool.Operations {
		at := "/actions/" + strconv.Itoa(i)
		c.dropped(at+"/invocation", "how it is called stays in the install manifest")
		answers := op.Output != nil && op.Output.Schema != nil && op.Output.Format == spec.OutputJSON
		for _, m := range []struct {
			path string
			has  bool
		}{
			{"/examples", len(op.Examples) > 0},
			{"/scopes_used", len(op.ScopesUsed) > 0},
			{"/error_envelope", op.StandardError},
			{"/idempotent", op.Idempotent && !c.saysIdempotent(&op)},
			{"/output", op.Output != nil && (c.to == Skill || !answers)},
		} {
			if m.has {
				c.dropped(at+m.path, "the target has no place for it")
			}
		}
		switch {
		case op.Effects == spec.EffectsDestructive: // told by those who know what becomes of it
		case c.to == MCP:
			c.approximated(at+"/side_effects", "hints, which tell none from read as little as they hold anybody")
		default:
			c.dropped(at+"/side_effects", "the target has no place for it")
		}
	}
	if len(c.tool.Operations) == 1 && c.to == Patch {
		c.dropped("/actions/0/name", "the tool is what is called, and has a name of its own")
	}
}

// saysIdempotent tells whether the target says of the action that it is.
func (c *conversion) saysIdempotent(op *spec.Operation) bool {
	changes := op.Effects == spec.EffectsWrite || op.Effects == spec.EffectsDestructive
	return c.to == MCP && changes || c.to == Skill && len(c.tool.Operations) == 1
}

// said are the losses of reading alone: members of other editions, which the model
// has no place for.
func (c *conversion) said() {
	if line, _ := c.doc.Place("/$schema"); line > 0 && c.tool.Format == spec.FormatArcade {
		c.dropped("/$schema", "it names the edition of a definition")
	}
	for _, l := range c.doc.Lost {
		if l.Kind == manifest.Synthesised || strings.HasPrefix(l.Path, "/metadata/behavior") || l.Path == "/deprecation_message" && c.to != Skill {
			continue // made up for a definition; told by itself; stands in the description
		}
		l.Reason = "no other format has a place for it: " + l.Reason
		c.losses = append(c.losses, l)
	}
	if a := c.tool.Arcade; a != nil && a.Behavior != nil {
		c.behaviour(a.Behavior)
	}
}

// behaviour tells what of the SDK's behaviour is gone.
func (c *conversion) behaviour(b *spec.ArcadeBehavior) {
	if len(b.Operations) > 0 {
		c.dropped("/metadata/behavior/operations", "the target has no place for it")
	}
	if c.to == MCP {
		if b.OpenWorld != nil {
			c.approximated("/metadata/behavior/open_world", "every tool of Arcade is called over the network")
		}
		return
	}
	for _, m := range []struct {
		name string
		flag *bool
	}{{"read_only", b.ReadOnly}, {"idempotent", b.Idempotent}, {"open_world", b.OpenWorld}} {
		if m.flag != nil {
			c.dropped("/metadata/behavior/"+m.name, "the target has no place for it")
		}
	}
	if b.Destructive != nil && (!*b.Destructive || c.to == Skill) {
		c.dropped("/metadata/behavior/destructive", "the target has no place for it")
	}
}

// below is a place further down.
func below(at func(rest string) string, part string) func(string) string {
	return func(rest string) string { return at(part + rest) }
}
