package convert

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// maxSkillDescription is what a skill's description may have, in characters [SK-A1].
const maxSkillDescription = 1024

// skill writes a SKILL.md with the fields of ADR-002.
func (c *conversion) skill() error {
	w := &frontmatter{}
	w.line(0, "manifest_version", `"1.0"`)
	w.text(0, "name", strings.ReplaceAll(string(c.tool.Name), "_", "-"))
	description, short := cut(c.tool.Description, maxSkillDescription)
	if short {
		c.approximated("/description", "cut after 1024 characters")
	}
	w.text(0, "description", description)
	w.text(0, "version", string(c.tool.Version))
	if c.tool.License != "" {
		w.text(0, "license", c.tool.License)
	}
	var body string
	var err error
	switch c.tool.Format {
	case spec.FormatPatch:
		body, err = c.skillOfPatch(w)
	case spec.FormatInstall:
		body, err = c.skillOfInstall(w)
	default:
		body, err = c.skillOfArcade(w)
	}
	if err != nil {
		return err
	}
	data := append(w.close(), body...)
	if err := accepted(spec.FormatSkill, data); err != nil {
		return err
	}
	c.out = append([]spec.File{{Path: spec.FormatSkill.MainFile(), Data: data}}, c.out...)
	return nil
}

// skillKeywords are those that ADR-002 knows [SK-10…17].
var skillKeywords = map[string]bool{
	"type": true, "pattern": true, "minimum": true, "maximum": true, "items": true, "properties": true, "default": true, "enum": true,
}

// inputs writes the arguments of an offer as inputs of a skill.
func (c *conversion) inputs(w *frontmatter, o *offer) error {
	v, _ := o.input.get("properties")
	props, _ := v.(*object)
	if props == nil || len(props.members) == 0 {
		return nil
	}
	must := map[string]bool{}
	if v, ok := o.input.get("required"); ok {
		list, _ := v.([]any)
		for _, name := range list {
			if s, ok := name.(string); ok {
				must[s] = true
			}
		}
	}
	for _, m := range o.input.members {
		switch m.name {
		case "type", "properties", "required", "$schema":
		default:
			if m.name != "additionalProperties" || !closed(o) {
				c.dropped(c.inputPath(o, "/"+pointerPart(m.name)), "inputs are checked each by itself")
			}
		}
	}
	w.line(0, "inputs", "")
	for _, part := range []struct {
		key  string
		must bool
	}{{"required", true}, {"optional", false}} {
		var rows []member
		for _, m := range props.members {
			if must[m.name] == part.must {
				rows = append(rows, m)
			}
		}
		if len(rows) == 0 {
			continue
		}
		w.line(1, part.key, "")
		for _, m := range rows {
			schema, ok := m.value.(*object)
			if !ok {
				return impossible("the schema of %s is no object", spec.Quote(m.name))
			}
			description, _ := schema.get("description")
			text, _ := description.(string)
			if text == "" {
				text = titleOf(m.name) + "."
			}
			raw, err := encode(c.subset(schema, func(rest string) string { return c.argumentPath(o, m.name, rest) }))
			if err != nil {
				return err
			}
			w.item("name", m.name)
			w.text(3, "description", text)
			w.line(3, "schema", string(raw))
		}
	}
	return nil
}

// subset is a schema without what ADR-002 doesn't know.
func (c *conversion) subset(schema *object, at func(rest string) string) *object {
	out := &object{}
	for _, m := range schema.members {
		value := m.value
		switch {
		case m.name == "description" || m.name == "$schema" || m.name == "x-tainted-ok":
			continue
		case !skillKeywords[m.name]:
			c.dropped(at("/"+pointerPart(m.name)), "ADR-002 knows no such keyword")
			continue
		case m.name == "type":
			if list, ok := value.([]any); ok && len(list) > 0 { // [T, "null"]: T, and it may be left out
				value = list[0]
			}
		case m.name == "default" && value == nil:
			continue
		case m.name == "items":
			if sub, ok := value.(*object); ok {
				value = c.subset(sub, below(at, "/items"))
			}
		case m.name == "properties":
			if sub, ok := value.(*object); ok {
				props := &object{}
				for _, p := range sub.members {
					if s, ok := p.value.(*object); ok {
						props.set(p.name, c.subset(s, below(at, "/properties/"+pointerPart(p.name))))
					}
				}
				value = props
			}
		}
		out.set(m.name, value)
	}
	return out
}

