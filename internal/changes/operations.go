package changes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// operations compares what can be called. A Patch tool is one operation itself.
func (c *comparison) operations(a, b *spec.Tool) {
	if len(a.Operations)+len(b.Operations) == 0 {
		if a.Format == spec.FormatPatch && b.Format == spec.FormatPatch {
			c.schema("/inputs", given, manifest.Inputs(a).JSON(), manifest.Inputs(b).JSON(), 0)
			c.schema("/outputs", got, manifest.Output(a).JSON(), manifest.Output(b).JSON(), 0)
		}
		c.skill(a.Skill, b.Skill)
		return
	}
	for i := range a.Operations {
		was := &a.Operations[i]
		is, ok := b.Operation(was.Name)
		if !ok {
			c.add(Breaking, "/actions/"+part(was.Name), "the action is gone", was.Name, "")
			continue
		}
		c.operation("/actions/"+part(was.Name), was, is)
	}
	for _, op := range b.Operations {
		if _, had := a.Operation(op.Name); had {
			continue
		}
		c.add(Additive, "/actions/"+part(op.Name), "the action is new", "", op.Name)
		if op.Effects == spec.EffectsDestructive && !destroys(a) {
			c.add(Permission, "/actions/"+part(op.Name)+"/side_effects", "the first action that cannot be undone", "", string(op.Effects))
		}
	}
}

func destroys(t *spec.Tool) bool {
	return slices.ContainsFunc(t.Operations, func(o spec.Operation) bool { return o.Effects == spec.EffectsDestructive })
}

func (c *comparison) operation(at string, was, is *spec.Operation) {
	c.bigger(at+"/side_effects", "effects", harm(was.Effects), harm(is.Effects), string(was.Effects), string(is.Effects))
	if was.Effects == spec.EffectsDestructive && is.Effects != spec.EffectsDestructive {
		c.add(Permission, at+"/side_effects", "nobody is asked any more", string(was.Effects), string(is.Effects))
	}
	c.text(at+"/summary", was.Summary, is.Summary)
	c.text(at+"/description", was.Description, is.Description)
	empty := []byte(`{"type":"object","properties":{},"additionalProperties":false}`)
	in := func(raw []byte) []byte {
		if raw == nil {
			return empty
		}
		return raw
	}
	c.schema(at+"/input", given, in(was.Input), in(is.Input), 0)
	c.output(at+"/output", was.Output, is.Output)
	switch {
	case was.Idempotent && !is.Idempotent:
		c.add(Breaking, at+"/idempotent", "it must not be repeated any more", "true", "false")
	case is.Idempotent && !was.Idempotent:
		c.add(Additive, at+"/idempotent", "it may be repeated", "false", "true")
	}
	if was.StandardError != is.StandardError {
		c.add(Breaking, at+"/error_envelope", "errors have another form", strconv.FormatBool(was.StandardError), strconv.FormatBool(is.StandardError))
	}
	for _, s := range is.ScopesUsed {
		if !slices.Contains(was.ScopesUsed, s) {
			c.add(Permission, at+"/scopes_used", "the action uses one more scope", "", s)
		}
	}
	for _, s := range was.ScopesUsed {
		if !slices.Contains(is.ScopesUsed, s) {
			c.add(Additive, at+"/scopes_used", "the action uses one scope less", s, "")
		}
	}
	c.differs(Cosmetic, at+"/examples", "the examples changed", was.Examples, is.Examples)
	if x, y := invocation(&was.Invocation), invocation(&is.Invocation); x != y {
		c.add(Additive, at+"/invocation", "it is called in another way", x, y)
	}
}

// harm orders effects; what is no known word is the worst.
func harm(e spec.Effects) int {
	i := slices.Index([]spec.Effects{spec.EffectsNone, spec.EffectsRead, spec.EffectsWrite, spec.EffectsDestructive}, e)
	if i < 0 {
		return 4
	}
	return i
}

func (c *comparison) output(at string, was, is *spec.OperationOutput) {
	switch {
	case was == nil && is == nil:
	case was == nil:
		c.add(Additive, at, "what it answers is said", "", string(is.Format))
	case is == nil:
		c.add(Breaking, at, "what it answers is unsaid", string(was.Format), "")
	case was.Format != is.Format:
		c.add(Breaking, at+"/format", "the answer has another form", string(was.Format), string(is.Format))
	case was.Schema == nil && is.Schema != nil:
		c.add(Additive, at+"/schema", "what it answers is said", "", text(is.Schema))
	case was.Schema != nil && is.Schema == nil:
		c.add(Breaking, at+"/schema", "what it answers is unsaid", text(was.Schema), "")
	default:
		c.schema(at+"/schema", got, was.Schema, is.Schema, 0)
	}
}

// invocation is one line of it.
func invocation(v *spec.Invocation) string {
	words := []string{string(v.Kind), v.Method, v.Path, v.Tool, strings.Join(v.Argv, " ")}
	for _, h := range v.Headers {
		words = append(words, h.Name+": "+h.Value)
	}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
}

// deployment compares what an install manifest says of the installation.
func (c *comparison) deployment(a, b *spec.Deployment) {
	c.text("/title", a.Title, b.Title)
	c.text("/text", a.Text, b.Text)
	c.text("/homepage", a.Homepage, b.Homepage)
	if a.Kind != b.Kind {
		c.add(Breaking, "/runtime/kind", "it runs in another way", a.Kind, b.Kind)
	}
	if a.EndpointURL != b.EndpointURL {
		c.add(Permission, "/runtime/endpoint_url", "what it is given goes elsewhere", a.EndpointURL, b.EndpointURL)
	}
	if x, y := a.Install, b.Install; x != y {
		c.add(Additive, "/runtime/install", "other code is installed", origin(x), origin(y))
	}
	if x, y := strings.Join(a.Command, " "), strings.Join(b.Command, " "); x != y {
		c.add(Additive, "/runtime/entrypoint", "it is started in another way", x, y)
	}
	c.env(a.Env, b.Env)
	if x, y := a.KillSwitch, b.KillSwitch; x.Kind != y.Kind {
		c.add(Permission, "/kill_switch", "access is taken back in another way", x.Kind, y.Kind)
	}
	c.deployed(a, b)
	c.cost(a.Cost, b.Cost)
}

