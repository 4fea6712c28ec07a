package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/person"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

// offeredTool is one tool as hosts see it.
type offeredTool struct {
	Registry spec.RegistryName `json:"registry"`
	Name     spec.Name         `json:"name"`
	Version  spec.Version      `json:"version"`
	Told     string            `json:"told,omitempty"` // the name by which hosts know it
	Tokens   int               `json:"tokens,omitempty"`
	Pinned   bool              `json:"pinned"`
	Trusted  bool              `json:"output_trusted"`
	Refused  string            `json:"refused,omitempty"`
}

func (a *app) mcpTools(offered Offered) *cobra.Command {
	return &cobra.Command{
		Use: "tools", Short: "Show which tools hosts are told by name, and what that costs",
		Long: `Show every installed tool: whether hosts are told of it by name, about how many
tokens of a model's context that costs, and why a tool is not told at all.`,
		Example: "  patch-git mcp tools --json", Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			conf, err := config.Load(a.host.Paths)
			if err != nil {
				return err
			}
			tools, told, tokens := []offeredTool{}, 0, 0
			if err := offered(c.Context(), client, func(t config.Tool, v spec.Version, name string, cost int, no error) {
				o := offeredTool{Registry: t.Registry, Name: t.Name, Version: v, Told: name, Pinned: conf.MCP.Pins(t), Trusted: conf.MCP.Trusts(t)}
				if name != "" {
					told, tokens, o.Tokens = told+1, tokens+cost, cost
				}
				if no != nil {
					o.Refused = no.Error()
				}
				tools = append(tools, o)
			}); err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "expose": conf.MCP.Expose, "told": told, "tokens": tokens, "tools": tools})
			}
			a.printOffered(tools)
			a.out.say("%d of %d tools are told by name, about %d tokens; the others are found by patch_list_tools", told, len(tools), tokens)
			return nil
		},
	}
}

func (a *app) printOffered(tools []offeredTool) {
	var rows [][]string
	for _, t := range tools {
		how := "found by search"
		switch {
		case t.Refused != "":
			how = a.out.red("refused: ") + safe(t.Refused)
		case t.Told != "":
			how = fmt.Sprintf("told as %s, %d tokens", t.Told, t.Tokens)
		}
		if t.Pinned {
			how += ", pinned"
		}
		if t.Trusted {
			how += ", output trusted"
		}
		rows = append(rows, []string{a.out.bold(string(t.Name) + "@" + string(t.Version)), how})
	}
	a.out.table(rows)
}

func (a *app) mcpPin() *cobra.Command {
	return a.listed("pin", "Tell hosts of a tool first", "patch-git mcp pin csv_to_json", false,
		func(m *config.MCP) *[]config.Tool { return &m.Pinned }, "hosts are told of %s first", "")
}

func (a *app) mcpUnpin() *cobra.Command {
	return a.listed("unpin", "Tell hosts of a tool no sooner than of others", "patch-git mcp unpin csv_to_json", false,
		func(m *config.MCP) *[]config.Tool { return &m.Pinned }, "hosts are told of %s like of any other", "%s is not pinned")
}

func (a *app) mcpTrust() *cobra.Command {
	c := a.listed("trust", "Vouch for what a tool answers", "patch-git mcp trust csv_to_json", true,
		func(m *config.MCP) *[]config.Tool { return &m.TrustedOutputs }, "what %s answers is yours: values in it are not held", "")
	c.Long = `Vouch for the outputs of a tool, whatever it reaches: values in them are not taken
for what a stranger wrote, and calls that use them are not held for it. It is for
tools that read what is your own. No tool can say this of itself.`
	return c
}

func (a *app) mcpDistrust() *cobra.Command {
	return a.listed("distrust", "Vouch for it no more", "patch-git mcp distrust csv_to_json", false,
		func(m *config.MCP) *[]config.Tool { return &m.TrustedOutputs }, "what %s answers is what strangers wrote, where it reaches any", "nobody vouched for what %s answers")
}

// listed is a command that puts tools into one of the lists of the configuration,
// or takes them out: then missing says of one that it is not there. alone says that
// no agent may do it for its user.
func (a *app) listed(verb, short, example string, alone bool, list func(*config.MCP) *[]config.Tool, done, missing string) *cobra.Command {
	in := missing == ""
	return &cobra.Command{
		Use: verb + " name | owner/registry/name", Short: short, Example: "  " + example,
		Args: exactly("name"), ValidArgsFunction: a.completeInstalled,
		RunE: func(c *cobra.Command, args []string) error {
			if alone {
				if err := person.Alone(a.host); err != nil {
					return err
				}
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			t, err := oneTool(client.Box, args[0], in)
			if err != nil {
				return err
			}
			changed := false
			if err := config.Change(c.Context(), a.host.Paths, func(c *config.Config) error {
				l := list(&c.MCP)
				i := slices.Index(*l, t)
				changed = (i >= 0) != in
				switch {
				case changed && in:
					*l = append(*l, t)
				case changed:
					*l = slices.Delete(*l, i, i+1)
				}
				return nil
			}); err != nil {
				return err
			}
			if !changed && !in {
				return fault.New(fault.NotFound, "not_listed", missing, t).Hint("patch-git mcp tools")
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "registry": t.Registry, "name": t.Name, "changed": changed})
			}
			a.out.printf(done+"\n", t)
			return nil
		},
	}
}

// oneTool reads the name of one tool, whatever its version. What is put into a list
// is installed, so that nothing is said of a tool that may come later under a name;
// what is taken out may be gone.
func oneTool(box *toolbox.Toolbox, arg string, installed bool) (config.Tool, error) {
	t, err := targetOf(box, arg)
	switch {
	case err != nil:
		return config.Tool{}, err
	case t.Name == "":
		return config.Tool{}, usage("%s is a registry, and a tool is asked for", t.Registry).Hint("patch-git list")
	case t.version != "":
		return config.Tool{}, usage("this holds for a tool, whatever its version").Hint("name it without one: %s", t.Name)
	case installed && !t.installed:
		return config.Tool{}, fault.New(fault.NotFound, "not_installed", "%s is not installed", t).Hint("patch-git pull %s", t.Name)
	}
	return t.Tool, nil
}
