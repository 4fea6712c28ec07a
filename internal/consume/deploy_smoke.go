package consume

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/provision"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/smoke"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/internal/usernet"
	"github.com/patch-cat/patch-git/spec"
)

// installed is a tool with what it is started by and what it is given.
type deployedTool struct {
	c       *Client
	tool    *spec.Tool
	receipt toolbox.Receipt
	prefix  *provision.Prefix
	env     map[string]string
	secrets []string
	net     []usernet.Exception
	p       *provision.Provisioner
}

// open makes an installed tool ready for its smoke run or its kill switch.
func (c *Client) open(ctx context.Context, tool *spec.Tool, r toolbox.Receipt, prefix *provision.Prefix) (*deployedTool, error) {
	d, _, err := c.Box.Deployed(r)
	if err != nil {
		return nil, err
	}
	t := &deployedTool{c: c, tool: tool, receipt: r, prefix: prefix}
	if t.p, t.net, err = c.provisioner(d.Net); err != nil {
		return nil, err
	}
	t.env, t.secrets, err = c.Environment(ctx, r)
	return t, err
}

// smoke runs the smoke test [TI-P32…36].
func (c *Client) smoke(ctx context.Context, tool *spec.Tool, r toolbox.Receipt, prefix *provision.Prefix) toolbox.Smoked {
	t, err := c.open(ctx, tool, r, prefix)
	if err != nil {
		return toolbox.Smoked{State: toolbox.SmokeUntold, Why: []string{err.Error()}}
	}
	s := tool.Deployment.Smoke
	seconds := s.Timeout
	if seconds <= 0 {
		seconds = limits.SmokeTime
	}
	within := time.Duration(min(seconds, limits.SmokeLongest)) * time.Second
	c.progress("smoke test of "+tool.Name.String(), 0, 0)
	reply, err := t.reply(ctx, s, within)
	if err != nil {
		state := toolbox.SmokeUntold
		if kind := fault.KindOf(err); kind == fault.ToolFailed || kind == fault.Findings || kind == fault.Denied || kind == fault.NotFound {
			state = toolbox.SmokeFailed
		}
		return toolbox.Smoked{State: state, Why: []string{t.strike(err.Error())}}
	}
	if why := smoke.Judge(s.Kind, s.Success, reply, t.env); len(why) > 0 {
		return toolbox.Smoked{State: toolbox.SmokeFailed, Why: why}
	}
	return toolbox.Smoked{State: toolbox.SmokePassed}
}

// strike takes the tool's secrets out of a text, however a tool or server spells them.
func (t *deployedTool) strike(text string) string { return audit.NewEraser(t.secrets).Text(text) }

