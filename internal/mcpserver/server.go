package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
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
	session *consume.Session
	warm    func() (*consume.Warm, error) // opens it once
	cool    func()                        // ends it, if it was opened
	log     *slog.Logger
	bell    *bell
	web     bool   // hosts come over HTTP
	later   *later // what a pipe writes without the SDK; nil where there is no pipe

	mu    sync.Mutex
	asked map[approval.ID]bool // what hosts were asked about
}

// Serve answers one AI host over stdio until its input ends, or many over HTTP on
// the loopback address listen until ctx ends; ready hears where, and which file
// has the token. version is that of the program.
func Serve(ctx context.Context, c *consume.Client, listen, version string, ready func(url, tokenFile string)) error {
	var addr netip.AddrPort
	if listen != "" {
		var err error
		if addr, err = loopback(listen); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s, err := newServer(ctx, c, version, openOffer)
	if err != nil {
		return err
	}
	s.web = listen != ""
	var ends sync.WaitGroup
	defer ends.Wait()
	defer s.cool()
	defer s.bell.close()
	defer stop()
	ends.Go(func() { thrift(ctx) })
	ends.Go(func() {
		defer func() { // the list stays as it is, and calls go on
			if r := recover(); r != nil {
				s.panicked("the watch over the toolbox panicked", r)
			}
		}()
		s.tools.watch(ctx, s.changed)
	})
	if s.web {
		return s.serveHTTP(ctx, addr, ready)
	}
	return s.serveStdio(ctx)
}

func newServer(ctx context.Context, c *consume.Client, version string, open func(context.Context, *server) (offer, error)) (*server, error) {
	s := &server{
		client: c, log: newLog(c.Host.Stderr),
		session: consume.NewSession(""), asked: map[approval.ID]bool{},
	}
	s.warm, s.cool = pool(ctx, c)
	s.bell = newBell(c, s.log)
	c.Progress = nil // a host's log is no place for bars
	c.Warn = func(text string) { s.log.Warn(text) }
	var err error
	if s.tools, err = open(ctx, s); err != nil {
		return nil, err
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: Name, Title: "patch-git", Version: version}, &mcp.ServerOptions{
		Instructions: s.tools.instructions(),
		Logger:       s.log,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{ListChanged: true}},
	})
	s.changed(news{tools: true})
	s.mcp.AddReceivingMiddleware(s.contain(ctx), s.route)
	s.mcp.AddSendingMiddleware(s.patience)
	return s, nil
}

// pool gives what calls run by. It is opened for the first of them, so that a host
// which only lists tools waits for no sandbox.
func pool(ctx context.Context, c *consume.Client) (open func() (*consume.Warm, error), end func()) {
	var mu sync.Mutex
	var warm *consume.Warm
	ended := false
	open = func() (*consume.Warm, error) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return nil, fault.New(fault.Interrupted, "interrupted", "the server ends")
		}
		if warm != nil {
			return warm, nil
		}
		var err error
		warm, err = c.Warm(ctx, sandbox.PoolOptions{})
		return warm, err
	}
	end = func() {
		mu.Lock()
		defer mu.Unlock()
		if ended = true; warm != nil {
			warm.Close()
		}
	}
	return open, end
}

// offer is what the server has to offer: the meta-tools and the toolbox.
type offer interface {
	// instructions tells a model in at most 2 KiB what is here and how to use it.
	instructions() string
	// list answers tools/list, one page.
	list(ctx context.Context, p *mcp.ListToolsParams) (*page, error)
	// call answers tools/call. A *jsonrpc.Error is answered as such; any other
	// error is one of the call and reaches the model by failed, a *consume.Held by
	// held, where the person was not asked through the host.
	call(ctx context.Context, c *call) (*mcp.CallToolResult, error)
	held(c *call, h *consume.Held) *mcp.CallToolResult
	failed(c *call, err error) *mcp.CallToolResult
	// resources answers resources/list, one page; read answers resources/read.
	resources(ctx context.Context, cursor string) (*mcp.ListResourcesResult, error)
	read(ctx context.Context, session *consume.Session, uri string) (*mcp.ReadResourceResult, error)
	// watch calls changed whenever what one of the lists answers is another, until ctx
	// ends.
	watch(ctx context.Context, changed func(news))
}

