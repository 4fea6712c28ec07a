package convert

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

func (c *conversion) extensions(reason string) {
	for _, key := range slices.Sorted(maps.Keys(c.tool.Extensions)) {
		c.dropped("/"+pointerPart(key), reason)
	}
}

// pointerPart escapes a key for a JSON Pointer (RFC 6901).
func pointerPart(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// leftOfInstall tells what of an install manifest none of the other targets has
// a place for: how the tool gets to the machine, and how it leaves it.
func (c *conversion) leftOfInstall() {
	d := c.tool.Deployment
	c.leftOfActions()
	for i, e := range d.Env {
		at := "/env/" + strconv.Itoa(i)
		if e.Secret {
			c.unprotected(at, "the target doesn't know that "+e.Name+" is a secret")
		} else {
			c.dropped(at, "the target asks for no settings")
		}
	}
	for i, s := range d.Scopes {
		at := "/scopes/" + strconv.Itoa(i)
		if strings.HasPrefix(s.Resource, "fs.") {
			c.dropped(at, "the target has no scopes")
		} else {
			c.unprotected(at, "nobody is told that the tool acts on "+spec.Quote(s.Resource))
		}
	}
	c.dropped("/runtime", "the target doesn't say where the tool comes from or how it starts")
	c.dropped("/smoke", "the target has no trial of an installation")
	c.dropped("/kill_switch", "the target has no way to take access back")
	c.leftOfIdentity()
}

// leftOfIdentity tells what of the person-facing part of an install manifest is
// gone.
func (c *conversion) leftOfIdentity() {
	d := c.tool.Deployment
	c.dropped("/tool/homepage", "the target has no place for it")
	if d.Cost != nil {
		c.dropped("/cost", "the target names no price")
	}
	if d.Support != (spec.Support{}) {
		c.dropped("/support", "the target has no place for it")
	}
	if d.Author != (spec.Author{}) {
		c.dropped("/tool/author", "the target has no place for it")
	}
	if c.to == Skill {
		return // it has a name, a description, a license and a version
	}
	if d.Text != "" {
		c.dropped("/tool/description", "each action is described by itself")
	}
	c.dropped("/tool/name", "the target has no title of a tool")
	if c.to != Arcade { // whose toolkit has it
		c.dropped("/tool/summary", "each action is described by itself")
	}
	if c.tool.License != "" {
		c.dropped("/tool/license", "the target has no place for it")
	}
	if len(c.tool.Tags) > 0 {
		c.dropped("/tool/tags", "the target has no place for it")
	}
}

// leftOfSkill tells what of a skill is neither name, description nor inputs.
func (c *conversion) leftOfSkill() {
	s := c.tool.Skill
	for i, e := range s.EnvRequired {
		c.lostVariable("/env/required/"+strconv.Itoa(i), e)
	}
	for i, e := range s.EnvOptional {
		c.lostVariable("/env/optional/"+strconv.Itoa(i), e)
	}
	for i, in := range slices.Concat(s.Required, s.Optional) {
		if in.Sensitive {
			at := "/inputs/required/" + strconv.Itoa(i)
			if i >= len(s.Required) {
				at = "/inputs/optional/" + strconv.Itoa(i-len(s.Required))
			}
			c.unprotected(at+"/sensitive", "the target doesn't know that the value is to be struck from traces")
		}
	}
	if s.Sensitive {
		c.unprotected("/sensitive", "the target doesn't know that the skill handles sensitive data")
	}
	if s.Execution.Network && c.to != MCP && c.to != Install {
		c.unprotected("/execution/network", "nobody is told that the skill needs the internet")
	}
	for _, m := range []struct {
		path string
		has  bool
	}{
		{"/preconditions/commands", len(s.Commands) > 0},
		{"/preconditions/files", len(s.Files) > 0 && c.to != Install},
		{"/license", c.tool.License != "" && c.to != Install && c.to != Patch},
		{"/execution/idempotent", s.Execution.Idempotent && c.to != Install && c.to != MCP},
		{"/outputs/files", len(s.Outputs) > 0},
		{"/outputs/artifacts", len(s.Artifacts) > 0},
		{"/execution/interactive", s.Execution.Interactive},
		{"/execution/timeout", s.Execution.Timeout > 0},
		{"/compatibility", s.Compatibility != ""},
		{"/allowed-tools", len(s.AllowedTools) > 0},
		{"/metadata", len(s.Metadata) > 0},
	} {
		if m.has {
			c.dropped(m.path, "the target has no place for it")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Other)) {
		c.dropped("/"+pointerPart(key), "the target has no place for it")
	}
	if c.to != Install {
		c.dropped("/body", "the target has no place for instructions")
	}
}

func (c *conversion) lostVariable(at string, e spec.SkillEnv) {
	if e.Sensitive {
		c.unprotected(at, "the target doesn't know that "+spec.Quote(e.Name)+" is a secret")
		return
	}
	c.dropped(at, "the target asks for no settings")
}

// leftOfArcade tells what of a definition is neither name, description nor
// arguments. MCP keeps what Arcade asks for, see arcadeMeta.
func (c *conversion) leftOfArcade() {
	a := c.tool.Arcade
	if c.to != MCP {
		if len(a.Secrets) > 0 {
			c.unprotected("/requirements/secrets", "nobody is told that the tool needs secrets")
		}
		if a.Auth != nil && a.Auth.Word != "none" {
			c.unprotected("/requirements/authorization", "nobody is told that the tool works with an account")
		}
	}
	if a.Toolkit.Description != "" {
		c.dropped("/toolkit/description", "the target has no place for it")
	}
	for i, p := range a.Parameters {
		at := "/input/parameters/" + strconv.Itoa(i)
		if !p.Inferrable {
			c.dropped(at+"/inferrable", "the target cannot say that a model must not make the value up")
		}
		if p.Value.Type == "json" || p.Value.Inner == "json" {
			c.approximated(at+"/value_schema", "any JSON value becomes an object, as Arcade's own servers say it")
		}
		if len(p.Value.Enum) > 0 && p.Value.Type != "string" {
			c.approximated(at+"/value_schema/enum", "the strings become values of the type")
		}
	}
	c.dropped("/output/available_modes", "the target has no place for it")
	if a.OutputText != "" {
		c.dropped("/output/description", "the target has no place for it")
	}
}
