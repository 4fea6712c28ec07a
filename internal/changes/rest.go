package changes

import (
	"encoding/json"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// differs adds a change where two parts of the neutral form are not the same.
func (c *comparison) differs(class Class, path, what string, was, is any) {
	x, y := written(was), written(is)
	if x != y {
		c.add(class, path, what, x, y)
	}
}

// written is a value as JSON, "" where it says nothing.
func written(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	if s := string(raw); s != "null" && s != `""` && s != "[]" && s != "{}" {
		return s
	}
	return ""
}

// told compares what is said beside what a tool does and may.
func (c *comparison) told(a, b *spec.Tool) {
	c.differs(Cosmetic, "/aliases", "other names it is looked for by", a.Aliases, b.Aliases)
	c.differs(Cosmetic, "/extensions", "the author's own keys changed", a.Extensions, b.Extensions)
	c.text("/generated_by", a.GeneratedBy, b.GeneratedBy)
	c.text("/generated_at", a.GeneratedAt, b.GeneratedAt)
	if a.Arcade != nil && b.Arcade != nil {
		c.arcade(a.Arcade, b.Arcade)
	}
}

// deployed compares what of an installation is neither code nor asked for.
func (c *comparison) deployed(a, b *spec.Deployment) {
	c.differs(Cosmetic, "/author", "the author is named otherwise", a.Author, b.Author)
	c.differs(Cosmetic, "/support", "help is elsewhere", a.Support, b.Support)
	c.differs(Additive, "/runtime/cwd", "it is started in another folder", a.Cwd, b.Cwd)
	c.differs(Additive, "/smoke", "it is tried in another way", a.Smoke, b.Smoke)
	if a.KillSwitch.Kind == b.KillSwitch.Kind {
		// A command of it runs with the credentials of the installation.
		c.differs(Permission, "/kill_switch", "something else takes access back", a.KillSwitch, b.KillSwitch)
	}
	was := map[string]spec.Scope{}
	for _, s := range a.Scopes {
		was[s.Resource] = s
	}
	for _, s := range b.Scopes {
		old, had := was[s.Resource]
		if !had {
			continue
		}
		c.text("/scopes/"+part(s.Resource)+"/rationale", old.Rationale, s.Rationale)
		c.differs(Permission, "/scopes/"+part(s.Resource)+"/provider_scope", "the provider grants something else", old.Provider, s.Provider)
	}
}

// variable compares the rest of a value that a person gives.
func (c *comparison) variable(at string, was, is *spec.EnvVar) {
	c.differs(Breaking, at+"/default", "what is left out means something else", was.Default, is.Default)
	// Whoever is sent to another place to fetch a key may be sent to a thief.
	c.differs(Permission, at+"/obtain_url", "the value is to be had elsewhere", was.ObtainURL, is.ObtainURL)
	if !was.Secret && is.Secret {
		c.add(Additive, at+"/secret", "the value is kept as a secret", "false", "true")
	}
}

// instructed compares what a skill says beyond its inputs.
func (c *comparison) instructed(a, b *spec.Skill) {
	c.differs(Breaking, "/name", "it has another name", a.Name, b.Name)
	c.differs(Additive, "/manifest_version", "the manifest is of another edition", a.ManifestVersion, b.ManifestVersion)
	c.differs(Breaking, "/env/required", "what must be set changed", a.EnvRequired, b.EnvRequired)
	c.differs(Additive, "/env/optional", "what may be set changed", a.EnvOptional, b.EnvOptional)
	c.differs(Breaking, "/preconditions/commands", "what programs must be there changed", a.Commands, b.Commands)
	c.differs(Breaking, "/preconditions/files", "what files must be there changed", a.Files, b.Files)
	c.differs(Breaking, "/outputs/files", "it makes other files", a.Outputs, b.Outputs)
	c.differs(Additive, "/outputs/artifacts", "it makes other things", a.Artifacts, b.Artifacts)
	x, y := a.Execution, b.Execution
	if x.Idempotent != y.Idempotent {
		c.differs(map[bool]Class{true: Additive, false: Breaking}[y.Idempotent], "/execution/idempotent", "whether it may be repeated", x.Idempotent, y.Idempotent)
	}
	if x.Destructive && !y.Destructive {
		c.add(Permission, "/execution/destructive", "nobody is warned any more", "true", "false")
	}
	c.differs(Breaking, "/execution/interactive", "whether somebody has to be there", x.Interactive, y.Interactive)
	c.differs(Additive, "/execution/timeout", "how long it may take", x.Timeout, y.Timeout)
	switch {
	case a.Sensitive && !b.Sensitive:
		c.add(Permission, "/sensitive", "what it handles is no secret any more", "true", "false")
	case b.Sensitive && !a.Sensitive:
		c.add(Additive, "/sensitive", "what it handles is secret", "false", "true")
	}
	c.text("/compatibility", a.Compatibility, b.Compatibility)
	c.differs(Cosmetic, "/metadata", "the metadata changed", a.Metadata, b.Metadata)
	c.differs(Cosmetic, "/other", "fields of nobody's format changed", a.Other, b.Other)
}

// arcade compares what of a definition is neither arguments, effects nor secrets.
func (c *comparison) arcade(a, b *spec.Arcade) {
	if !strings.EqualFold(a.FQN, b.FQN) {
		c.add(Permission, "/fully_qualified_name", "another tool is called", a.FQN, b.FQN)
	}
	c.differs(Permission, "/authorization", "it works with another account", a.Auth, b.Auth)
	c.differs(Breaking, "/available_modes", "it answers in other ways", a.Modes, b.Modes)
	c.text("/output/description", a.OutputText, b.OutputText)
	c.text("/toolkit/description", a.Toolkit.Description, b.Toolkit.Description)
	c.differs(Additive, "/deprecation", "whether it should still be used", a.Deprecation, b.Deprecation)
	c.differs(Additive, "/behavior", "what it says of its effects", a.Behavior, b.Behavior)
	for _, p := range b.Parameters {
		for _, old := range a.Parameters {
			if old.Name == p.Name {
				c.differs(Breaking, "/input/"+part(p.Name)+"/inferrable", "whether a model may make the value up", old.Inferrable, p.Inferrable)
				c.differs(Breaking, "/input/"+part(p.Name)+"/value_schema", "it takes other values", old.Value, p.Value)
			}
		}
	}
}
