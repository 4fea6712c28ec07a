package consume

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/mcpclient"
	"github.com/patch-cat/patch-git/internal/usernet"
	"github.com/patch-cat/patch-git/spec"
)

// driverHTTP is what stands in the place of a sandbox's driver where nothing ran here:
// a request of this process, which goes nowhere that a tool's own network would not.
const driverHTTP = "http"

// request makes the request of an http action.
func (a *action) request(ctx context.Context, k *call) error {
	return a.over(ctx, k, k.said.Request.URL, func(ctx context.Context, client *http.Client) (invoke.Reply, string, error) {
		return a.once(ctx, client, k.said.Request)
	})
}

// over has a call made over the network by this process, and makes it again where the
// action is idempotent and the failure one that passes [TI-P29].
func (a *action) over(ctx context.Context, k *call, address string, once func(context.Context, *http.Client) (r invoke.Reply, retryAfter string, err error)) error {
	if k.o.UnsafeNoSandbox || k.o.Driver != "" {
		return fault.New(fault.Usage, "usage", "%s is a request, and nothing runs here that a sandbox could hold", a.name())
	}
	up, err := usernet.New(ctx, k.reach.exceptions)
	if err != nil {
		return err
	}
	if err := plain(up, address); err != nil {
		return err
	}
	if err := k.gate()(); err != nil {
		return err
	}
	k.rec.Sandbox.Driver, k.out.Driver = driverHTTP, driverHTTP
	began := k.c.Host.Now()
	defer func() {
		k.rec.Network, k.rec.NetworkMore = visited(up)
		k.rec.DurationMS = k.out.Duration.Milliseconds()
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, wall(k), errCallTime)
	defer cancel()
	client := k.c.requester(up)
	defer client.CloseIdleConnections()
	var waited time.Duration
	for {
		k.rec.Operation.Attempts++
		r, after, err := once(ctx, client)
		k.rec.Operation.Status, k.out.Stdout = r.Status, r.Body
		k.out.Duration = k.c.Host.Now().Sub(began)
		if err == nil && r.Status < 400 || err != nil && !passes(err, r.Status) {
			return firstOf(err, func() error { return a.answer(k, r) })
		}
		pause, again := invoke.Again(a.op, k.rec.Operation.Attempts, r.Status, after, k.c.Host.Now(), waited)
		if !again {
			return firstOf(err, func() error { return a.answer(k, r) })
		}
		waited += pause
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return timedOut(a.name(), context.Cause(ctx))
		}
	}
}

// firstOf is err, or what f says where there is none.
func firstOf(err error, f func() error) error {
	if err != nil {
		return err
	}
	return f()
}

var errCallTime = errors.New("the time for it is over")

// wall is how long a call may take.
func wall(k *call) time.Duration {
	if k.o.Limits.Wall > 0 {
		return k.o.Limits.Wall
	}
	return limits.RunTime
}

func timedOut(name string, cause error) error {
	if errors.Is(cause, errCallTime) {
		return fault.New(fault.ToolFailed, "timeout", "%s did not answer in time", name).Hint("give it longer with --timeout")
	}
	return fault.New(fault.KindOf(cause), "run_cancelled", "call of %s was stopped: %w", name, cause)
}

// passes tells whether a failure to be answered may be another one the next time.
func passes(err error, status int) bool {
	return fault.KindOf(err) == fault.Unavailable && fault.ReasonOf(err) == reasonUnreachable || fault.ReasonOf(err) == "http_status" && status >= 400
}

const reasonUnreachable = mcpclient.ReasonUnanswered

// once makes a request once.
func (a *action) once(ctx context.Context, client *http.Client, q *invoke.Request) (r invoke.Reply, retryAfter string, err error) {
	req, err := http.NewRequestWithContext(ctx, q.Method, q.URL, bytes.NewReader(q.Body))
	if err != nil {
		return r, "", fault.New(fault.Internal, "request", "make the request of %s: %w", a.name(), err)
	}
	if q.Body == nil {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	}
	for _, h := range q.Headers {
		req.Header[h.Name] = []string{h.Value}
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "patch-git")
	}
	res, err := client.Do(req)
	if err != nil {
		return r, "", a.unanswered(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	r.Status = res.StatusCode
	r.Body, err = io.ReadAll(io.LimitReader(res.Body, limits.CallBody+1))
	switch {
	case err != nil:
		return r, "", a.unanswered(ctx, err)
	case len(r.Body) > limits.CallBody:
		r.Body = r.Body[:limits.CallBody]
		return r, "", fault.New(fault.ToolFailed, "output", "%s answered with more than %d bytes", a.name(), limits.CallBody)
	case r.Status >= 300 && r.Status < 400:
		// Where it leads the manifest does not say, and the headers may be secret.
		return r, "", fault.New(fault.ToolFailed, "redirect", "%s was sent elsewhere by the status %d, and is followed nowhere", a.name(), r.Status)
	}
	return r, res.Header.Get("Retry-After"), nil
}

// unanswered says why there was no answer. The library's own message has the address
// of the request, with what was put into it.
func (a *action) unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return timedOut(a.name(), context.Cause(ctx))
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return fault.New(fault.Unavailable, reasonUnreachable, "%s was not answered: %w", a.name(), err)
}

// requester is a client that reaches what a tool may, and follows nothing.
func (c *Client) requester(up *usernet.Net) *http.Client {
	client := up.Client(c.Host.HTTP())
	client.Timeout = 0 // the context has one
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// plain refuses a request over http but to a host that the person named for this run:
// anybody on the way reads what it says, and answers in the host's stead.
func plain(up *usernet.Net, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "https" {
		return err
	}
	port, _ := strconv.ParseUint(u.Port(), 10, 16)
	if port == 0 {
		port = 80
	}
	if up.Named(u.Hostname(), uint16(port)) {
		return nil
	}
	return fault.New(fault.Denied, "plain_http", "the endpoint %s is not https", spec.Quote(u.Scheme+"://"+u.Host)).
		Hint("--allow-net %s reaches it all the same, if it is yours", net.JoinHostPort(u.Hostname(), strconv.FormatUint(port, 10)))
}
