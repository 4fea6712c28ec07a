package person

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/spec"
)

// agentVariables are set by agents in the shells that they run commands in. Those
// that an editor sets for the terminals of its person are not among them.
func agentVariables() []string {
	return []string{
		"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CURSOR_AGENT", "GEMINI_CLI", "QWEN_CODE",
		"OPENCODE", "GOOSE_TERMINAL", "CLINE_ACTIVE", "ROO_ACTIVE", "AUGMENT_AGENT", "COPILOT_AGENT_SESSION_ID", "TRAE_AI_SHELL_ID", "AMP_CURRENT_THREAD_ID", "AI_AGENT",
	}
}

// agentPrograms are agents that run commands, by the names of their programs. An
// editor in which a person has a terminal too is not among them.
func agentPrograms() []string {
	return []string{
		"claude", "codex", "cursor-agent", "gemini", "qwen", "opencode", "goose", "goosed", "aider", "amp", "crush", "copilot", "auggie", "droid", "kiro-cli",
	}
}

// interpreters run a program whose name is their first argument that is no flag.
func interpreters() []string {
	return []string{"node", "bun", "deno", "python", "python3", "sh", "bash"}
}

// Alone refuses where it can tell that an agent, and not a person, runs this
// program: kind Denied and reason "agent_shell". Where the system tells nothing
// about who started it, the variables are all that is looked at.
func Alone(h *host.Host) error {
	for _, name := range agentVariables() {
		if h.Getenv(name) != "" {
			return agentShell("the variable " + name + " is set")
		}
	}
	// Some agents put their name in a variable that others have other uses for.
	if name := h.Getenv("AGENT"); slices.Contains(agentPrograms(), program(name)) {
		return agentShell("the variable AGENT names " + spec.Quote(name))
	}
	if h.StartedBy == nil {
		return nil
	}
	above, err := h.StartedBy()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fault.New(fault.Unavailable, "no_processes", "who started this program cannot be told: %w", err)
	}
	for _, p := range above {
		if what := agent(p.Args); what != "" {
			return agentShell("it was started by " + what)
		}
	}
	return nil
}

func agentShell(how string) error {
	return fault.New(fault.Denied, "agent_shell", "this runs in the shell of an agent, which cannot speak for its person: %s", how).
		Hint("open a terminal of your own, and type it there")
}

// agent names the agent that a command line is of, or returns "".
func agent(args []string) string {
	if len(args) == 0 {
		return ""
	}
	name := program(args[0])
	if name == "patch-git" && slices.Contains(args[1:], "mcp") {
		return "patch-git mcp"
	}
	if slices.Contains(interpreters(), name) {
		i := slices.IndexFunc(args[1:], func(a string) bool { return !strings.HasPrefix(a, "-") })
		if i < 0 {
			return ""
		}
		if strings.Contains(args[1+i], "claude-code") { // …/@anthropic-ai/claude-code/cli.js
			return "claude"
		}
		name = program(args[1+i])
	}
	if slices.Contains(agentPrograms(), name) {
		return spec.Quote(name)
	}
	return ""
}

// program is the name of a program, as its path has it on any system.
func program(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	name = strings.ToLower(strings.TrimPrefix(name, "-")) // a login shell
	for _, ext := range []string{".exe", ".cmd", ".js", ".mjs", ".py"} {
		name = strings.TrimSuffix(name, ext)
	}
	return filepath.Base(name)
}
