package mcpserver

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// toolset is the meta-tools and the toolbox.
type toolset struct {
	*stock
	server *server
	finder finder
}

// openOffer begins to look at the toolbox; what it finds, watch tells.
func openOffer(ctx context.Context, s *server) (offer, error) {
	t := &toolset{stock: newStock(s.client, s.log), server: s}
	go func() {
		is, _ := t.refresh(ctx, false) // what is wrong watch will meet too
		t.open()
		t.late <- is
	}()
	return t, nil
}

// list answers one page: first the meta-tools, then the toolbox by name. The cursor
// is the name that came last, so that a list which changes between two pages
// neither repeats nor skips what did not change.
func (t *toolset) list(ctx context.Context, p *mcp.ListToolsParams) (*page, error) {
	now := t.now(ctx)
	res := &page{ListToolsResult: &mcp.ListToolsResult{Tools: []*mcp.Tool{}, Cacheable: mcp.Cacheable{CacheScope: "private"}}}
	from := 0
	if p.Cursor == "" {
		res.Tools = append(res.Tools, t.metaTools(now)...)
	} else {
		after, ok := strings.CutPrefix(p.Cursor, cursorMark)
		if !ok || len(after) > limits.MCPName {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is none of this server"}
		}
		var found bool
		from, found = slices.BinarySearchFunc(now.listed, after, func(e *entry, n string) int { return strings.Compare(e.name, n) })
		if found {
			from++
		}
	}
	res.rest = now.listed[from:]
	if room := limits.MCPPage - len(res.Tools); len(res.rest) > room {
		res.rest = res.rest[:room]
		res.NextCursor = cursorMark + res.rest[room-1].name
	}
	return res, nil
}

const cursorMark = "after:"

// call answers one tools/call: a meta-tool by its name, else a tool of the toolbox.
func (t *toolset) call(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	if m := metaNamed(c.Name); m != nil {
		args, err := m.arguments(c.Arguments)
		if err != nil {
			return nil, err
		}
		checked := *c
		checked.Arguments = args
		return m.run(t, ctx, &checked)
	}
	res, err := t.run(ctx, c, c.Name)
	if fault.ReasonOf(err) == reasonNoTool {
		// The protocol's own error has no place for hints but its words.
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: strings.Join(append([]string{err.Error()}, fault.HintsOf(err)...), "; ")}
	}
	return res, err
}

// reasonNoTool is that of a name which no installed tool has.
const reasonNoTool = "no_tool"

// run runs a tool of the toolbox, for its own name and for patch_run_tool alike.
// The name is the allow-list: nothing but an installed tool has one [AR-47].
func (t *toolset) run(ctx context.Context, c *call, name string) (*mcp.CallToolResult, error) {
	c.progress.tell(ctx, "looking for the tool")
	known, ref, operation, err := t.resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	w, err := t.server.warm()
	if err != nil {
		return nil, err
	}
	c.progress.tell(ctx, "checking and running it")
	r, err := w.Call(ctx, ref, operation, c.Arguments, t.options(c))
	if err != nil {
		return nil, err
	}
	if known == nil || known.ref.Digest != r.Release { // pulled a moment ago
		return t.answered(ctx, r)
	}
	return ran(known.shape(), r), nil
}

// resolve finds the tool that a name means, the host's or its own, and which operation
// of it. The entry is nil where the shelf does not have it yet, or not as one that runs.
// Its version is left open: what is current when the call is verified runs.
func (t *toolset) resolve(ctx context.Context, name string) (e *entry, ref spec.Ref, operation string, err error) {
	now := t.now(ctx)
	if e := now.byName[name]; e != nil {
		ref, operation = spec.Ref{Name: e.ref.Name}, e.op
		if !e.runs() {
			e = nil // the call says what is wrong with it
		}
		if e != nil && len(e.parts) > 0 {
			return nil, ref, "", e.several()
		}
		return e, ref, operation, nil
	}
	own, operation, _ := strings.Cut(name, partMark)
	n, err := spec.ParseName(own)
	if err == nil {
		if _, err = t.client.Box.Find(spec.Ref{Name: n}); err == nil {
			return nil, spec.Ref{Name: n}, operation, nil
		}
	}
	if err == nil || fault.KindOf(err) == fault.Unavailable {
		return nil, spec.Ref{}, "", err
	}
	unknown := fault.New(fault.NotFound, reasonNoTool, "there is no tool %s in the toolbox", spec.Quote(name))
	switch like := now.nearest(name); {
	case len(now.entries) == 0 && now.whole:
		return nil, spec.Ref{}, "", unknown.Hint("%s", nothingInstalled)
	case like != "":
		unknown = unknown.Hint("did you mean %s?", like)
	}
	return nil, spec.Ref{}, "", unknown.Hint("patch_list_tools tells what there is")
}

// several refuses to call a tool of several operations by its own name.
func (e *entry) several() error {
	err := fault.New(fault.Usage, consume.ReasonActions, "%s is called by one of its actions", e.ref.Name)
	for i, p := range e.parts {
		if i == mostQuoted {
			return err.Hint("and %d more; patch_list_tools tells them", len(e.parts)-i)
		}
		err = err.Hint("%s", p.name)
	}
	return err
}

// mostQuoted is how many names an error lists.
const mostQuoted = 10

func (t *toolset) model(ctx context.Context, ref spec.Ref) (*spec.Tool, error) {
	v, _, err := t.client.Check(ctx, ref)
	if err != nil {
		return nil, err
	}
	return v.Tool(), nil
}

// options are what every call of this server runs under.
func (t *toolset) options(c *call) consume.RunOptions {
	return consume.RunOptions{HostApp: hostApp, Session: c.Session, Claims: c.claims(), Approved: c.Approved}
}

// hostApp is how records name who asked; which host it was, the claims tell.
const hostApp = "mcp"

func (t *toolset) held(_ *call, h *consume.Held) *mcp.CallToolResult { return held(h) }

func (t *toolset) failed(c *call, err error) *mcp.CallToolResult {
	if quotes(err) {
		c.readText(shorten(c.Name, limits.MCPName), err.Error())
	}
	return failed(err)
}

// quotes tells whether an error that no run has labelled repeats the words of others:
// those in which a registry says why it revoked a tool.
func quotes(err error) bool { return fault.ReasonOf(err) == "revoked" }
