package spec

import (
	"encoding/json"
	"slices"
	"strings"
)

// Format is the way in which a manifest is written.
type Format string

// The formats that a registry holds; each has one main file.
const (
	FormatPatch   Format = "patch"   // a Python file with a manifest in comments
	FormatInstall Format = "install" // Agent Tool Install Manifest
	FormatSkill   Format = "skill"   // SKILL.md
	FormatArcade  Format = "arcade"  // Arcade tool definition
)

// MainFile is the file name of the format's main file in a version directory.
func (f Format) MainFile() string {
	switch f {
	case FormatPatch:
		return "tool.py"
	case FormatInstall:
		return "install.json"
	case FormatSkill:
		return "SKILL.md"
	case FormatArcade:
		return "arcade.json"
	}
	return ""
}

// Tool is the format-neutral model that every manifest is read into.
type Tool struct {
	Format       Format       `json:"format"`
	Name         Name         `json:"name"`
	Version      Version      `json:"version"`
	Description  string       `json:"description"`
	Inputs       []Input      `json:"inputs"`
	Output       Output       `json:"output"`
	Capabilities Capabilities `json:"capabilities"`
	Runtime      Runtime      `json:"runtime"`
	ExternalAuth []string     `json:"external_auth,omitempty"` // "<provider>.<scope>" [PM-43]
	Needs        []string     `json:"needs,omitempty"`         // x-needs: words of [Needs], in their order
	GeneratedBy  string       `json:"generated_by,omitempty"`
	GeneratedAt  string       `json:"generated_at,omitempty"` // as written, byte for byte [PM-20]
	Examples     []string     `json:"examples,omitempty"`     // x-examples: requests that this tool serves
	Tags         []string     `json:"tags,omitempty"`         // x-tags
	Aliases      []Name       `json:"aliases,omitempty"`      // x-aliases: other names it is looked for by
	License      string       `json:"license,omitempty"`      // x-license: an SPDX expression
	// Extensions are the other top-level x- keys, as JSON [C-16].
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`

	// Operations are what the tool can be asked to do; nil of a Patch tool, which is
	// one operation itself, and of a skill, which a person or a model reads.
	Operations []Operation `json:"operations,omitempty"`
	// What one format alone says; nil of the others.
	Deployment *Deployment `json:"deployment,omitempty"`
	Skill      *Skill      `json:"skill,omitempty"`
	Arcade     *Arcade     `json:"arcade,omitempty"`
}

// Operation finds an operation by its name.
func (t *Tool) Operation(name string) (*Operation, bool) {
	for i := range t.Operations {
		if t.Operations[i].Name == name {
			return &t.Operations[i], true
		}
	}
	return nil, false
}

// Type is the type of an input or of the output.
type Type string

// The types of the Patch manifest [PM-22]; TypeNull is for outputs alone [C-17].
const (
	TypeString  Type = "string"
	TypeNumber  Type = "number"
	TypeInteger Type = "integer"
	TypeBoolean Type = "boolean"
	TypeArray   Type = "array"
	TypeObject  Type = "object"
	TypeNull    Type = "null"
)

// Input is one argument of a tool.
type Input struct {
	Name        string          `json:"name"`
	Type        Type            `json:"type"`
	Description string          `json:"description,omitempty"`
	Required    bool            `json:"required"`
	Default     json.RawMessage `json:"default,omitempty"` // nil: none; "null" is a default
	TaintedOK   bool            `json:"tainted_ok"`
	Items       json.RawMessage `json:"items,omitempty"` // JSON Schema of an array's elements
}

// Output is what a tool answers.
type Output struct {
	Type        Type            `json:"type"`
	Description string          `json:"description,omitempty"`
	Items       json.RawMessage `json:"items,omitempty"`
}

// Filesystem is how much of the user's files a tool may see.
type Filesystem string

// From least to most; the zero value is none of them and grants nothing.
const (
	FilesystemNone      Filesystem = "none"
	FilesystemReadOnly  Filesystem = "read-only"
	FilesystemReadWrite Filesystem = "read-write"
)

// Capabilities are a ceiling that the sandbox enforces.
type Capabilities struct {
	Network      bool       `json:"network"`
	Filesystem   Filesystem `json:"filesystem"`
	HumanConfirm bool       `json:"human_confirm"`
}

// Runtime says what a tool needs to run.
type Runtime struct {
	Language      string   `json:"language"`       // always "python" [PM-39]
	PythonVersion string   `json:"python_version"` // "3.12"
	Packages      []string `json:"packages"`       // "name==1.2.3" [PM-42]
}

// Needs returns the words of x-needs: what a tool's code does beyond network
// and files. The sandbox holds them all in; they are declared so that nobody is
// surprised by what the code shows.
func Needs() []string { return []string{"process", "environment", "native", "dynamic"} }

// NeedWords says what a tool with that need does, as the rest of a sentence.
func NeedWords(need string) string {
	switch need {
	case "process":
		return "starts other programs"
	case "environment":
		return "reads environment variables and the like"
	case "native":
		return "runs machine code of its own"
	case "dynamic":
		return "runs code that cannot be looked at before"
	}
	return "does what this program has no words for: " + Quote(need)
}

// Permissions are what a person consents to: the capabilities, what the code
// does beyond them, and the scopes of external accounts. A version that asks for more than the one before needs
// a new consent [C-45].
type Permissions struct {
	Network      bool       `json:"network"`
	Filesystem   Filesystem `json:"filesystem"`
	HumanConfirm bool       `json:"human_confirm"`
	Needs        []string   `json:"needs,omitempty"` // words of [Needs]
	ExternalAuth []string   `json:"external_auth,omitempty"`
	// Scopes are "resource:verb" of an install manifest, sorted; Secrets the names of
	// the secret values that a person gives, and Installs what is acquired, by method
	// and origin without version: a tool that comes from elsewhere is another tool.
	Scopes   []string `json:"scopes,omitempty"`
	Secrets  []string `json:"secrets,omitempty"`
	Installs string   `json:"installs,omitempty"`
	// Servers are those that an install manifest names by their addresses, sorted: what a
	// person gives for the tool is sent there.
	Servers []string `json:"servers,omitempty"`
}

// Permissions returns what the tool asks for.
func (t *Tool) Permissions() Permissions {
	return Permissions{
		Network: t.Capabilities.Network, Filesystem: t.Capabilities.Filesystem,
		HumanConfirm: t.Capabilities.HumanConfirm, Needs: t.Needs, ExternalAuth: t.ExternalAuth,
		Scopes: t.scopes(), Secrets: t.secrets(), Installs: t.installs(), Servers: t.servers(),
	}
}

// scopes are the pairs of resource and verb, each once, sorted.
func (t *Tool) scopes() []string {
	if t.Deployment == nil {
		return nil
	}
	var all []string
	for _, s := range t.Deployment.Scopes {
		for _, verb := range s.Actions {
			all = append(all, s.Resource+":"+verb)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// secrets are the names of values that nobody but the person and the tool may know.
func (t *Tool) secrets() []string {
	var all []string
	switch {
	case t.Deployment != nil:
		for _, e := range t.Deployment.Env {
			if e.Secret {
				all = append(all, e.Name)
			}
		}
	case t.Skill != nil:
		for _, e := range slices.Concat(t.Skill.EnvRequired, t.Skill.EnvOptional) {
			if e.Sensitive {
				all = append(all, e.Name)
			}
		}
	case t.Arcade != nil:
		all = slices.Clone(t.Arcade.Secrets)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// installs names where the code comes from, without its version.
func (t *Tool) installs() string {
	if t.Deployment == nil {
		return ""
	}
	a := t.Deployment.Install
	switch a.Method {
	case "pip", "npm":
		return a.Method + " " + a.Package
	case "git", "url":
		return a.Method + " " + a.URL
	case "container":
		image, _, _ := strings.Cut(a.Image, "@")
		return a.Method + " " + image
	}
	return a.Method
}

// servers are host and port of the endpoint, the http smoke test and the url kill
// switch, each once, those that are not asked by https with the scheme before them.
func (t *Tool) servers() []string {
	if t.Deployment == nil {
		return nil
	}
	var all []string
	for _, address := range []string{t.Deployment.EndpointURL, t.Deployment.Smoke.URL, t.Deployment.KillSwitch.URL} {
		if address == "" {
			continue
		}
		all = append(all, server(address))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// server is the authority of an address, as it is written but for upper case (RFC 3986,
// 3.2). Package net/url would say the same and more, and be initialised before every
// start of the sandbox. What is no address stands whole.
func server(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if strings.EqualFold(scheme, "https") {
		return strings.ToLower(rest)
	}
	return strings.ToLower(scheme + "://" + rest)
}
