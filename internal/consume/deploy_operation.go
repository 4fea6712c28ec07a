package consume

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/smoke"
	"github.com/patch-cat/patch-git/spec"
)

// operation makes a smoke run of an action, or of a tool of the MCP server that the
// tool is, as a call like any other: through the whole stack, and recorded. The person
// agreed to what the tool may do a moment ago, as a whole [TI-P35].
func (t *deployedTool) operation(ctx context.Context, s spec.Smoke, within time.Duration) (smoke.Reply, error) {
	what := called{t.receipt.Ref(), ""}
	subject, err := t.c.installed(ctx, what.ref, t.c.Box.Load)
	if err != nil {
		return smoke.Reply{}, err
	}
	if s.Kind == "mcp-tool-call" {
		err = t.c.operateOn(subject, &spec.Operation{
			Name: "smoke", Invocation: spec.Invocation{Kind: spec.InvokeMCPTool, Tool: s.Tool}, Input: json.RawMessage(`{"type":"object","additionalProperties":true}`),
			Effects: spec.EffectsRead,
		})
	} else {
		err = t.c.operate(subject, s.Action)
	}
	if err != nil {
		return smoke.Reply{}, err
	}
	arguments := s.Arguments
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	o := RunOptions{HostApp: "smoke", Agree: true}
	o.Limits.Wall = within
	ran, err := t.c.Run(ctx, subject, arguments, o)
	if failed, ok := errors.AsType[*invoke.Failure](err); ok {
		return replyOf(failed.Body, failed.Exit, failed.Status), nil
	}
	if err != nil {
		return smoke.Reply{}, err
	}
	body := []byte(ran.Result)
	if ran.Bytes != nil {
		body = ran.Bytes
	}
	return replyOf(body, 0, ran.Status), nil
}

// replyOf is what a smoke test looks at.
func replyOf(body []byte, exit, status int) smoke.Reply {
	r := smoke.Reply{Stdout: nonNil(body), Body: nonNil(body)}
	if status != 0 {
		r.Status = &status
	} else {
		r.Exit = &exit
	}
	return r
}