func (c *conversion) skillOfPatch(w *frontmatter) (body string, err error) {
	t := c.tool
	offers, err := c.patchOffer()
	if err != nil {
		return "", err
	}
	if err := c.inputs(w, &offers[0]); err != nil {
		return "", err
	}
	w.line(0, "preconditions", "")
	w.line(1, "commands", "")
	w.item("cmd", "python3")
	w.text(3, "min_version", t.Runtime.PythonVersion)
	c.approximated("/runtime/python_version", "any python3 from that version on")
	w.line(1, "files", "")
	w.item("path", "scripts/tool.py")
	w.text(3, "base", string(spec.SkillRoot))
	w.line(0, "outputs", "")
	w.line(1, "artifacts", "")
	w.entry(2, "stdout: one line of JSON, "+string(t.Output.Type))
	c.approximated("/outputs", "an artifact in words")
	e := effectsOf(t)
	w.line(0, "execution", "")
	w.line(1, "destructive", strconv.FormatBool(e == spec.EffectsDestructive))
	w.line(1, "network", strconv.FormatBool(t.Capabilities.Network))
	w.line(1, "interactive", strconv.FormatBool(t.Capabilities.HumanConfirm))
	c.approximated("/capabilities/network", "a hint that nothing enforces")
	if t.Capabilities.Filesystem != spec.FilesystemNone {
		c.dropped("/capabilities/filesystem", "a skill doesn't say what files its scripts get")
	}
	if t.Capabilities.HumanConfirm {
		c.weaker("/capabilities/human_confirm", "hints that nothing enforces")
	}
	c.leftOfTaint("a skill knows nothing of taint")
	if len(t.ExternalAuth) > 0 {
		w.line(0, "env", "")
		w.line(1, "required", "")
		w.item("name", "PATCH_ACCESS_TOKEN")
		w.text(3, "description", "An access token with the scopes "+strings.Join(t.ExternalAuth, ", ")+".")
		w.line(3, "sensitive", "true")
		c.approximated("/external_auth", "a variable that must be set")
	}
	if len(t.Runtime.Packages) > 0 {
		c.dropped("/runtime/packages", "a skill doesn't say what packages its scripts need: "+strings.Join(t.Runtime.Packages, ", "))
	}
	c.leftOfAuthor("/x-license")
	c.add("scripts/tool.py", c.doc.Raw)
	c.synthesised("/body", "instructions to run the script")
	return fmt.Sprintf("\n# %s\n\n%s\n\nGive the inputs as one JSON object on standard input. The answer is the last line of\nstandard output, as JSON.\n\n```\npython3 scripts/tool.py < args.json\n```\n",
		titleOf(string(t.Name)), t.Description), nil
}

func (c *conversion) skillOfInstall(w *frontmatter) (string, error) {
	d := c.tool.Deployment
	if len(d.Env) > 0 {
		c.skillEnv(w, d.Env)
	}
	destructive := false
	for _, op := range c.tool.Operations {
		destructive = destructive || op.Effects == spec.EffectsDestructive
	}
	if len(c.tool.Operations) == 1 {
		offers, err := c.offers()
		if err != nil {
			return "", err
		}
		if err := c.inputs(w, &offers[0]); err != nil {
			return "", err
		}
	} else {
		for i, op := range c.tool.Operations {
			if op.Input != nil {
				c.dropped("/actions/"+strconv.Itoa(i)+"/input", "a skill has one set of inputs, and these actions have each its own")
			}
		}
	}
	w.line(0, "preconditions", "")
	w.line(1, "commands", "")
	w.item("cmd", "patch-git")
	c.synthesised("/preconditions", "the tool is called through patch-git")
	w.line(0, "execution", "")
	w.line(1, "destructive", strconv.FormatBool(destructive))
	w.line(1, "network", strconv.FormatBool(c.tool.Capabilities.Network))
	if len(c.tool.Operations) == 1 && c.tool.Operations[0].Idempotent {
		w.line(1, "idempotent", "true")
	}
	c.leftOfActions()
	if destructive {
		c.weaker("/actions", "that an action is destructive is a hint that nothing enforces")
	}
	for i := range d.Scopes {
		c.dropped("/scopes/"+strconv.Itoa(i), "a skill has no scopes; they are shown when the tool is installed")
	}
	c.dropped("/smoke", "it stays in the install manifest, through which the tool is called")
	c.dropped("/kill_switch", "it stays in the install manifest, through which the tool is called")
	c.dropped("/runtime", "it stays in the install manifest, through which the tool is called")
	if len(c.tool.Tags) > 0 {
		c.dropped("/tool/tags", "the target has no place for it")
	}
	c.leftOfIdentity()
	return c.skillBody(c.tool.Operations), nil
}

