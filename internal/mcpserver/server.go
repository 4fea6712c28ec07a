package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// Name is how this server calls itself. Hosts put it before the names of tools.
const Name = "patch"

// server is one running server: one user, one toolbox, one conversation. The
// hosts of one HTTP server share the conversation, so that what one of them read
// is held against what another is about to do.
type server struct {
	client  *consume.Client
	mcp     *mcp.Server
	tools   offer
	session consume.Session // of requests that say nothing of themselves
	warm    func() (*consume.Warm, error)
	log     *slog.Logger
}

// Serve answers one AI host over stdio until its input ends, or many over HTTP on
// the loopback address listen until ctx ends. version is that of the program.
func Serve(ctx context.Context, c *consume.Client, listen, version string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s, err := newServer(ctx, c, version)
	if err != nil {
		return err
	}
	var ends sync.WaitGroup
	defer ends.Wait()
	defer stop()
	ends.Go(func() { s.tools.watch(ctx, s.changed) })
	if listen != "" {
		return s.serveHTTP(ctx, listen)
	}
	return s.serveStdio(ctx)
}

func newServer(ctx context.Context, c *consume.Client, version string) (*server, error) {
	s := &server{
		client: c, log: logTo(c.Host),
		session: consume.Session{ID: rand.Text()},
		// Sandboxes are opened for the first call: a host that only lists tools
		// waits for none.
		warm: sync.OnceValues(func() (*consume.Warm, error) { return c.Warm(ctx, sandbox.PoolOptions{}) }),
	}
	var err error
	if s.tools, err = openOffer(ctx, s); err != nil {
		return nil, err
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: Name, Title: "patch-git", Version: version}, &mcp.ServerOptions{
		Instructions: s.tools.instructions(),
		Logger:       s.log,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	s.changed()
	s.mcp.AddReceivingMiddleware(s.route)
	return s, nil
}

// offer is what the server has to offer: the meta-tools and the toolbox.
type offer interface {
	// instructions tells a model in at most 2 KiB what is here and how to use it.
	instructions() string
	// list answers tools/list, one page.
	list(ctx context.Context, p *mcp.ListToolsParams) (*mcp.ListToolsResult, error)
	// call answers tools/call. A *jsonrpc.Error is answered as such; any other
	// error is one of the call and reaches the model by failed, a *consume.Held by
	// held, where the person was not asked through the host.
	call(ctx context.Context, c *call) (*mcp.CallToolResult, error)
	held(c *call, h *consume.Held) *mcp.CallToolResult
	failed(c *call, err error) *mcp.CallToolResult
	// watch calls changed whenever what list answers is another, until ctx ends.
	watch(ctx context.Context, changed func())
}

// dispatch is the one tool that the SDK knows. Every call reaches it, whatever
// its name: the SDK can mark a result as asking for input, and ask a client of
// the older era in its own way, only for tools that it knows.
const dispatch = "patch_dispatch"

// changed makes the SDK tell every host that asked for it that the list of tools
// is another: it assumes so when a tool is added, were it the same.
func (s *server) changed() {
	s.mcp.AddTool(&mcp.Tool{Name: dispatch, InputSchema: map[string]any{"type": "object"}}, s.call)
}

type named struct{}

// route answers tools/list, and leads every tools/call to dispatch.
func (s *server) route(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch r := req.(type) {
		case *mcp.ListToolsRequest:
			p := r.Params
			if p == nil {
				p = &mcp.ListToolsParams{}
			}
			return s.tools.list(ctx, p)
		case *mcp.CallToolRequest:
			to, params := *r, *r.Params
			ctx = context.WithValue(ctx, named{}, params.Name)
			params.Name, to.Params = dispatch, &params
			req = &to
		}
		return next(ctx, method, req)
	}
}

// call runs one tools/call. What it may do is decided below it.
func (s *server) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := s.read(ctx, req)
	res, err := s.tools.call(ctx, c)
	if h, ok := errors.AsType[*consume.Held](err); ok {
		return s.tools.held(c, h), nil
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); err != nil && !ok {
		return s.tools.failed(c, err), nil
	}
	return res, err
}
