package arcade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Client asks one engine. It may be used by several goroutines; the zero value asks
// nobody.
type Client struct {
	config Config
	http   *http.Client
	now    func() time.Time
	most   time.Duration // for one request
}

// NewClient makes a client that follows no redirect: the key and the arguments are
// for the configured address alone. from is the host's.
func NewClient(c Config, from *http.Client, now func() time.Time) *Client {
	client := &http.Client{Transport: from.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if t, ok := from.Transport.(*http.Transport); ok {
		t = t.Clone()
		t.ResponseHeaderTimeout = 0 // a tool works before the engine says a word
		client.Transport = t
	}
	return &Client{config: c, http: client, now: now, most: limits.ArcadeTime}
}

// request is one request: what it does decides what its failure means.
type request struct {
	method, path string
	query        url.Values
	body         any
	runs         bool // a tool may have run although no answer came
}

// ask makes a request and returns the members of the object that is answered.
func (c *Client) ask(ctx context.Context, r request) ([]manifest.Member, error) {
	body, err := c.bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	members, err := manifest.Object(body, limits.ArcadeAnswer)
	if err != nil {
		return nil, c.nonsense(r, fault.ReasonOf(err))
	}
	return members, nil
}

// bytes makes a request and returns the JSON that is answered, which nobody read yet.
func (c *Client) bytes(ctx context.Context, r request) ([]byte, error) {
	if c.config.base == nil {
		return nil, fault.New(fault.Denied, "arcade_key", "no engine of Arcade is configured").Hint("set %s", EnvKey)
	}
	ctx, cancel := context.WithTimeout(ctx, c.most)
	defer cancel()
	req, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(r, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, limits.ArcadeAnswer+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, c.refusal(r, resp, body)
	case err != nil:
		return nil, c.unreachable(r, err)
	case len(body) > limits.ArcadeAnswer:
		return nil, c.nonsense(r, "more than "+strconv.Itoa(limits.ArcadeAnswer)+" bytes")
	case !isJSON(resp.Header):
		return nil, c.nonsense(r, "something that does not call itself JSON")
	}
	return body, nil
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

func (c *Client) request(ctx context.Context, r request) (*http.Request, error) {
	at := c.config.base.JoinPath(r.path)
	at.RawQuery = r.query.Encode()
	var body io.Reader
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return nil, fault.New(fault.Internal, "arcade", "write a request: %w", err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, at.String(), body)
	if err != nil {
		return nil, fault.New(fault.Internal, "arcade", "make a request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.config.key())
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "patch-git")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// said are the words of the engine about what went wrong, quoted, without the key,
// which a careless server may repeat.
func (c *Client) said(body []byte) string {
	var e struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	}
	members, err := manifest.Object(body, limits.MiB)
	if err != nil {
		return ""
	}
	for _, m := range members {
		switch m.Name {
		case "name":
			_ = json.Unmarshal(m.Value, &e.Name)
		case "message":
			_ = json.Unmarshal(m.Value, &e.Message)
		}
	}
	text := strings.TrimSpace(e.Name + " " + e.Message)
	if text == "" || strings.Contains(text, c.config.key()) {
		return ""
	}
	return ": " + spec.Quote(brief(text))
}

// brief bounds a stranger's text in a message.
func brief(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// unreachable tells that there was no answer.
func (c *Client) unreachable(r request, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	why := cause(err)
	if errors.Is(err, context.DeadlineExceeded) {
		why = "no answer in time"
	}
	return c.untold(r, "arcade_unreachable", "asking Arcade at %s: %s", spec.Quote(c.config.Address()), spec.Quote(why))
}

// nonsense is an answer that nobody can read.
func (c *Client) nonsense(r request, what string) error {
	return c.untold(r, "arcade_answer", "Arcade at %s answers what cannot be read: %s", spec.Quote(c.config.Address()), spec.Quote(what))
}

// untold is an error of kind Unavailable, which says so where the tool may have run.
func (c *Client) untold(r request, reason, format string, args ...any) *fault.Error {
	e := fault.New(fault.Unavailable, reason, format, args...)
	if r.runs {
		e.Message += "; nobody can tell whether the tool ran"
		return e.Hint("look in the account that the tool works with before you run it again")
	}
	return e.Hint("try again later")
}

// cause is the innermost error: the outer ones repeat the address.
func cause(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}