// skillEnv writes the values that a person gives, secrets as sensitive.
func (c *conversion) skillEnv(w *frontmatter, env []spec.EnvVar) {
	w.line(0, "env", "")
	for _, part := range []struct {
		key  string
		must bool
	}{{"required", true}, {"optional", false}} {
		first := true
		for i, e := range env {
			if e.Required != part.must {
				continue
			}
			if first {
				w.line(1, part.key, "")
				first = false
			}
			w.item("name", e.Name)
			w.text(3, "description", e.Prompt)
			w.line(3, "sensitive", strconv.FormatBool(e.Secret))
			at := "/env/" + strconv.Itoa(i)
			if e.Pattern != "" {
				c.dropped(at+"/validation_regex", "a skill checks no values")
			}
			if e.Default != nil {
				c.dropped(at+"/default", "a skill has no defaults of variables")
			}
			if e.ObtainURL != "" {
				c.dropped(at+"/obtain_url", "the target has no place for it")
			}
		}
	}
}

func (c *conversion) skillOfArcade(w *frontmatter) (string, error) {
	offers, err := c.offers()
	if err != nil {
		return "", err
	}
	if err := c.inputs(w, &offers[0]); err != nil {
		return "", err
	}
	a := c.tool.Arcade
	w.line(0, "preconditions", "")
	w.line(1, "commands", "")
	w.item("cmd", "patch-git")
	c.synthesised("/preconditions", "the tool is called through patch-git")
	w.line(0, "execution", "")
	w.line(1, "network", "true")
	if a.OutputValue != nil {
		c.dropped("/output/value_schema", "a skill doesn't say what it answers")
	}
	c.leftOfArcade()
	return fmt.Sprintf("\n# %s\n\n%s\n\n```\npatch-git run %s --args '{…}'\n```\n", titleOf(string(c.tool.Name)), a.Description, c.tool.Name), nil
}

func (c *conversion) skillBody(ops []spec.Operation) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n# %s\n\n%s\n", c.tool.Deployment.Title, c.tool.Description)
	if text := c.tool.Deployment.Text; text != "" {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	for _, op := range ops {
		about := op.Summary
		if op.Description != "" {
			about += "\n\n" + op.Description
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```\npatch-git call %s %s --args '{…}'\n```\n", op.Name, about, c.tool.Name, op.Name)
	}
	c.synthesised("/body", "how to call each action")
	return b.String()
}

// frontmatter writes YAML of mappings and lists in which all text is quoted.
type frontmatter struct{ b bytes.Buffer }

func (w *frontmatter) line(level int, key, value string) {
	if w.b.Len() == 0 {
		w.b.WriteString("---\n")
	}
	w.b.WriteString(strings.Repeat("  ", level) + key + ":")
	if value != "" {
		w.b.WriteString(" " + value)
	}
	w.b.WriteByte('\n')
}

func (w *frontmatter) text(level int, key, value string) { w.line(level, key, quoted(value)) }

// item begins an element of a list with its first key.
func (w *frontmatter) item(key, value string) {
	w.b.WriteString("    - " + key + ": " + quoted(value) + "\n")
}

// entry is an element of a list of text.
func (w *frontmatter) entry(level int, value string) {
	w.b.WriteString(strings.Repeat("  ", level) + "- " + quoted(value) + "\n")
}

func (w *frontmatter) close() []byte { return append(w.b.Bytes(), "---\n"...) }

// quoted is text as JSON spells it, which YAML reads alike.
func quoted(s string) string {
	b, err := encode(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
