package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/consume"
)

// toolset is the meta-tools and the toolbox.
type toolset struct{ server *server }

func openOffer(_ context.Context, s *server) (offer, error) { return &toolset{s}, nil }

func (t *toolset) instructions() string { return "" }

func (t *toolset) list(context.Context, *mcp.ListToolsParams) (*mcp.ListToolsResult, error) {
	return &mcp.ListToolsResult{Tools: []*mcp.Tool{}}, nil
}

func (t *toolset) call(_ context.Context, c *call) (*mcp.CallToolResult, error) {
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool " + c.Name}
}

func (t *toolset) held(_ *call, h *consume.Held) *mcp.CallToolResult { return t.failed(nil, h) }

func (t *toolset) failed(_ *call, err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
}

func (t *toolset) watch(ctx context.Context, _ func()) { <-ctx.Done() }
