package consume

import (
	"context"

	"github.com/patch-cat/patch-git/internal/fault"
)

// callMCP calls a tool of the MCP server that the tool is.
func (a *action) callMCP(context.Context, *call) error {
	return fault.New(fault.Unavailable, "invocation", "%s is a tool of an MCP server, which this program does not call yet", a.name())
}
