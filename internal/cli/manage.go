package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Short:   "List installed tools",
		Example: "  patch-git list --json",
		Args:    exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			tools, err := client.Box.List()
			if err != nil {
				return err
			}
			if a.json {
				if tools == nil {
					return a.out.document(map[string]any{"schema": 1, "tools": []any{}})
				}
				var out []listedTool
				for _, t := range tools {
					state, _ := a.stateOf(t.Name)
					out = append(out, listedTool{t, state.Smoke.State})
				}
				return a.out.document(map[string]any{"schema": 1, "tools": out})
			}
			if len(tools) == 0 {
				a.out.say("nothing is installed; try 'patch-git search'")
			}
			var rows [][]string
			for _, t := range tools {
				used := "never used"
				if t.LastUsed != "" {
					used = "used " + t.LastUsed
				}
				other := ""
				if len(t.Versions) > 1 {
					other = "also here: " + joinVersions(without(t.Versions, t.Current))
				}
				if state, ok := a.stateOf(t.Name); ok && state.Smoke.State != toolbox.SmokePassed {
					other = strings.TrimPrefix(other+"; ", "; ") + "works: " + smokeText(state.Smoke)
				}
				rows = append(rows, []string{a.out.bold(string(t.Name)), string(t.Current), used, other})
			}
			a.out.table(rows)
			return nil
		},
	}
}

// listedTool is an installed tool in the JSON answer.
type listedTool struct {
	toolbox.Installed
	Smoke string `json:"smoke,omitempty"` // how the smoke test of an install manifest ended
}

func without(vs []spec.Version, v spec.Version) []spec.Version {
	var out []spec.Version
	for _, w := range vs {
		if w != v {
			out = append(out, w)
		}
	}
	return out
}

func (a *app) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove name[@version]...", Aliases: []string{"rm"},
		Short: "Remove tools; without a version, all versions of them",
		Long:  "Remove tools with all that was installed for them. Access that an install manifest was\ngiven elsewhere stays: 'patch-git revoke name' takes it back.",
		Example: `  patch-git remove csv_to_json@1.0.0
  patch-git remove csv_to_json`,
		Args: atLeastOne, ValidArgsFunction: a.completeInstalled,
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			gone := []string{}
			for _, arg := range args {
				ref, err := parseRef(arg)
				if err != nil {
					return err
				}
				removed, err := client.RemoveAll(c.Context(), ref)
				if err != nil {
					return err
				}
				for _, r := range removed {
					gone = append(gone, r.At())
					if !a.json {
						a.out.printf("removed %s\n", r.At())
					}
				}
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "removed": gone})
			}
			return nil
		},
	}
}

// refsOrAll reads references, or takes every installed version where there are none.
func (a *app) refsOrAll(args []string, all func() ([]toolbox.Installed, error)) ([]spec.Ref, error) {
	var out []spec.Ref
	for _, arg := range args {
		ref, err := parseRef(arg)
		if err != nil {
			return nil, err
		}
		out = append(out, ref)
	}
	if len(args) > 0 {
		return out, nil
	}
	tools, err := all()
	for _, t := range tools {
		for _, v := range t.Versions {
			out = append(out, spec.Ref{Name: t.Name, Version: v})
		}
	}
	return out, err
}
