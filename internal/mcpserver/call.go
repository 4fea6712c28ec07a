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
	Arguments json.RawMessage // an object; nothing is checked yet
	Session   *consume.Session
	Approved  approval.Grant                            // what the person just said through the host; mostly nothing
	Progress  func(message string, done, total float64) // never nil

	req *mcp.CallToolRequest
}

// read takes from a request what it says of itself. Its name, client and version
// are claims.
func (s *server) read(ctx context.Context, req *mcp.CallToolRequest) *call {
	name, _ := ctx.Value(named{}).(string)
	c := &call{Name: name, Arguments: req.Params.Arguments, Session: s.sessionOf(req), req: req}
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage("{}")
	}
	c.Progress = func(string, float64, float64) {}
	return c
}

// sessionOf is the conversation of this server, with the name that the client of
// this request claims.
func (s *server) sessionOf(req *mcp.CallToolRequest) *consume.Session {
	out := s.session
	if info := req.ClientInfo(); info != nil {
		out.Client = info.Name
	}
	return &out
}
