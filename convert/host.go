package convert

import (
	"slices"
	"strconv"

	"github.com/patch-cat/patch-git/spec"
)

// metaKey is under which an MCP tool says what MCP has no member for.
const metaKey = "com.github.patch-cat/patch-git"

// maxFunctionName is what the APIs of models take [C-4].
const maxFunctionName = 64

// host writes what a host of models is told: a document {"tools": […]} of MCP, or
// the list of functions that an API takes.
func (c *conversion) host() error {
	all, err := c.offers()
	if err != nil {
		return err
	}
	list := []any{}
	for i := range all {
		o := &all[i]
		if len(o.name) > maxFunctionName {
			return impossible("the name %s has %d characters, hosts take %d", spec.Quote(o.name), len(o.name), maxFunctionName)
		}
		switch c.to {
		case MCP:
			list = append(list, c.mcp(o))
		case OpenAI:
			list = append(list, c.openAI(o))
		case Anthropic:
			list = append(list, c.anthropic(o))
		}
		c.lost(o)
	}
	c.left()
	var doc any = list
	name := string(c.to) + ".json"
	if c.to == MCP {
		doc = (&object{}).set("tools", list)
	}
	data, err := pretty(doc)
	if err != nil {
		return err
	}
	c.add(name, data)
	return nil
}

func (c *conversion) mcp(o *offer) *object {
	open, changes := o.network, o.effects == spec.EffectsWrite || o.effects == spec.EffectsDestructive
	hints := (&object{}).text("title", o.title).set("readOnlyHint", !changes).set("destructiveHint", o.effects == spec.EffectsDestructive).
		set("idempotentHint", o.idempotent || !changes).set("openWorldHint", open)
	t := (&object{}).set("name", o.name).text("title", o.title).text("description", o.description).set("inputSchema", c.withTaint(o.input))
	if o.output != nil {
		if kind, _ := o.output.get("type"); kind != "object" {
			c.approximated(c.resultPath(o, ""), "MCP results are objects: the result stands in its member result")
			o.output = (&object{}).set("type", "object").set("properties", (&object{}).set("result", o.output)).set("required", []any{"result"})
		}
		t.set("outputSchema", o.output)
	}
	t.set("annotations", hints)
	meta := (&object{}).set("format", c.tool.Format).set("version", c.tool.Version)
	if k := c.tool.Capabilities; c.tool.Format == spec.FormatPatch {
		meta.set("capabilities", (&object{}).set("network", k.Network).set("filesystem", k.Filesystem).set("human_confirm", k.HumanConfirm))
	}
	meta.text("generated_by", c.tool.GeneratedBy).text("generated_at", c.tool.GeneratedAt)
	if a := c.tool.Arcade; a != nil {
		c.arcadeMeta(meta)
	}
	return t.set("_meta", (&object{}).set(metaKey, meta))
}

// arcadeMeta keeps what Arcade asks for beside the arguments.
func (c *conversion) arcadeMeta(meta *object) {
	a := c.tool.Arcade
	if len(a.Secrets) > 0 {
		meta.set("secrets", a.Secrets)
		c.weaker("/requirements/secrets", "no host asks for them; they stand in _meta alone")
	}
	if a.Auth != nil && a.Auth.Word != "none" {
		meta.set("authorization", a.Auth)
		c.weaker("/requirements/authorization", "no host asks for it; it stands in _meta alone")
	}
}

// withTaint writes x-tainted-ok to the inputs that have it.
func (c *conversion) withTaint(schema *object) *object {
	v, _ := schema.get("properties")
	props, ok := v.(*object)
	if !ok {
		return schema
	}
	for _, in := range c.tool.Inputs {
		if !in.TaintedOK {
			continue
		}
		if p, ok := props.get(in.Name); ok {
			p.(*object).set("x-tainted-ok", true)
		}
	}
	return schema
}

func (c *conversion) openAI(o *offer) *object {
	f := (&object{}).set("name", o.name).text("description", o.description).set("parameters", o.input)
	return (&object{}).set("type", "function").set("function", f)
}

func (c *conversion) anthropic(o *offer) *object {
	return (&object{}).set("name", o.name).text("description", o.description).set("input_schema", o.input)
}

