package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
)

// Serve is the entry of the MCP server, which sits on this floor too: main hands
// it over. listen is a loopback address for HTTP, of which ready hears; "" is stdio.
type Serve func(ctx context.Context, c *consume.Client, listen, version string, ready func(url, tokenFile string)) error

type listening struct {
	Schema    int    `json:"schema"`
	URL       string `json:"url"`
	TokenFile string `json:"token_file"`
}

func (a *app) mcpCommand(serve Serve) *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use: "mcp", Short: "Serve your tools to an AI host by the Model Context Protocol",
		Example: "  patch-git mcp\n  patch-git mcp --http 127.0.0.1:8765",
		Args:    exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
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
	return c
}
