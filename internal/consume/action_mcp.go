package consume

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/mcpclient"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// mcpVersion is how this program calls itself to servers. They need not know which
// version of it somebody has.
const mcpVersion = "1"

// callMCP calls a tool of the MCP server that the tool is: one that runs here as long
// as the call, or one at an endpoint.
func (a *action) callMCP(ctx context.Context, k *call) error {
	c := mcpclient.Call{Tool: k.said.Tool, Arguments: k.said.Arguments, Version: mcpVersion}
	if a.tool.Deployment.Kind == "mcp-http" {
		headers, err := a.credentials(k)
		if err != nil {
			return err
		}
		return a.over(ctx, k, a.tool.Deployment.EndpointURL, func(ctx context.Context, client *http.Client) (invoke.Reply, string, error) {
			r, status, after, err := mcpclient.OverHTTP(ctx, client, a.tool.Deployment.EndpointURL, headers, c)
			if err != nil {
				if ctx.Err() != nil {
					err = timedOut(a.name(), context.Cause(ctx))
				}
				return invoke.Reply{Status: status}, after, err
			}
			reply, err := a.replied(r)
			reply.Status = status
			return reply, after, err
		})
	}
	return a.converse(ctx, k, c)
}

// credentials are none: how a server at an endpoint is told who calls, an install
// manifest cannot say but for actions over http. A value that was collected for it
// would otherwise have to be guessed into a header.
func (a *action) credentials(*call) ([]spec.Header, error) { return nil, nil }

// converse starts the server in the sandbox and speaks with it. The server is a
// stranger's program from its first moment, so the intent is written before it starts.
func (a *action) converse(ctx context.Context, k *call, c mcpclient.Call) error {
	if err := a.there(k); err != nil {
		return err
	}
	var reply *mcpclient.Reply
	var said error
	talk := func(in io.Writer, out io.Reader) { reply, said = mcpclient.OverPipes(in, out, c) }
	if k.deployed.prefix.Engine != "" {
		err := a.contain(ctx, k, contained{argv: k.started(), talk: talk})
		if err != nil {
			return err
		}
		return a.heard(k, reply, said)
	}
	box, err := k.c.sandbox(ctx, k.o)
	if err != nil {
		return err
	}
	if k.o.warm == nil {
		defer box.Close()
	}
	k.rec.Sandbox.Driver = box.Driver()
	job, err := a.job(ctx, k, k.deployed.prefix.Argv(), nil)
	if err != nil {
		return err
	}
	if err := job.Gate(); err != nil {
		return err
	}
	job.Gate, job.Late, job.Talk = nil, true, talk
	k.rec.Operation.Attempts = 1
	k.out, err = box.Run(ctx, job)
	k.rec.Network, k.rec.NetworkMore = visited(job.Uplink)
	if err != nil {
		k.out = sandbox.Outcome{Exit: -1}
		return err
	}
	k.outcome()
	return a.heard(k, reply, said)
}

// heard is what a conversation came to.
func (a *action) heard(k *call, reply *mcpclient.Reply, said error) error {
	switch {
	case reply != nil: // however the server ended then
		r, err := a.replied(reply)
		if err != nil {
			return err
		}
		k.out.Stdout = reply.Result
		return a.answer(k, r)
	case k.out.TimedOut, k.out.OutOfMemory, k.out.TooManyProcesses, k.out.StdoutCut:
		return failure(k.s.Tool, k.out)
	case said != nil:
		return withStderr(said, k.out)
	}
	return withStderr(fault.New(fault.ToolFailed, "mcp_gone", "the MCP server ended before it answered"), k.out)
}

var errData = errors.New("it sent data that is not base64")

// replied is the answer of an MCP tool as one of the operation: the structured content
// where it declares JSON and the server sends any, else the texts.
func (a *action) replied(r *mcpclient.Reply) (invoke.Reply, error) {
	reply := invoke.Reply{Body: []byte(r.Text), Failed: r.Failed}
	switch {
	case r.Structured != nil && (r.Failed || r.Text == "" || a.op.Output != nil && a.op.Output.Format == spec.OutputJSON):
		reply.Body = r.Structured
	case a.op.Output != nil && a.op.Output.Format == spec.OutputBinary && r.Data != "":
		data, err := base64.StdEncoding.DecodeString(r.Data)
		if err != nil {
			return reply, fault.New(fault.ToolFailed, mcpclient.ReasonProtocol, "%s: %w", a.name(), errData)
		}
		reply.Body = data
	}
	return reply, nil
}