// dispatch is the one tool that the SDK knows. Every call reaches it, whatever
// its name: the SDK can mark a result as asking for input, and ask a client of
// the older era in its own way, only for tools that it knows.
const dispatch = "patch_dispatch"

// changed makes the SDK tell every host that asked for it that a list is another: it
// assumes so when a tool or a resource is added, were it the same. Neither is in any list
// of ours, and route answers in the place of both.
func (s *server) changed(n news) {
	if n.tools {
		s.mcp.AddTool(&mcp.Tool{Name: dispatch, InputSchema: map[string]any{"type": "object"}}, s.call)
	}
	if n.skills {
		s.mcp.AddResource(&mcp.Resource{Name: dispatch, URI: skillScheme}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return nil, mcp.ResourceNotFoundError(skillScheme)
		})
	}
}

// contain keeps what goes wrong in one request to that request, and ends it when
// the server ends: the SDK hands down no such end.
func (s *server) contain(serving context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			defer context.AfterFunc(serving, func() { cancel(context.Cause(serving)) })()
			defer func() {
				if r := recover(); r != nil {
					s.panicked("a request made the program panic: "+method, r)
					res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
				}
			}()
			if !speaks(method) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
			}
			return next(ctx, method, req)
		}
	}
}

// panicked tells the log where.
func (s *server) panicked(what string, reason any) {
	s.log.Error(what, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
}

// speaks tells whether a method belongs to what this server says that it can. The
// SDK answers more, such as lists of prompts that there are none of.
func speaks(method string) bool {
	switch method {
	case "initialize", "server/discover", "ping", "subscriptions/listen", "tools/list", "tools/call",
		"resources/list", "resources/read", "resources/templates/list":
		return true
	}
	return strings.HasPrefix(method, "notifications/")
}

type named struct{}

// route answers tools/list and what is asked of resources, and leads every tools/call to
// dispatch.
func (s *server) route(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch r := req.(type) {
		case *mcp.ListToolsRequest:
			p := r.Params
			if p == nil {
				p = &mcp.ListToolsParams{}
			}
			res, err := s.tools.list(ctx, p)
			if err != nil {
				return nil, err
			}
			res.later = s.later
			return res, nil
		case *mcp.ListResourcesRequest:
			cursor := ""
			if r.Params != nil {
				cursor = r.Params.Cursor
			}
			return result(s.tools.resources(ctx, cursor))
		case *mcp.ListResourceTemplatesRequest:
			return templates(), nil
		case *mcp.ReadResourceRequest:
			return result(s.tools.read(ctx, s.session, r.Params.URI))
		case *mcp.CallToolRequest:
			to, params := *r, *r.Params
			ctx = context.WithValue(ctx, named{}, params.Name)
			params.Name, to.Params = dispatch, &params
			req = &to
		}
		return next(ctx, method, req)
	}
}

// result is none where there is an error: an interface that holds a nil is not nil.
func result[R any, P interface {
	*R
	mcp.Result
}](r P, err error) (mcp.Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// call runs one tools/call. What it may do is decided below it.
func (s *server) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := s.read(ctx, req)
	defer c.progress.begin(ctx)()
	var res *mcp.CallToolResult
	var err error
	if c.Approved, err = s.answered(ctx, c); err == nil {
		res, err = s.tools.call(ctx, c)
	}
	if h, ok := errors.AsType[*consume.Held](err); ok {
		if question := s.ask(c, h); question != nil {
			return question, nil
		}
		s.bell.ring(h)
		return s.tools.held(c, h), nil
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); err != nil && !ok {
		return s.tools.failed(c, err), nil
	}
	return res, err
}
