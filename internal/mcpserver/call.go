package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/limits"
)

// call is one tools/call, as far as it concerns who answers it.
type call struct {
	Name      string          // as the host gave it
	Arguments json.RawMessage // nothing is checked yet
	Session   *consume.Session
	Approved  approval.Grant // what a person just said through the host; mostly nothing

	req *mcp.CallToolRequest
}

// read takes from a request what is called.
func (s *server) read(ctx context.Context, req *mcp.CallToolRequest) *call {
	name, _ := ctx.Value(named{}).(string)
	c := &call{Name: name, Arguments: req.Params.Arguments, Session: s.session, req: req}
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage("{}")
	}
	return c
}

// progress tells a host that asked for it that a long call goes on, so that it
// waits for it. The function that it returns ends that.
func (s *server) progress(ctx context.Context, req *mcp.CallToolRequest) (end func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pulse := time.NewTicker(limits.MCPPulse)
		defer pulse.Stop()
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-pulse.C:
			}
			seconds := (time.Duration(n) * limits.MCPPulse).Seconds()
			err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: seconds, Message: fmt.Sprintf("running for %.0f seconds", seconds),
			})
			if err != nil {
				return // the host is gone, and the call will hear of it
			}
		}
	}()
	return func() {
		stop()
		<-ended // no sign of life comes after the answer
	}
}