func origin(a spec.Artifact) string {
	words := []string{a.Method, a.Package + a.VersionSpec, a.URL, a.Ref, a.Subpath, a.Image, a.SHA256}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
}

// env compares the values that a person gives; what is secret is among the permissions.
func (c *comparison) env(a, b []spec.EnvVar) {
	find := func(list []spec.EnvVar, name string) *spec.EnvVar {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
		return nil
	}
	for i := range b {
		is := &b[i]
		at := "/env/" + part(is.Name)
		was := find(a, is.Name)
		switch {
		case was == nil && is.Required && is.Default == nil:
			c.add(Breaking, at, "a value has to be given now", "", is.Name)
		case was == nil:
			c.add(Additive, at, "a value can be given", "", is.Name)
		case is.Required && !was.Required:
			c.add(Breaking, at, "the value has to be given now", "optional", "required")
		case !is.Required && was.Required:
			c.add(Additive, at, "the value may be left out", "required", "optional")
		}
		if was == nil {
			continue
		}
		c.text(at+"/prompt", was.Prompt, is.Prompt)
		c.variable(at, was, is)
		if was.Secret && !is.Secret {
			c.add(Permission, at+"/secret", "the value is no secret any more", "true", "false")
		}
		if was.Pattern != is.Pattern {
			c.add(Breaking, at+"/validation_regex", "other values are taken", was.Pattern, is.Pattern)
		}
	}
	for _, was := range a {
		if find(b, was.Name) == nil {
			c.add(Additive, "/env/"+part(was.Name), "a value is not asked for any more", was.Name, "")
		}
	}
}

// cost compares prices: a higher one, or another model, needs a word.
func (c *comparison) cost(a, b *spec.Cost) {
	if a == nil {
		a = &spec.Cost{}
	}
	if b == nil {
		b = &spec.Cost{}
	}
	for _, fee := range []struct{ path, was, is string }{
		{"/cost/install_fee_cents", a.InstallFee.String(), b.InstallFee.String()},
		{"/cost/monthly_fee_cents", a.MonthlyFee.String(), b.MonthlyFee.String()},
	} {
		x, y := number([]byte(zero(fee.was))), number([]byte(zero(fee.is)))
		switch {
		case x == nil || y == nil:
			if fee.was != fee.is {
				c.add(Permission, fee.path, "it costs something else", fee.was, fee.is)
			}
		case y.Cmp(x) > 0:
			c.add(Permission, fee.path, "it costs more", fee.was, fee.is)
		case y.Cmp(x) < 0:
			c.add(Additive, fee.path, "it costs less", fee.was, fee.is)
		}
	}
	c.text("/cost/estimate_url", a.EstimateURL, b.EstimateURL)
	if a.UsageModel != b.UsageModel {
		c.add(Permission, "/cost/usage_model", "it is paid for in another way", a.UsageModel, b.UsageModel)
	}
}

func zero(s string) string {
	if s == "" {
		return "0"
	}
	return s
}

// skill compares what a skill asks of its caller.
func (c *comparison) skill(a, b *spec.Skill) {
	if a == nil || b == nil {
		return
	}
	c.instructed(a, b)
	inputs := func(s *spec.Skill) (all map[string]spec.SkillInput, must map[string]bool, order []string) {
		all, must = map[string]spec.SkillInput{}, map[string]bool{}
		for _, in := range s.Required {
			all[in.Name], must[in.Name] = in, true
			order = append(order, in.Name)
		}
		for _, in := range s.Optional {
			all[in.Name] = in
			order = append(order, in.Name)
		}
		return all, must, order
	}
	was, mustWas, before := inputs(a)
	is, mustIs, after := inputs(b)
	for _, name := range after {
		at := "/inputs/" + part(name)
		old, had := was[name]
		switch {
		case !had && mustIs[name]:
			c.add(Breaking, at, "it has to be given now", "", name)
		case !had:
			c.add(Additive, at, "it is new", "", name)
		case mustIs[name] && !mustWas[name]:
			c.add(Breaking, at, "it has to be given now", "optional", "required")
		case mustWas[name] && !mustIs[name]:
			c.add(Additive, at, "it may be left out now", "required", "optional")
		}
		if !had {
			continue
		}
		c.text(at+"/description", old.Description, is[name].Description)
		c.schema(at+"/schema", given, old.Schema, is[name].Schema, 0)
		switch {
		case old.Sensitive && !is[name].Sensitive:
			c.add(Permission, at+"/sensitive", "the value is no secret any more", "true", "false")
		case is[name].Sensitive && !old.Sensitive:
			c.add(Additive, at+"/sensitive", "the value is kept as a secret", "false", "true")
		}
	}
	for _, name := range before {
		if _, has := is[name]; !has {
			c.add(Breaking, "/inputs/"+part(name), "it is gone", name, "")
		}
	}
	if !a.Execution.Destructive && b.Execution.Destructive {
		c.add(Permission, "/execution/destructive", "it changes or deletes what is there", "false", "true")
	}
	if x, y := strings.Join(a.AllowedTools, " "), strings.Join(b.AllowedTools, " "); x != y {
		c.add(Permission, "/allowed-tools", "other tools are allowed", x, y)
	}
}
