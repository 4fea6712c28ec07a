package consume

import (
	"context"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/usernet"
	"github.com/patch-cat/patch-git/spec"
)

// reach is how far the network of a tool leads on this machine: to the internet
// and what was excepted, or everywhere that the machine itself gets.
type reach struct {
	filtered   bool
	unsafe     bool // --unsafe-no-sandbox speaks for itself: no word for it is one for later
	exceptions []usernet.Exception
}

// reach reads what was excepted and tries whether this machine can hold a tool
// to it. Where it cannot, that is no error: the person is asked about more, and
// the result says it.
func (c *Client) reach(ctx context.Context, s *Subject, o RunOptions) (reach, error) {
	t, r := s.Tool, reach{unsafe: o.UnsafeNoSandbox}
	for _, text := range slices.Concat(o.Net, s.net) {
		e, err := usernet.ParseException(text)
		if err != nil {
			return r, err
		}
		r.exceptions = append(r.exceptions, e)
	}
	if !t.Capabilities.Network {
		if len(o.Net) > 0 { // what was said for the whole tool need not concern this operation
			return r, fault.New(fault.Denied, "capability", "%s declares no network; it cannot be given %s", t.Name, r.exceptions[0])
		}
		r.exceptions = nil
		return r, nil
	}
	switch {
	case s.asksItself():
		r.filtered = true // this process asks, and no tool
	case !r.unsafe:
		r.filtered = o.warm.filters(ctx, c, o.Driver)
	}
	return r, nil
}

// asksItself tells whether a call is a request of this process, and nothing of the tool
// runs here.
func (s *Subject) asksItself() bool {
	switch s.kind {
	case spec.InvokeHTTP, spec.InvokeArcade:
		return true
	case spec.InvokeMCPTool:
		return s.Tool.Deployment != nil && s.Tool.Deployment.Kind == "mcp-http"
	}
	return false
}

// filters tells whether the network of tools can be filtered here, by the driver
// that is named or the one that works.
func (c *Client) filters(ctx context.Context, driver string) bool {
	o := ahead.Options(c.Host.Paths, c.Host.Now)
	o.Driver = driver
	box, err := sandbox.Open(ctx, o)
	return err == nil && box.TryUplink(ctx) == nil
}

// filters is [Client.filters], of the sandbox that a server's calls share.
func (w *Warm) filters(ctx context.Context, c *Client, driver string) bool {
	if w == nil {
		return c.filters(ctx, driver)
	}
	return w.box.TryUplink(ctx) == nil
}

// uplink is the network of a run; nil is the machine's own, or none.
func (r reach) uplink(ctx context.Context) (sandbox.Uplink, error) {
	if !r.filtered {
		return nil, nil
	}
	up, err := usernet.New(ctx, r.exceptions)
	if err != nil {
		return nil, err
	}
	return up, nil
}

// visited are the places that a tool asked for, as the record has them: none where
// its network did not lead through us.
func visited(up sandbox.Uplink) (list []audit.Reached, more int) {
	n, ok := up.(*usernet.Net)
	if !ok {
		return nil, 0
	}
	all, more := n.Visits()
	for _, v := range all {
		list = append(list, audit.Reached{Network: v.Network, Address: v.Address, Times: v.Times, Verdict: v.Verdict})
	}
	return list, more
}

// less tells whether the network is no more than the internet, as far as a
// consent for later goes.
func (r reach) less() bool { return r.filtered || r.unsafe }

// words say where a tool may go, for the question whether it may.
func (r reach) words() string {
	if !r.filtered {
		return "the network, this machine's own services and its local network included"
	}
	return strings.Join(append([]string{"the internet"}, r.names()...), ", ")
}

// names are the exceptions as the record has them.
func (r reach) names() (list []string) {
	for _, e := range r.exceptions {
		list = append(list, e.String())
	}
	return list
}