// reply makes the smoke run.
func (t *deployedTool) reply(ctx context.Context, s spec.Smoke, within time.Duration) (smoke.Reply, error) {
	switch s.Kind {
	case "shell":
		out, err := t.shell(ctx, s.Command, within)
		if err != nil {
			return smoke.Reply{}, err
		}
		return smoke.Reply{Exit: &out.Exit, Stdout: nonNil(out.Stdout), Body: nonNil(out.Stdout)}, nil
	case "http":
		return t.http(ctx, s, within)
	case "action-call", "mcp-tool-call":
		return t.operation(ctx, s, within)
	}
	return smoke.Reply{}, fault.New(fault.Findings, "smoke", "a smoke test of the kind %s is not known", spec.Quote(s.Kind))
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// shell runs a command of the manifest with what the tool may have: its artifact, its
// values, and the network if it declares one.
func (t *deployedTool) shell(ctx context.Context, command []string, within time.Duration) (sandbox.Outcome, error) {
	none := sandbox.Outcome{Exit: -1}
	prefix, argv, err := t.p.Resolve(t.prefix, command, t.tool.Deployment.Command)
	if err != nil {
		return none, err
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(t.env)) {
		env = append(env, name+"="+t.env[name])
	}
	if prefix.Engine != "" {
		return t.engine(ctx, argv, env, within)
	}
	job, err := prefix.Job(argv, env, nil)
	if err != nil {
		return none, err
	}
	job.Limits.Wall, job.Limits.Stdout = within, limits.SmokeStdout
	if job.Network = t.tool.Capabilities.Network; job.Network {
		if job.Uplink, err = (reach{filtered: t.c.filters(ctx, ""), exceptions: t.net}).uplink(ctx); err != nil {
			return none, err
		}
	}
	box, err := t.c.sandbox(ctx, RunOptions{})
	if err != nil {
		return none, err
	}
	defer box.Close()
	out, err := box.Run(ctx, job)
	switch {
	case err != nil:
		return none, err
	case out.TimedOut:
		return none, fault.New(fault.ToolFailed, "timeout", "it did not end within %s", within)
	case out.OutOfMemory, out.StdoutCut:
		return none, fault.New(fault.ToolFailed, "limits", "it used more memory, or wrote more, than it may")
	}
	return out, nil
}

// engine runs a container; it is ended when its time is over.
func (t *deployedTool) engine(ctx context.Context, argv, env []string, within time.Duration) (sandbox.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	out, err := contained{prefix: t.prefix, argv: argv, env: env, engineEnv: t.p.EngineEnv()}.run(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = fault.New(fault.ToolFailed, "timeout", "it did not end within %s", within)
	case err == nil && (out.StdoutCut || len(out.Stdout) > limits.SmokeStdout):
		err = fault.New(fault.ToolFailed, "limits", "it wrote more than it may")
	}
	return out, err
}

// http makes the request of a smoke test. The address is taken as it is [C-26].
func (t *deployedTool) http(ctx context.Context, s spec.Smoke, within time.Duration) (smoke.Reply, error) {
	var none smoke.Reply
	method := s.Method
	if method == "" {
		method = http.MethodGet
	}
	body, err := smoke.Substitute(s.Body, t.env)
	if err != nil {
		return none, err
	}
	header := http.Header{}
	for _, h := range s.Headers {
		v, err := smoke.Header(h.Value, t.env)
		if err != nil {
			return none, err
		}
		header.Set(h.Name, v)
	}
	status, answer, err := t.request(ctx, method, s.URL, header, []byte(body), within)
	if err != nil {
		return none, err
	}
	return smoke.Reply{Status: &status, Body: nonNil(answer)}, nil
}

// request asks a server that the manifest names, which is one of the internet or one
// that the person named; not by http, which everybody on the way reads, but to the
// latter. Where a server leads elsewhere nobody follows: the headers are for that
// server alone.
func (t *deployedTool) request(ctx context.Context, method, address string, header http.Header, body []byte, within time.Duration) (status int, answer []byte, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return 0, nil, fault.New(fault.Findings, "address", "%s is no address of a server", spec.Quote(address))
	}
	if u.Scheme == "http" && !slices.ContainsFunc(t.net, func(e usernet.Exception) bool { return e.Names(u) }) {
		return 0, nil, fault.New(fault.Denied, "plain_http", "%s is not https", spec.Quote(u.Scheme+"://"+u.Host))
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, fault.New(fault.Findings, "address", "%s is no address of a server", spec.Quote(address))
	}
	if len(body) == 0 {
		request.Body, request.ContentLength = nil, 0
	}
	request.Header = header
	if header.Get("User-Agent") == "" {
		header.Set("User-Agent", "patch-git")
	}
	if host := header.Get("Host"); host != "" && host != u.Host {
		return 0, nil, fault.New(fault.Findings, "address", "a header names another host than the address")
	}
	header.Del("Host")
	client := usernet.Client(t.c.Host.HTTP(), t.net)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err == nil {
		defer func() { _ = response.Body.Close() }()
		answer, err = io.ReadAll(io.LimitReader(response.Body, limits.SmokeStdout+1))
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil:
		return 0, nil, fault.New(fault.ToolFailed, "timeout", "%s did not answer within %s", u.Host, within)
	case err != nil:
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		if kind := fault.KindOf(err); kind != fault.Internal {
			return 0, nil, fault.New(kind, fault.ReasonOf(err), "ask %s: %w", u.Host, err)
		}
		return 0, nil, fault.New(fault.Unavailable, "unreachable", "ask %s: %w", u.Host, err)
	case len(answer) > limits.SmokeStdout:
		return 0, nil, fault.New(fault.ToolFailed, "limits", "%s answers with more than %d bytes", u.Host, limits.SmokeStdout)
	}
	return response.StatusCode, answer, nil
}