// lost tells what the target doesn't say of one offer.
func (c *conversion) lost(o *offer) {
	if c.to == MCP {
		if o.effects == spec.EffectsDestructive && !o.unsaid {
			c.weaker(c.confirmPath(o), "a host may show destructiveHint, and need not ask anybody")
		}
		return
	}
	if o.output != nil {
		c.dropped(c.outputPath(o), "the API takes no schema of results")
	}
	if o.effects == spec.EffectsDestructive && !o.unsaid {
		c.unprotected(c.confirmPath(o), "the API has no way to ask for a person's word")
	}
}

func (c *conversion) confirmPath(o *offer) string {
	switch c.tool.Format {
	case spec.FormatPatch:
		return "/capabilities/human_confirm"
	case spec.FormatSkill:
		return "/execution/destructive"
	}
	if c.tool.Format == spec.FormatArcade {
		return "/metadata/behavior/destructive"
	}
	return o.at + "/side_effects"
}

func (c *conversion) outputPath(o *offer) string {
	switch c.tool.Format {
	case spec.FormatPatch:
		return "/outputs"
	case spec.FormatArcade:
		return "/output"
	}
	return o.at + "/output"
}

// left tells what no host is told of the document as a whole.
func (c *conversion) left() {
	if c.to != MCP {
		at := "/version"
		switch c.tool.Format {
		case spec.FormatInstall:
			at = "/tool/version"
		case spec.FormatArcade:
			at = "/toolkit/version"
		}
		c.dropped(at, "a host is told no version")
	}
	switch c.tool.Format {
	case spec.FormatPatch:
		c.leftOfPatch(c.to == MCP)
	case spec.FormatInstall:
		c.leftOfInstall()
		if len(c.tool.Operations) == 1 {
			c.dropped("/tool/id", "an action that is alone has no other name than its own")
		}
	case spec.FormatSkill:
		c.leftOfSkill()
	case spec.FormatArcade:
		c.leftOfArcade()
	}
}

// leftOfPatch tells what of a Patch manifest stands nowhere in the result;
// meta tells whether the capabilities and taint stand there.
func (c *conversion) leftOfPatch(meta bool) {
	t := c.tool
	if !meta {
		c.leftOfTaint("the target knows nothing of taint")
		if t.Capabilities.Network {
			c.unprotected("/capabilities/network", "nobody is told that the tool reaches the internet")
		}
		if t.Capabilities.Filesystem != spec.FilesystemNone {
			c.dropped("/capabilities/filesystem", "nobody is told that the tool gets files")
		}
	}
	if len(t.ExternalAuth) > 0 {
		c.unprotected("/external_auth", "nobody is told that the tool works with an account")
	}
	c.dropped("/runtime", "a host is not told what the tool runs on")
	if meta {
		c.leftOfAuthor("/generated_by", "/generated_at")
	} else {
		c.leftOfAuthor()
	}
	c.dropped("/body", "the code stays where it is")
}

// leftOfTaint drops what the document itself says of taint. What it leaves unsaid is
// lost to every tool alike, and no news.
func (c *conversion) leftOfTaint(reason string) {
	for i := range c.tool.Inputs {
		said := "/inputs/" + strconv.Itoa(i) + "/tainted_ok"
		if line, _ := c.doc.Place(said); line > 0 {
			c.unprotected(said, reason)
		}
	}
}

// leftOfAuthor drops what only those who look for a Patch tool, and who ask where it is
// from, read; kept are the members that the target has a place for.
func (c *conversion) leftOfAuthor(kept ...string) {
	t := c.tool
	for _, m := range []struct {
		path string
		has  bool
	}{
		{"/generated_by", t.GeneratedBy != ""},
		{"/generated_at", t.GeneratedAt != ""},
		{"/x-license", t.License != ""},
		{"/x-tags", len(t.Tags) > 0},
		{"/x-aliases", len(t.Aliases) > 0},
		{"/x-examples", len(t.Examples) > 0},
		{"/x-needs", len(t.Needs) > 0},
	} {
		if m.has && !slices.Contains(kept, m.path) {
			c.dropped(m.path, "the target has no place for it")
		}
	}
	c.extensions("the target has no place for it")
}
