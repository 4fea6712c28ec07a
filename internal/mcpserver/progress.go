package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/limits"
)

// progress tells a host that asked for it how a call goes on, so that it waits for
// a long one. Nothing of the tool's own is told before its output is labelled.
type progress struct {
	req *mcp.CallToolRequest

	mu   sync.Mutex // numbers rise on their way, too
	told int
}

// tell gives one sign.
func (p *progress) tell(ctx context.Context, message string) {
	token := p.req.Params.GetProgressToken()
	if token == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told++
	// A host that is gone ends the call in another way.
	_ = p.req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(p.told), Message: message})
}

// begin gives the first sign and then one every now and then, until the function
// that it returns gives the last.
func (p *progress) begin(ctx context.Context) (end func()) {
	if p.req.Params.GetProgressToken() == nil {
		return func() {}
	}
	p.tell(ctx, "received")
	beating, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		next := time.NewTicker(limits.MCPPulse)
		defer next.Stop()
		for n := time.Duration(1); ; n++ {
			select {
			case <-beating.Done():
				return
			case <-next.C:
				p.tell(ctx, "since "+(n*limits.MCPPulse).String())
			}
		}
	}()
	return func() {
		stop()
		<-ended
		p.tell(ctx, "done")
	}
}
