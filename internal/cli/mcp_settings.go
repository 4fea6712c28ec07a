package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/person"
)

func (a *app) mcpSettings() *cobra.Command {
	return &cobra.Command{
		Use: "settings", Short: "Show what AI hosts see and may do",
		Example: "  patch-git mcp settings --json", Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			conf, err := config.Load(a.host.Paths)
			if err != nil {
				return err
			}
			list := conf.MCP.Settings()
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "settings": list, "pinned": names(conf.MCP.Pinned), "trusted_outputs": names(conf.MCP.TrustedOutputs)})
			}
			var rows [][]string
			for _, s := range list {
				value := s.Value
				if s.Value != s.Default {
					value = a.out.bold(value)
				}
				rows = append(rows, []string{s.Name, value, "allowed: " + s.Allowed, "default: " + s.Default})
			}
			rows = append(rows, []string{"pinned", strings.Join(names(conf.MCP.Pinned), " ")}, []string{"trusted_outputs", strings.Join(names(conf.MCP.TrustedOutputs), " ")})
			a.out.table(rows)
			return nil
		},
	}
}

func names(tools []config.Tool) []string {
	out := []string{}
	for _, t := range tools {
		out = append(out, t.String())
	}
	return out
}

func (a *app) mcpSet() *cobra.Command {
	return &cobra.Command{
		Use: "set setting value", Short: "Change what AI hosts see and may do",
		Long: `Change one setting of 'patch-git mcp settings'. Those that decide what is believed
or kept (elicitation, approvals, records) refuse to be changed in the shell of an
agent, where that can be told.

  expose             all, auto or meta: which tools hosts are told by name
  most_tools         of these, where expose is auto
  most_tokens        that telling them costs, where expose is auto
  elicitation        off, known or on: whether a host is believed when it says that
                     its user approved; some hosts answer by themselves
  notifications      off or on: whether the desktop tells that a call waits
  approval_minutes   a held call waits for you
  remember_days      an approved value is good for; 0 remembers none
  keep_runs_days     records of runs are kept; 0 is always`,
		Example: "  patch-git mcp set expose all\n  patch-git mcp set approval_minutes 2",
		Args:    exactly("setting", "value"), ValidArgsFunction: completeSetting,
		RunE: func(c *cobra.Command, args []string) error {
			for _, s := range config.DefaultMCP().Settings() {
				if s.Name == args[0] && s.Guards {
					if err := person.Alone(a.host); err != nil {
						return err
					}
				}
			}
			if err := config.Change(c.Context(), a.host.Paths, func(c *config.Config) error {
				if err := c.MCP.Set(args[0], args[1]); err != nil {
					return usage("%s: %w", safe(args[0]), err).Hint("patch-git mcp settings")
				}
				return nil
			}); err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "setting": args[0], "value": args[1]})
			}
			a.out.printf("%s is %s\n", args[0], args[1])
			return nil
		},
	}
}

// completeSetting offers the settings, then the words that one can be.
func completeSetting(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, s := range config.DefaultMCP().Settings() {
		switch {
		case len(args) == 0 && strings.HasPrefix(s.Name, prefix):
			out = append(out, s.Name)
		case len(args) == 1 && args[0] == s.Name && !strings.Contains(s.Allowed, " to "):
			out = append(out, strings.Split(s.Allowed, ", ")...)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
