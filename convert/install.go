package convert

import (
	"encoding/hex"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// The longest texts of an install manifest, in characters [TI-7, TI-8].
const (
	maxSummary     = 280
	maxDescription = 4000
)

// install writes an Agent Tool Install Manifest v0.2.
func (c *conversion) install() error {
	switch c.tool.Format {
	case spec.FormatPatch:
		return c.installPatch()
	case spec.FormatSkill:
		return c.installSkill()
	}
	return impossible("%s runs at Arcade and cannot be installed; version 0.2 of install manifests has no method for what is only reached [C-23]", c.tool.Name)
}

func (c *conversion) installPatch() error {
	t := c.tool
	runtime, err := c.runtime("python-module", []string{"python3", t.Format.MainFile()})
	if err != nil {
		return err
	}
	doc := c.installHead(t.Description)
	doc.set("runtime", runtime)
	if env := c.installToken(); env != nil {
		doc.set("env", env)
	}
	scopes, used := c.installScopes()
	if len(scopes) > 0 {
		doc.set("scopes", scopes)
	}
	offers, err := c.patchOffer()
	if err != nil {
		return err
	}
	o := offers[0]
	summary, _ := cut(t.Description, maxSummary)
	action := (&object{}).set("name", string(t.Name)).set("summary", summary).
		set("invocation", (&object{}).set("kind", spec.InvokeStdinJSON)).
		set("input", c.withTaint(o.input)).
		set("output", (&object{}).set("format", spec.OutputJSON).set("schema", o.output)).
		set("side_effects", o.effects)
	if len(used) > 0 {
		action.set("scopes_used", used)
	}
	if t.Capabilities.HumanConfirm {
		c.weaker("/capabilities/human_confirm", "side_effects destructive: whoever calls it should ask, and need not")
	} else {
		c.approximated("/capabilities", "side_effects follow from what the tool may reach")
	}
	doc.set("actions", []any{action})
	doc.set("smoke", c.installSmoke())
	doc.set("kill_switch", (&object{}).set("kind", "shell").set("command", []string{"patch-git", "remove", string(t.Name)}))
	c.synthesised("/kill_switch", "a Patch tool holds no access: removing it takes it back")
	c.dropped("/runtime/python_version", "the manifest starts whatever python3 is on the machine")
	if len(t.Runtime.Packages) > 0 {
		c.dropped("/runtime/packages", "a manifest installs one package; the tool needs "+strings.Join(t.Runtime.Packages, ", "))
	}
	c.leftOfAuthor("/x-license", "/x-tags")
	return c.write(doc)
}

// installHead is manifest_version and tool.
func (c *conversion) installHead(description string) *object {
	t := c.tool
	summary, short := cut(description, maxSummary)
	about := (&object{}).set("id", strings.ReplaceAll(string(t.Name), "_", "-")).set("version", string(t.Version)).
		set("name", titleOf(string(t.Name))).set("summary", summary)
	if short {
		text, more := cut(description, maxDescription)
		about.set("description", text)
		c.approximated("/description", "the summary is its beginning, the description the whole")
		if more {
			c.approximated("/description", "the description is cut after 4000 characters")
		}
	}
	c.synthesised("/tool/name", "made of the name")
	home := c.o.Repository
	if home == "" {
		home = c.o.URL
	}
	about.set("homepage", home)
	c.synthesised("/tool/homepage", "the place that the code comes from")
	about.text("license", t.License)
	if len(t.Tags) > 0 {
		about.set("tags", t.Tags[:min(len(t.Tags), 16)])
		if len(t.Tags) > 16 {
			c.approximated("/x-tags", "a manifest has at most 16")
		}
	}
	return (&object{}).set("manifest_version", "0.2").set("tool", about)
}

// runtime says where the code comes from, which no manifest of another format knows.
func (c *conversion) runtime(kind string, command []string) (*object, error) {
	o := c.o
	var how *object
	switch {
	case o.Repository != "" && o.Commit != "":
		if sha, err := hex.DecodeString(o.Commit); err != nil || len(sha) != 20 || strings.ToLower(o.Commit) != o.Commit {
			return nil, fault.New(fault.Usage, ReasonOrigin, "%s is no commit of 40 lower-case hexadecimal digits", spec.Quote(o.Commit))
		}
		how = (&object{}).set("method", "git").set("url", o.Repository).set("ref", o.Commit)
		if o.Subpath != "" {
			if p := path.Clean(o.Subpath); p != o.Subpath || path.IsAbs(p) || strings.HasPrefix(p, "..") {
				return nil, fault.New(fault.Usage, ReasonOrigin, "%s is no folder inside a repository", spec.Quote(o.Subpath))
			}
			how.set("subpath", o.Subpath)
		}
	case o.URL != "" && kind == "python-module":
		digest := spec.DigestOf(c.doc.Raw)
		how = (&object{}).set("method", "url").set("url", o.URL).set("sha256", digest.Hex())
	default:
		return nil, fault.New(fault.Usage, ReasonOrigin, "an install manifest says where the code comes from, and this document doesn't").
			Hint("give --repository URL --commit SHA [--subpath FOLDER], or --url of the main file")
	}
	c.synthesised("/runtime/install", "from what was said of the origin")
	return (&object{}).set("kind", kind).set("install", how).set("entrypoint", (&object{}).set("command", command)), nil
}

// installToken is the variable that a Patch tool finds its token in [PM-45].
func (c *conversion) installToken() []any {
	if len(c.tool.ExternalAuth) == 0 {
		return nil
	}
	c.approximated("/external_auth", "a secret that a person gives, in the place of a token that is minted for each call")
	return []any{(&object{}).set("name", "PATCH_ACCESS_TOKEN").
		set("prompt", "An access token with the scopes "+strings.Join(c.tool.ExternalAuth, ", ")+".").set("secret", true)}
}

// installScopes are the capabilities as scopes, and the resources that the action uses.
func (c *conversion) installScopes() (scopes, used []any) {
	add := func(resource, rationale, provider string, verbs ...string) {
		scopes = append(scopes, (&object{}).set("resource", resource).set("actions", verbs).set("rationale", rationale).text("provider_scope", provider))
		used = append(used, resource)
	}
	k := c.tool.Capabilities
	if k.Network {
		add("net.outbound", "The tool reaches the internet.", "", "read", "send")
		c.approximated("/capabilities/network", "a scope net.outbound, which whoever runs it may or may not enforce")
	}
	switch k.Filesystem {
	case spec.FilesystemReadOnly:
		add("fs.local", "The tool reads files that it is given.", "", "read")
		c.approximated("/capabilities/filesystem", "a scope fs.local")
	case spec.FilesystemReadWrite:
		add("fs.local", "The tool reads and writes files that it is given.", "", "read", "write")
		c.approximated("/capabilities/filesystem", "a scope fs.local")
	}
	for _, auth := range c.tool.ExternalAuth {
		provider, scope, _ := strings.Cut(auth, ".")
		add(auth, "The tool works with an account of "+provider+".", scope, "read", "write")
	}
	return scopes, used
}

// installSmoke calls the tool with the arguments of x-smoke where its author gave
// some and it changes nothing, else it compiles the file.
func (c *conversion) installSmoke() *object {
	raw, ok := c.tool.Extensions["x-smoke"]
	if e := effectsOf(c.tool); ok && (e == spec.EffectsNone || e == spec.EffectsRead) {
		if _, err := manifest.Arguments(c.tool, raw); err == nil {
			c.synthesised("/smoke", "a call with the arguments of x-smoke")
			return (&object{}).set("kind", "action-call").set("action", string(c.tool.Name)).set("arguments", raw).
				set("success", (&object{}).set("no_error_field", true))
		}
	}
	c.synthesised("/smoke", "the file is compiled, not called")
	return (&object{}).set("kind", "shell").set("command", []string{"python3", "-m", "py_compile", c.tool.Format.MainFile()}).
		set("success", (&object{}).set("exit_code", 0))
}

// write adds an install manifest to the result once our own reader takes it.
func (c *conversion) write(doc *object) error {
	data, err := pretty(doc)
	if err != nil {
		return err
	}
	if err := accepted(spec.FormatInstall, data); err != nil {
		return err
	}
	c.add(spec.FormatInstall.MainFile(), data)
	return nil
}

// accepted refuses a result that its own format would refuse: what a reader of that
// format says about it is the reason.
func accepted(f spec.Format, data []byte) error {
	_, findings := manifest.Read(f.MainFile(), data, manifest.Lenient)
	for _, x := range findings {
		if x.Severity == spec.SeverityError {
			return impossible("the format %s cannot say it: %s", f, x.Message)
		}
	}
	return nil
}

// cut shortens a text to so many characters, at a word where there is one.
func cut(text string, most int) (string, bool) {
	if utf8.RuneCountInString(text) <= most {
		return text, false
	}
	runes := []rune(text)[:most-1]
	short := string(runes)
	if i := strings.LastIndexByte(short, ' '); i > len(short)/2 {
		short = short[:i]
	}
	return short + "…", true
}
