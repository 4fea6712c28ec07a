package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
)

// Serve is the entry of the MCP server, which sits on this floor too: main hands
// it over. listen is a loopback address for HTTP, "" is stdio.
type Serve func(ctx context.Context, c *consume.Client, listen, version string) error

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
			return serve(c.Context(), client, listen, Version)
		},
	}
	c.Flags().StringVar(&listen, "http", "", "serve HTTP on this loopback `ADDRESS:PORT` in place of stdio")
	return c
}
