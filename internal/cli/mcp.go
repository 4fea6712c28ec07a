package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

// Serve is the entry of the MCP server, which sits on this floor too: main hands
// it over. listen is a loopback address for HTTP, of which ready hears; "" is stdio.
type Serve func(ctx context.Context, c *consume.Client, listen, version string, ready func(url, tokenFile string)) error

// Offered tells what such a server would offer, tool by tool in the order of their
// names: by which name hosts are told of it, "" where they are not, about how many
// tokens that costs, and why it would not run.
type Offered func(ctx context.Context, c *consume.Client, each func(tool config.Tool, version spec.Version, name string, tokens int, err error)) error

type listening struct {
	Schema    int    `json:"schema"`
	URL       string `json:"url"`
	TokenFile string `json:"token_file"`
}

// exposures are what hosts can be told by name.
var exposures = []string{string(config.ExposeAll), string(config.ExposeAuto), string(config.ExposeMeta)}

func (a *app) mcpCommand(serve Serve, offered Offered) *cobra.Command {
	var listen, expose string
	c := &cobra.Command{
		Use: "mcp", Short: "Serve your tools to an AI host by the Model Context Protocol",
		Long: `Serve the installed tools to an AI host by the Model Context Protocol, on stdin and
stdout: a host starts this by itself, once 'patch-git setup' told it to. Every call
is checked, held where a person has to look at it (patch-git approve), run in the
sandbox and recorded (patch-git runs), as at a command line.

Hosts are told by name as many tools as a model chooses well from, the pinned and
the most used ones first; the others are found and run through patch_list_tools and
patch_run_tool. With --http hosts on this machine connect to a port of its loopback
interface, and show the token that is in a file of yours.`,
		Example: `  patch-git setup claude-code            have a host start it
  patch-git mcp tools                    what hosts are told
  patch-git mcp pin csv_to_json          tell of this one first
  patch-git mcp set elicitation known    believe hosts that are known to ask
  patch-git mcp --http 127.0.0.1:8765    for hosts that connect`,
		Args: noSuchCommand, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			if client.Expose, err = exposure(expose, c.Flags().Changed("expose")); err != nil {
				return err
			}
			if listen == "" && a.host.Terminal.Stdin && !a.quiet {
				a.warn("this waits for an AI host that speaks the Model Context Protocol on stdin; patch-git setup --help tells how one starts it")
			}
			return serve(c.Context(), client, listen, Version, func(url, tokenFile string) {
				if a.json {
					_ = a.out.document(listening{1, url, tokenFile})
					return
				}
				a.out.printf("listening on %s\nhosts send the token in %s\n", url, tokenFile)
			})
		},
	}
	c.Flags().StringVar(&listen, "http", "", "serve HTTP on this loopback `ADDRESS:PORT` in place of stdio")
	c.Flags().StringVar(&expose, "expose", "", "which tools hosts are told by name: "+strings.Join(exposures, ", ")+" (default: as 'mcp set expose' has it)")
	c.AddCommand(a.mcpTools(offered), a.mcpPin(), a.mcpUnpin(), a.mcpTrust(), a.mcpDistrust(), a.mcpSettings(), a.mcpSet())
	return c
}

// exposure reads --expose.
func exposure(word string, given bool) (config.Expose, error) {
	if !given {
		return "", nil
	}
	if !slices.Contains(exposures, word) {
		return "", usage("--expose is %s, allowed are %s", spec.Quote(word), strings.Join(exposures, ", ")).Hint("patch-git mcp --help")
	}
	return config.Expose(word), nil
}
