package mcpclient

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ReasonUnanswered is that of a server that could not be reached, or ended the
// connection before it answered.
const ReasonUnanswered = "unreachable"

// OverHTTP makes a call of a server at an endpoint by the streamable transport: each
// message is a request, each answer is a document or a stream of events. headers go
// with every request. What the client may reach, and that it follows nothing, is its
// maker's concern. status is that of the last answer, 0 where there was none, and
// retryAfter what it says of another attempt.
func OverHTTP(ctx context.Context, client *http.Client, endpoint string, headers []spec.Header, c Call) (r *Reply, status int, retryAfter string, err error) {
	w := &web{client: client, endpoint: endpoint, headers: headers, d: &dialogue{call: c}}
	defer w.leave(ctx)
	for say := [][]byte{w.d.open()}; len(say) > 0; {
		last := len(say) - 1
		for _, m := range say[:last] { // notifications, to which nobody answers
			if err := w.tell(ctx, m); err != nil {
				return nil, w.status, w.retryAfter, err
			}
		}
		if say, err = w.post(ctx, say[last]); err != nil || w.d.reply != nil {
			return w.d.reply, w.status, w.retryAfter, err
		}
	}
	return nil, w.status, "", broken("it did not answer")
}

// web is a call over HTTP.
type web struct {
	client     *http.Client
	endpoint   string
	headers    []spec.Header
	d          *dialogue
	session    string
	status     int
	retryAfter string
}

func (w *web) request(ctx context.Context, method string, body []byte) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.endpoint, content)
	if err != nil {
		return nil, fault.New(fault.Internal, "request", "make a request: %w", err)
	}
	for _, h := range w.headers {
		req.Header[h.Name] = []string{h.Value}
	}
	req.Header.Set("User-Agent", "patch-git")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	if w.session != "" {
		req.Header.Set("Mcp-Session-Id", w.session)
	}
	if w.d.revision != "" {
		req.Header.Set("MCP-Protocol-Version", w.d.revision)
	}
	return req, nil
}

// send sends one message. The answer's body is the caller's to close.
func (w *web) send(ctx context.Context, m []byte) (*http.Response, error) {
	req, err := w.request(ctx, http.MethodPost, bytes.TrimSpace(m))
	if err != nil {
		return nil, err
	}
	res, err := w.client.Do(req)
	if err != nil {
		return nil, unanswered(ctx, err)
	}
	return res, nil
}

// tell says a message for which nothing comes: whatever does is not read.
func (w *web) tell(ctx context.Context, m []byte) error {
	res, err := w.send(ctx, m)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	if res.StatusCode >= 300 {
		w.status = res.StatusCode
		return fault.New(fault.ToolFailed, "http_status", "the MCP server answered with the HTTP status %d", w.status)
	}
	return nil
}

// post says one message and hears what comes for it.
func (w *web) post(ctx context.Context, m []byte) (say [][]byte, err error) {
	res, err := w.send(ctx, m)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	w.status, w.retryAfter = res.StatusCode, res.Header.Get("Retry-After")
	if id := res.Header.Get("Mcp-Session-Id"); id != "" && w.session == "" {
		if len(id) > limits.CallToolName {
			return nil, broken("the id of its session has more than %d bytes", limits.CallToolName)
		}
		w.session = id
	}
	if res.StatusCode != http.StatusOK {
		return nil, fault.New(fault.ToolFailed, "http_status", "the MCP server answered with the HTTP status %d", res.StatusCode)
	}
	body := io.LimitReader(res.Body, limits.CallBody+1)
	switch kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind {
	case "application/json":
		text, err := io.ReadAll(body)
		switch {
		case err != nil:
			return nil, unanswered(ctx, err)
		case len(text) > limits.CallBody:
			return nil, broken("it sent a message of more than %d bytes", limits.CallBody)
		}
		say, err := w.d.hear(text)
		if err == nil && w.d.reply == nil && w.d.waits == idCall && len(say) < 2 {
			err = broken("it did not answer the call")
		}
		return say, err
	case "text/event-stream":
		return w.events(ctx, body)
	}
	return nil, broken("it answered with what is neither JSON nor a stream of events")
}

// events reads a stream until what is waited for was heard. What the server asks
// meanwhile is answered by requests of their own.
func (w *web) events(ctx context.Context, body io.Reader) (say [][]byte, err error) {
	lines := bufio.NewReaderSize(body, 64*limits.KiB)
	var data []byte
	for {
		text, err := readLine(lines)
		if err != nil {
			if ctx.Err() != nil {
				return nil, unanswered(ctx, ctx.Err())
			}
			return nil, err
		}
		text = bytes.TrimRight(text, "\r\n")
		value, isData := bytes.CutPrefix(text, []byte("data:"))
		switch {
		case isData:
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
			continue
		case len(text) > 0 || len(data) == 0:
			continue // another field, a comment, an event without data
		}
		waited := w.d.waits
		more, err := w.d.hear(data)
		data = nil
		if err != nil || w.d.reply != nil {
			return nil, err
		}
		if w.d.waits != waited {
			return more, nil
		}
		for _, m := range more { // an answer to the server
			if err := w.tell(ctx, m); err != nil {
				return nil, err
			}
		}
	}
}

// leave ends the session, where there is one. Nobody waits for long to be heard.
func (w *web) leave(ctx context.Context) {
	if w.session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	req, err := w.request(ctx, http.MethodDelete, nil)
	if err != nil {
		return
	}
	if res, err := w.client.Do(req); err == nil {
		_ = res.Body.Close()
	}
}

// unanswered says why there was no answer, without the address, which the library's
// own words have.
func unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return fault.New(fault.Unavailable, ReasonUnanswered, "the MCP server did not answer: %w", err)
}
