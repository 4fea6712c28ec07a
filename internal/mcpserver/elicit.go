package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// A held call can be put to the host's user by the host itself, by an elicitation,
// where the user's configuration believes that host. It is the weakest way: some
// hosts say no without asking, some can be told to say yes. So it is off unless
// configured, never asked for what came from untrusted text, cannot be undone or is
// secret, and a no of it decides nothing: a person may still say yes elsewhere.
//
// The question is the result of the call, in the manner of 2026-07-28: the host
// calls again with the answer and a sealed state, which says of which call it is
// and is good once. The SDK turns that into a request of ours for older hosts.

// question is the name of the one thing that is asked, and of the answer in it.
const question = "approve"

// handshakes is the first revision of the protocol without them: a server has to
// ask by its results, and never by requests of its own.
const handshakes = "2026-07-28"

// ask gives the result that asks the host's user about a held call, or nil where a
// person has to be found in another way.
func (s *server) ask(c *call, h *consume.Held) *mcp.CallToolResult {
	p := c.req.Params
	if c.Name == metaConfirm { // it asks whether a person decided, and a yes would be used up before it looks
		return nil
	}
	if p.RequestState != "" || !s.believes(c.req) || !s.firstTime(h.Action) {
		return nil
	}
	store, err := s.client.Approvals()
	if err != nil {
		return nil // the answer to the held call does not depend on it
	}
	e, err := store.Get(h.Action)
	if err != nil || e.State != approval.Pending || !e.Action.Attestable() {
		return nil
	}
	text := questionOf(e.Action)
	if len(text) > limits.ElicitText { // a host would cut it, and show a part
		return nil
	}
	state, err := store.Seal(e.ID, s.session.ID, c.digest())
	if err != nil {
		return nil
	}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{question: &mcp.ElicitParams{
			Mode: "form", Message: text,
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{"` + question +
				`":{"type":"boolean","title":"Run it, once","default":false}},"required":["` + question + `"]}`),
		}},
		RequestState: state,
	}
}

// believes tells whether the user's configuration lets the host of a request pass
// on its user's word, and whether that host says that it can.
func (s *server) believes(req *mcp.CallToolRequest) bool {
	can := req.ClientCapabilities()
	if can == nil || can.Elicitation == nil || can.Elicitation.Form == nil && can.Elicitation.URL != nil {
		return false
	}
	if s.web && req.ProtocolVersion() < handshakes {
		return false // an HTTP server without sessions hears no answers
	}
	cfg, err := config.Load(s.client.Host.Paths)
	if err != nil {
		return false
	}
	switch cfg.MCP.Elicitation {
	case config.ElicitationOn:
		return true
	case config.ElicitationKnown:
		info := req.ClientInfo()
		return info != nil && slices.Contains(askers(), info.Name)
	}
	return false
}

// askers are the hosts that are known to show the question to a person, by the
// names that they give themselves (docs/mcp-wire.md names them).
func askers() []string { return []string{"claude-code"} }

// firstTime is true once for an action: a model that calls again does not make the
// host ask again.
func (s *server) firstTime(id approval.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked[id] {
		return false
	}
	if len(s.asked) >= limits.MCPAsked {
		clear(s.asked) // the oldest have long run out
	}
	s.asked[id] = true
	return true
}

// questionOf is what the host shows: what would happen, by us. Foreign text stands
// in indented lines without an end of its own, where neither a terminal nor
// Markdown takes it for anything but text.
func questionOf(a approval.Action) string {
	var b strings.Builder
	b.WriteString("May patch-git run " + a.What() + " with exactly these arguments?\n\n")
	lines := a.Lines(approval.Shown)
	for _, l := range lines {
		b.WriteString("    " + l.Name + " = " + l.Value + "\n")
		if l.Note != "" {
			b.WriteString("    (" + l.Note + ")\n")
		}
	}
	if len(lines) == 0 {
		b.WriteString("    (none)\n")
	}
	b.WriteString("\nIt asks because:\n\n")
	for _, r := range a.Reasons {
		b.WriteString("    " + approval.Shown(r.Text) + "\n")
	}
	b.WriteString("\nSay no unless you want this now.")
	return b.String()
}

// answered gives the grant that the answer in a request amounts to; most requests
// have none, and none is no error.
func (s *server) answered(ctx context.Context, c *call) (approval.Grant, error) {
	none, p := approval.Grant{}, c.req.Params
	if p.RequestState == "" {
		if len(p.InputResponses) > 0 {
			return none, badState("inputResponses without the requestState that asked for them")
		}
		return none, nil
	}
	store, err := s.client.Approvals()
	if err != nil {
		return none, err
	}
	id, err := store.Unseal(ctx, p.RequestState, s.session.ID, c.digest())
	if err != nil {
		if fault.KindOf(err) == fault.Denied {
			return none, badState(err.Error())
		}
		return none, err
	}
	if !s.believes(c.req) { // another host, or the user thought better of it
		return none, fault.New(fault.Denied, "elicitation_off", "this host's word for its user is not taken").
			Hint("patch-git approve %s", id)
	}
	answer, ok := p.InputResponses[question].(*mcp.ElicitResult)
	if !ok {
		return none, badState(`the answer "` + question + `" is missing`)
	}
	switch yes, _ := answer.Content[question].(bool); {
	case answer.Action == "cancel":
		return none, nil // nobody decided: the call is held again, and not asked about again
	case answer.Action != "accept" || !yes:
		return none, fault.New(fault.Denied, "approval_declined", "the host answered no for its user; nothing was run").
			Hint("whoever wants it all the same types: patch-git approve %s", id)
	}
	if _, err := store.Decide(ctx, id, true, approval.ViaElicitation, false); err != nil && fault.ReasonOf(err) != "approval_decided" {
		return none, err
	}
	return store.Take(ctx, id, s.session.ID)
}

func badState(what string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + what}
}

// digest names the call that a state belongs to: the name and the arguments, in
// whatever order the host writes them.
func (c *call) digest() spec.Digest {
	d := json.NewDecoder(bytes.NewReader(c.Arguments))
	d.UseNumber()
	var args any
	if err := d.Decode(&args); err != nil {
		return spec.Digest{}
	}
	b, err := json.Marshal([]any{"tools/call", c.Name, args}) // which sorts members
	if err != nil {
		return spec.Digest{}
	}
	return spec.DigestOf(b)
}

// patience ends a question to a host of the older era before the host gives up the
// call for which it is asked: it then counts as not answered.
func (s *server) patience(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "elicitation/create" {
			return next(ctx, method, req)
		}
		waiting, stop := context.WithTimeout(ctx, limits.ElicitWait)
		defer stop()
		res, err := next(waiting, method, req)
		if err != nil && ctx.Err() == nil {
			if !errors.Is(err, context.DeadlineExceeded) {
				s.log.Warn("the host did not ask its user", "error", err.Error())
			}
			return &mcp.ElicitResult{Action: "cancel"}, nil
		}
		return res, err
	}
}
