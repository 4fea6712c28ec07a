package convert

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// interpreters start the scripts that a skill may have, by their suffix.
var interpreters = map[string]string{".py": "python3", ".sh": "sh", ".js": "node"}

// installSkill makes an install manifest of a skill that is one script: a skill
// without is instructions for a model, and nothing that can be installed and called.
func (c *conversion) installSkill() error {
	s := c.tool.Skill
	if s.ManifestVersion == "" {
		return impossible("the skill %s has no manifest_version, so it declares nothing that can be called", c.tool.Name)
	}
	var script, starter string
	for _, f := range s.Files {
		with, ok := interpreters[path.Ext(f.Path)]
		if !ok || f.Base != spec.SkillRoot {
			continue
		}
		if script != "" {
			return impossible("the skill %s has several scripts, and nothing says which of them is called", c.tool.Name)
		}
		script, starter = f.Path, with
	}
	if script == "" {
		return impossible("the skill %s has no script that could be called; it is instructions for a model", c.tool.Name)
	}
	if c.tool.Version == "" {
		return impossible("the skill %s has no version", c.tool.Name)
	}
	runtime, err := c.runtime("shell-binary", []string{starter, script})
	if err != nil {
		return err
	}
	offers, err := c.skillOffer()
	if err != nil {
		return err
	}
	o := offers[0]
	doc := c.installHead(c.tool.Description).set("runtime", runtime)
	env, err := c.envOfSkill()
	if err != nil {
		return err
	}
	if len(env) > 0 {
		doc.set("env", env)
	}
	var scopes, used []any
	scope := func(resource, why string, verbs ...string) {
		scopes = append(scopes, (&object{}).set("resource", resource).set("actions", verbs).set("rationale", why))
		used = append(used, resource)
	}
	if s.Execution.Network {
		scope("net.outbound", "The skill needs the internet.", "read", "send")
		c.approximated("/execution/network", "a scope")
	}
	if len(s.Outputs) > 0 || s.Execution.Destructive {
		scope("fs.local", "The skill writes files.", "read", "write")
	}
	if len(scopes) > 0 {
		doc.set("scopes", scopes)
	}
	summary, _ := cut(c.tool.Description, maxSummary)
	action := (&object{}).set("name", string(c.tool.Name)).set("summary", summary).
		set("invocation", (&object{}).set("kind", spec.InvokeStdinJSON)).set("input", o.input).
		set("output", (&object{}).set("format", spec.OutputText)).set("side_effects", o.effects).set("idempotent", o.idempotent)
	if len(used) > 0 {
		action.set("scopes_used", used)
	}
	c.synthesised("/actions/0/invocation", "the script is given its inputs as JSON on standard input, which nothing in the skill says")
	c.synthesised("/actions/0/output", "text: a skill doesn't say what its script prints")
	doc.set("actions", []any{action})
	doc.set("smoke", (&object{}).set("kind", "shell").set("command", []string{"test", "-f", script}).set("success", (&object{}).set("exit_code", 0)))
	c.synthesised("/smoke", "shows that the script is there, not that it works")
	doc.set("kill_switch", (&object{}).set("kind", "shell").set("command", []string{"patch-git", "remove", string(c.tool.Name)}))
	c.synthesised("/kill_switch", "removing a skill takes its access back")
	c.leftOfSkillInstalled()
	return c.write(doc)
}

// envOfSkill are the variables as values that a person gives.
func (c *conversion) envOfSkill() ([]any, error) {
	s := c.tool.Skill
	var out []any
	for i, e := range slices.Concat(s.EnvRequired, s.EnvOptional) {
		if !envName().MatchString(e.Name) {
			return nil, impossible("the variable %s is not spelled in capitals, as version 0.2 asks", spec.Quote(e.Name))
		}
		prompt, _ := cut(strings.TrimSpace(e.Description), maxPrompt)
		if prompt == "" {
			prompt = "The value of " + e.Name + "."
			c.synthesised("/env/"+strconv.Itoa(i)+"/prompt", "the variable is not described")
		}
		out = append(out, (&object{}).set("name", e.Name).set("prompt", prompt).set("secret", e.Sensitive).set("required", i < len(s.EnvRequired)))
	}
	return out, nil
}

// leftOfSkillInstalled tells what of a skill an install manifest has no place for,
// beyond what stands in it as env and scopes.
func (c *conversion) leftOfSkillInstalled() {
	s := *c.tool.Skill
	whole := c.tool.Skill
	s.EnvRequired, s.EnvOptional = nil, nil
	c.tool.Skill = &s
	c.leftOfSkill()
	c.tool.Skill = whole
	for i, f := range s.Files {
		at := "/preconditions/files/" + strconv.Itoa(i)
		if _, script := interpreters[path.Ext(f.Path)]; !script || f.Base != spec.SkillRoot {
			c.dropped(at, "the target has no place for it")
		} else if f.Description != "" {
			c.dropped(at+"/description", "the target has no place for it")
		}
	}
	c.dropped("/body", "the target has no place for instructions")
}
