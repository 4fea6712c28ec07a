package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/consume"
)

// call is one tools/call, as far as it concerns who answers it.
type call struct {
	Name      string          // as the host gave it
	Arguments json.RawMessage // nothing is checked yet
	Session   *consume.Session
	Approved  approval.Grant // what a person just said through the host; mostly nothing

	req      *mcp.CallToolRequest
	progress *progress
}

// read takes from a request what is called.
func (s *server) read(ctx context.Context, req *mcp.CallToolRequest) *call {
	name, _ := ctx.Value(named{}).(string)
	c := &call{Name: name, Arguments: req.Params.Arguments, Session: s.session, req: req, progress: &progress{req: req}}
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage("{}")
	}
	return c
}
