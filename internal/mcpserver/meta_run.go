package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/taint"
	"github.com/patch-cat/patch-git/spec"
)

// runTool is the same as a call of the tool itself: only where the name stands is
// another.
func (t *toolset) runTool(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	var in struct {
		Name      string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal(c.Arguments, &in); err != nil {
		return nil, fault.New(fault.Internal, "arguments", "%w", err)
	}
	if metaNamed(in.Name) != nil {
		return nil, fault.New(fault.Usage, "meta_tool", "%s is not a tool of the toolbox: call it by its own name", in.Name)
	}
	inner := *c
	inner.Arguments = in.Arguments
	return t.run(ctx, &inner, in.Name)
}

// confirm runs what was held, if a person approved it. The action is taken as it
// was kept: nothing of it comes from this call but which one it is.
func (t *toolset) confirm(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	var in struct {
		Token approval.ID `json:"confirmation_token"`
	}
	if err := json.Unmarshal(c.Arguments, &in); err != nil {
		return nil, fault.New(fault.Internal, "arguments", "%w", err)
	}
	w, err := t.server.warm()
	if err != nil {
		return nil, err
	}
	r, err := w.Confirm(ctx, in.Token, t.options(c))
	if err != nil {
		return nil, err
	}
	return t.answered(ctx, r)
}

// answered renders a run of a tool that is known by its outcome alone.
func (t *toolset) answered(ctx context.Context, r *consume.Ran) (*mcp.CallToolResult, error) {
	ref, err := spec.ParseRef(r.Tool)
	if err != nil {
		return nil, err
	}
	// It ran and answered: that the tool is gone by now makes no other answer of it.
	s := shape{wrapped: len(r.Result) == 0 || r.Result[0] != '{'}
	if tool, err := t.model(ctx, ref); err == nil {
		s = shapeOf(tool, r.Operation)
	}
	return ran(s, r), nil
}

// listRuns shows no inputs and no outputs: those of another conversation are none
// of this one's.
func (t *toolset) listRuns(_ context.Context, c *call) (*mcp.CallToolResult, error) {
	var in struct {
		Tool  string
		Limit int
	}
	if err := json.Unmarshal(c.Arguments, &in); err != nil {
		return nil, fault.New(fault.Internal, "arguments", "%w", err)
	}
	filter := audit.Filter{Limit: min(max(in.Limit, 1), limits.MCPRuns)}
	if in.Tool != "" {
		name, err := spec.ParseName(in.Tool)
		if err != nil {
			return nil, fault.New(fault.Usage, "bad_name", "tool: %w", err)
		}
		filter.Name = name
	}
	runs, problems, err := t.client.Journal.List(filter)
	if err != nil {
		return nil, err
	}
	list := []ranOnce{}
	for _, r := range runs {
		one := ranOnce{RunID: r.RunID, Tool: string(r.Tool), Version: r.Version, Status: r.Status, RanAt: r.StartedAt.UTC().Format("2006-01-02T15:04:05Z"), DurationMS: r.DurationMS}
		if r.Error != nil {
			one.Error, one.Reason = r.Error.Kind, r.Error.Reason
		}
		list = append(list, one)
	}
	return document(struct {
		Runs       []ranOnce `json:"runs"`
		Unreadable int       `json:"unreadable,omitempty"`
	}{list, len(problems)})
}

// ranOnce is one run. Messages of errors are left out: a tool may have written them.
type ranOnce struct {
	RunID      audit.RunID  `json:"run_id"`
	Tool       string       `json:"tool"`
	Version    spec.Version `json:"version,omitempty"`
	Status     audit.Status `json:"status"`
	RanAt      string       `json:"ran_at"`
	DurationMS int64        `json:"duration_ms"`
	Error      string       `json:"error,omitempty"`
	Reason     string       `json:"reason,omitempty"`
}

func (t *toolset) replay(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	var in struct {
		RunID string `json:"run_id"`
	}
	if err := json.Unmarshal(c.Arguments, &in); err != nil {
		return nil, fault.New(fault.Internal, "arguments", "%w", err)
	}
	id, err := audit.ParseRunID(in.RunID)
	if err != nil {
		return nil, fault.New(fault.Usage, "bad_run", "%w", err).Hint("patch_list_runs tells the ids")
	}
	w, err := t.server.warm()
	if err != nil {
		return nil, err
	}
	r, err := w.Replay(ctx, id, t.options(c))
	if err != nil {
		return nil, err
	}
	res, err := document(r)
	if err != nil || r.Ran == nil {
		return res, err
	}
	res.Meta = aboutRun(r.Ran)
	if foreign(r.Ran.Trust) {
		res.Content = append([]mcp.Content{&mcp.TextContent{Text: label(r.Ran)}}, res.Content...)
	}
	return res, nil
}

// read notes that the conversation has read something that nobody vouches for and
// that is the output of no run.
func (c *call) read(by string, what any) error {
	data, err := json.Marshal(what)
	if err != nil {
		return fault.New(fault.Internal, "answer", "%w", err)
	}
	if c.Session != nil && c.Session.Taint != nil {
		c.Session.Taint.Untrusted(taint.Source{Tool: by}, data)
	}
	return nil
}

// readText is read of what is no document, such as the message of an error.
func (c *call) readText(by, text string) {
	if c.Session != nil && c.Session.Taint != nil {
		c.Session.Taint.UntrustedText(taint.Source{Tool: by}, text)
	}
}
