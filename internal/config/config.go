package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// schema is the version of the file.
const schema = 1

// Defaults are what a tool is given without anybody typing it. A field more
// here needs a line in members, in check and in add; [Defaults.Empty] and the
// commands that show it follow.
type Defaults struct {
	Read  []string `json:"allow_read,omitempty"`
	Write []string `json:"allow_write,omitempty"`
}

// members are the fields of Defaults by their names in the file.
func (d *Defaults) members() map[string]any {
	return map[string]any{"allow_read": &d.Read, "allow_write": &d.Write}
}

// check refuses what no run could use.
func (d *Defaults) check() error {
	for _, list := range [][]string{d.Read, d.Write} {
		if len(list) > limits.ConfigPaths {
			return fmt.Errorf("%d paths, allowed are %d", len(list), limits.ConfigPaths)
		}
		for _, p := range list {
			if err := checkPath(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// add takes what another one has besides.
func (d *Defaults) add(o Defaults) {
	d.Read, d.Write = union(d.Read, o.Read), union(d.Write, o.Write)
}

// Empty tells whether nothing is given.
func (d Defaults) Empty() bool { return len(d.Read) == 0 && len(d.Write) == 0 }

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// checkPath refuses a path that means another one elsewhere.
func checkPath(p string) error {
	rest, home := strings.CutPrefix(p, "~"+string(filepath.Separator))
	switch {
	case strings.IndexByte(p, 0) >= 0:
		return fmt.Errorf("path %s has a zero byte", spec.Quote(p))
	case home && (rest == "" || filepath.Clean(rest) != rest || !filepath.IsLocal(rest)),
		!home && (!filepath.IsAbs(p) || filepath.Clean(p) != p):
		return fmt.Errorf("path %s is not absolute and spelled without .. or doubled slashes", spec.Quote(p))
	}
	return nil
}

// Expand puts the user's home in the place of "~".
func Expand(p, home string) string {
	if rest, ok := strings.CutPrefix(p, "~"+string(filepath.Separator)); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return p
}

// Tool names a tool as the file does: "owner/registry/name".
type Tool struct {
	Registry spec.RegistryName
	Name     spec.Name
}

func (t Tool) String() string { return string(t.Registry) + "/" + string(t.Name) }

// ParseTool reads "owner/registry/name".
func ParseTool(s string) (Tool, error) {
	i := strings.LastIndexByte(s, '/')
	if i < 0 {
		return Tool{}, fmt.Errorf("tool %s is not of the form owner/registry/name", spec.Quote(s))
	}
	registry, err := spec.ParseRegistryName(s[:i])
	if err != nil {
		return Tool{}, err
	}
	name, err := spec.ParseName(s[i+1:])
	return Tool{registry, name}, err
}

// Config is the whole file. The zero value gives nothing to anybody.
type Config struct {
	Registries map[spec.RegistryName]Defaults
	Tools      map[Tool]Defaults
	MCP        MCP
	Arcade     Arcade
}

// Parse reads the file, strictly.
func Parse(data []byte) (*Config, error) {
	if len(data) > limits.Config {
		return nil, fmt.Errorf("it has %d bytes, allowed are %d", len(data), limits.Config)
	}
	var version int
	var registries, tools, mcp, arcade json.RawMessage
	if err := object(data, func(name string) any {
		return map[string]any{"schema": &version, "registries": &registries, "tools": &tools, "mcp": &mcp, "arcade": &arcade}[name]
	}); err != nil {
		return nil, err
	}
	if version != schema {
		return nil, fmt.Errorf("schema is %d, known is %d", version, schema)
	}
	c := &Config{}
	var err error
	if c.Registries, err = entries(registries, spec.ParseRegistryName); err != nil {
		return nil, fmt.Errorf("registries: %w", err)
	}
	if c.Tools, err = entries(tools, ParseTool); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	if c.MCP, err = parseMCP(mcp); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	if c.Arcade, err = parseArcade(arcade); err != nil {
		return nil, fmt.Errorf("arcade: %w", err)
	}
	return c, nil
}

// entries reads an object of defaults, whose names are parsed.
func entries[K comparable](data json.RawMessage, parse func(string) (K, error)) (map[K]Defaults, error) {
	raw := map[string]*json.RawMessage{}
	out := map[K]Defaults{}
	if data == nil {
		return out, nil
	}
	if err := object(data, func(name string) any {
		raw[name] = new(json.RawMessage)
		return raw[name]
	}); err != nil {
		return nil, err
	}
	for name, value := range raw {
		key, err := parse(name)
		if err != nil {
			return nil, err
		}
		var d Defaults
		if err := object(*value, func(member string) any { return d.members()[member] }); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := d.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[key] = d
	}
	return out, nil
}

// Encode writes the file; what gives nothing is left out.
func (c *Config) Encode() ([]byte, error) {
	registries, tools := map[string]Defaults{}, map[string]Defaults{}
	for n, d := range c.Registries {
		if !d.Empty() {
			registries[string(n)] = d
		}
	}
	for t, d := range c.Tools {
		if !d.Empty() {
			tools[t.String()] = d
		}
	}
	data, err := json.MarshalIndent(struct {
		Schema     int                 `json:"schema"`
		Registries map[string]Defaults `json:"registries"`
		Tools      map[string]Defaults `json:"tools"`
		MCP        map[string]any      `json:"mcp,omitempty"`
		Arcade     Arcade              `json:"arcade,omitzero"`
	}{schema, registries, tools, c.MCP.encode(), c.Arcade}, "", "  ")
	if err != nil {
		return nil, err
	}
	data = append(data, '\n')
	_, err = Parse(data) // what would be refused is not written
	return data, err
}

// Allow gives a tool, or where it has no name every tool of the registry, more.
func (c *Config) Allow(t Tool, d Defaults) {
	if t.Name == "" {
		all := c.Registries[t.Registry]
		all.add(d)
		c.Registries[t.Registry] = all
		return
	}
	one := c.Tools[t]
	one.add(d)
	c.Tools[t] = one
}

// Forget takes back what stands for a tool, or where it has no name for the
// registry as such, and tells whether that was anything.
func (c *Config) Forget(t Tool) bool {
	if t.Name == "" {
		d := c.Registries[t.Registry]
		delete(c.Registries, t.Registry)
		return !d.Empty()
	}
	d := c.Tools[t]
	delete(c.Tools, t)
	return !d.Empty()
}

// Names are the registries and tools that have defaults, sorted; the registry
// itself comes before its tools.
func (c *Config) Names() []Tool {
	var out []Tool
	for n := range c.Registries {
		out = append(out, Tool{Registry: n})
	}
	out = slices.AppendSeq(out, maps.Keys(c.Tools))
	slices.SortFunc(out, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(a.Registry, b.Registry), cmp.Compare(a.Name, b.Name))
	})
	return out
}
