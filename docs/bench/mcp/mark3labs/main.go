// Command mark3labs serves the tools of a file by mark3labs/mcp-go over stdio, each
// answered in this process: nothing is verified, confined or recorded.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal(data, &tools); err != nil {
		return err
	}
	s := server.NewMCPServer("peer", "1", server.WithToolCapabilities(true))
	for _, t := range tools {
		s.AddTool(mcp.NewToolWithRawSchema(t.Name, t.Description, t.InputSchema), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args := r.GetArguments()
			answer := map[string]any{"text": args["text"], "times": 1, "tool": t.Name}
			text, err := json.Marshal(answer)
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultStructured(answer, string(text)), nil
		})
	}
	return server.ServeStdio(s)
}
