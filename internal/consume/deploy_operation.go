package consume

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/smoke"
	"github.com/patch-cat/patch-git/spec"
)

// smokeOperation is the name of the operation that a smoke test of an MCP tool is run
// as. It has a character that no action of a manifest has.
const smokeOperation = "smoke-test"

// operation makes a smoke run of an action, or of a tool of the MCP server that the
// tool is. It goes through the stack as every call does, and is recorded.
func (t *deployedTool) operation(ctx context.Context, s spec.Smoke, within time.Duration) (smoke.Reply, error) {
	subject, err := t.c.installed(ctx, t.receipt.Ref(), t.c.Box.Load)
	if err != nil {
		return smoke.Reply{}, err
	}
	name := s.Action
	if s.Kind == "mcp-tool-call" {
		with := *subject.Tool
		with.Operations = append(slices.Clone(with.Operations), smokeCall(subject.Tool, s.Tool))
		subject.Tool, name = &with, smokeOperation
	}
	if err := t.c.operate(subject, name); err != nil {
		return smoke.Reply{}, err
	}
	args := s.Arguments
	if args == nil {
		args = json.RawMessage("{}")
	}
	ran, err := t.c.Run(ctx, subject, args, RunOptions{HostApp: "smoke", Limits: sandbox.Limits{Wall: within, Stdout: limits.SmokeStdout}})
	if failure, ok := errors.AsType[*invoke.Failure](err); ok {
		return replied(subject, failure.Exit, failure.Status, failure.Body), nil
	}
	if err != nil {
		return smoke.Reply{}, err
	}
	body := ran.Bytes
	if body == nil {
		body = ran.Result
	}
	return replied(subject, 0, ran.Status, body), nil
}

// replied is what an operation answered, as far as its kind has it: a program has an
// exit code and an output, a request a status.
func replied(s *Subject, exit, status int, body []byte) smoke.Reply {
	r := smoke.Reply{Body: nonNil(body)}
	switch s.kind {
	case spec.InvokeSubcommand, spec.InvokeStdinJSON:
		r.Exit, r.Stdout = &exit, r.Body
	case spec.InvokeHTTP:
		r.Status = &status
	}
	return r
}

// smokeCall is the operation that a smoke test of an MCP tool is. What an action calls by
// that tool is no less destructive when the smoke test calls it.
func smokeCall(t *spec.Tool, tool string) spec.Operation {
	op := spec.Operation{
		Name: smokeOperation, Summary: "smoke test", Effects: spec.EffectsRead,
		Input:      json.RawMessage(`{"type":"object","additionalProperties":true}`),
		Output:     &spec.OperationOutput{Format: spec.OutputText},
		Invocation: spec.Invocation{Kind: spec.InvokeMCPTool, Tool: tool},
	}
	if slices.ContainsFunc(t.Operations, func(o spec.Operation) bool {
		return o.Invocation.Kind == spec.InvokeMCPTool && o.Invocation.Tool == tool && o.Effects == spec.EffectsDestructive
	}) {
		op.Effects = spec.EffectsDestructive
	}
	return op
}
