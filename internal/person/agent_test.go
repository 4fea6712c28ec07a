package person_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/person"
)

// TestAlone: an agent's shell beside the terminals of a person.
func TestAlone(t *testing.T) {
	for name, c := range map[string]struct {
		env    string   // NAME or NAME=VALUE
		above  []string // command lines, the nearest first
		err    error
		reason string
	}{
		"a terminal":                 {above: []string{"-bash", "/usr/libexec/gnome-terminal-server", "/sbin/init"}},
		"a terminal in an editor":    {above: []string{"/bin/zsh", "/usr/share/code/code --type=ptyHost"}},
		"a file called claude":       {above: []string{"vim claude", "bash"}},
		"ssh":                        {above: []string{"-zsh", "sshd: me@pts/0"}},
		"a system that is silent":    {err: errors.ErrUnsupported},
		"a system that fails":        {err: errors.New("no /proc"), reason: "no_processes"},
		"claude code by variable":    {env: "CLAUDECODE", above: []string{"bash"}, reason: "agent_shell"},
		"codex by variable":          {env: "CODEX_SANDBOX", above: []string{"bash"}, reason: "agent_shell"},
		"cursor's agent":             {env: "CURSOR_AGENT", reason: "agent_shell"},
		"goose by variable":          {env: "AGENT=goose", above: []string{"bash"}, reason: "agent_shell"},
		"an agent of another kind":   {env: "AGENT=build-7", above: []string{"bash"}},
		"claude by name":             {above: []string{"bash -c x", "claude", "zsh"}, reason: "agent_shell"},
		"claude by node":             {above: []string{"sh", "/usr/bin/node --no-warnings /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"}, reason: "agent_shell"},
		"gemini by node":             {above: []string{"sh", "node /usr/local/bin/gemini"}, reason: "agent_shell"},
		"aider by python":            {above: []string{"sh", "/usr/bin/python3 /home/me/.local/bin/aider"}, reason: "agent_shell"},
		"codex on windows":           {above: []string{"cmd.exe", `C:\Tools\CODEX.EXE`}, reason: "agent_shell"},
		"our own server":             {above: []string{"/usr/local/bin/patch-git --json mcp"}, reason: "agent_shell"},
		"ourselves, and not serving": {above: []string{"/usr/local/bin/patch-git run x"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := &host.Host{
				Getenv: func(v string) string {
					name, value, given := strings.Cut(c.env, "=")
					switch {
					case v != name:
						return ""
					case given:
						return value
					}
					return "1"
				},
				StartedBy: func() ([]host.Process, error) {
					var list []host.Process
					for _, line := range c.above {
						list = append(list, host.Process{Args: strings.Fields(line)})
					}
					return list, c.err
				},
			}
			err := person.Alone(h)
			if (err == nil) != (c.reason == "") || fault.ReasonOf(err) != c.reason {
				t.Errorf("got %v, want %q", err, c.reason)
			}
			if c.reason == "agent_shell" && fault.KindOf(err) != fault.Denied || c.reason == "no_processes" && fault.KindOf(err) != fault.Unavailable {
				t.Errorf("it is of kind %v", fault.KindOf(err))
			}
		})
	}
}
