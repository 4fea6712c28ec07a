package aihost

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/spec"
)

// ID names a host as the command line does.
type ID string

// The hosts whose files are known. docs/hosts.md says from when that is.
const (
	ClaudeDesktop ID = "claude-desktop"
	ClaudeCode    ID = "claude-code"
	Cursor        ID = "cursor"
	Windsurf      ID = "windsurf"
	VSCode        ID = "vscode"
	Codex         ID = "codex"
)

// Scope is for whom a host is set up.
type Scope string

// User is one user in all folders, Project whoever works in one folder.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Server is the name of our entry. Hosts put it before the names of tools, and
// count it in their limits.
const Server = "patch"

// known is what is known of one host.
type known struct {
	id    ID
	title string
	// section has the servers by their names, below the root of the file.
	section string
	// kind is what an entry's member "type" says, where the host wants one.
	kind     string
	comments bool // the host reads JSON with comments
	toml     bool
	project  string                   // its file in a project's folder; "" where it has none
	args     []string                 // of `patch-git mcp`
	files    func(m machine) []string // of a user, the usual one first
}

var hosts = [...]known{
	{
		id: ClaudeDesktop, title: "Claude Desktop", section: "mcpServers",
		files: func(m machine) []string {
			usual := m.config("Claude", "claude_desktop_config.json")
			// Installed from the store of Windows it sees a copy of its own.
			if m.goos == "windows" {
				return []string{usual, m.local("Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")}
			}
			return []string{usual}
		},
	},
	{
		// It loads tools when it needs them, so all can be told by name.
		id: ClaudeCode, title: "Claude Code", section: "mcpServers", kind: "stdio", project: ".mcp.json", args: []string{"--expose", "all"},
		files: func(m machine) []string { return []string{m.claude(".claude.json", ".claude.json")} },
	},
	{
		id: Cursor, title: "Cursor", section: "mcpServers", comments: true, project: ".cursor/mcp.json",
		files: func(m machine) []string { return []string{m.home(".cursor", "mcp.json")} },
	},
	{
		id: Windsurf, title: "Windsurf", section: "mcpServers", comments: true,
		files: func(m machine) []string { return []string{m.home(".codeium", "windsurf", "mcp_config.json")} },
	},
	{
		id: VSCode, title: "VS Code", section: "servers", kind: "stdio", comments: true, project: ".vscode/mcp.json",
		files: func(m machine) []string { return []string{m.config("Code", "User", "mcp.json")} },
	},
	{
		id: Codex, title: "Codex", section: "mcp_servers", toml: true,
		files: func(m machine) []string {
			if dir := m.getenv("CODEX_HOME"); filepath.IsAbs(dir) {
				return []string{filepath.Join(dir, "config.toml")}
			}
			return []string{m.home(".codex", "config.toml")}
		},
	},
}

// IDs are all hosts.
func IDs() []ID {
	var out []ID
	for _, k := range hosts {
		out = append(out, k.id)
	}
	return out
}

// Title is what people call a host; "" where there is none of the name.
func Title(id ID) string {
	for _, k := range hosts {
		if k.id == id {
			return k.title
		}
	}
	return ""
}

// Projects tells whether a host reads a file in a project's folder.
func Projects(id ID) bool {
	k, err := find(id)
	return err == nil && k.project != ""
}

func find(id ID) (known, error) {
	for _, k := range hosts {
		if k.id == id {
			return k, nil
		}
	}
	var names []string
	for _, id := range IDs() {
		names = append(names, string(id))
	}
	return known{}, fault.New(fault.Usage, "unknown_host", "there is no host called %s here; the hosts are %s", spec.Quote(string(id)), strings.Join(names, ", ")).
		Hint("a host that is not among them can be told to start: patch-git mcp")
}

// machine is what the places of files follow from.
type machine struct {
	goos, homeDir string
	getenv        func(string) string
}

func machineOf(h *host.Host) machine { return machine{h.GOOS, h.Home, h.Getenv} }

// home is below the user's home; "" where there is none.
func (m machine) home(elements ...string) string { return below(m.homeDir, elements...) }

func below(dir string, elements ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(slices.Insert(elements, 0, dir)...)
}

// config is below the folder where applications keep what the user set.
func (m machine) config(elements ...string) string {
	switch m.goos {
	case "windows":
		if dir := m.getenv("APPDATA"); dir != "" {
			return below(dir, elements...)
		}
		return m.home(append([]string{"AppData", "Roaming"}, elements...)...)
	case "darwin":
		return m.home(append([]string{"Library", "Application Support"}, elements...)...)
	}
	if dir := m.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return below(dir, elements...)
	}
	return m.home(append([]string{".config"}, elements...)...)
}

// local is below the folder of Windows for what stays on one machine.
func (m machine) local(elements ...string) string {
	if dir := m.getenv("LOCALAPPDATA"); dir != "" {
		return below(dir, elements...)
	}
	return m.home(append([]string{"AppData", "Local"}, elements...)...)
}

// claude is a file of Claude Code: in the folder that the user gave it, else below
// the home.
func (m machine) claude(moved, usual string) string {
	if dir := m.getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		return below(dir, moved)
	}
	return m.home(filepath.FromSlash(usual))
}
