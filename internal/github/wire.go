package github

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// wire is what lies below go-github: it adds the token, bounds and reads whole
// answers, waits where GitHub asks for it, and sends again what can be sent
// again. go-github sees only how it ended; in particular it never sees a rate
// limit, which it would hold against a clock that is not ours.
//
// What can be sent again: a request that GitHub says it did not carry out (a
// rate limit), whatever it was; and after a broken connection or a 5xx, when
// nobody knows what happened, one that changes nothing, or that a second time
// changes nothing more (see [again]). Any other fails with errUnclear, and
// who sent it looks what became of it.
type wire struct {
	below http.RoundTripper
	base  *url.URL
	token string
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
	wait  func(string, time.Duration)

	mu     sync.Mutex
	waited time.Duration // since a request last went through at once
}

// errUnclear is in the chain of an error after which the change may have been
// made or not.
var errUnclear = errors.New("whether GitHub did it is not known")

type (
	againKey struct{}
	mostKey  struct{}
)

// again marks requests that may be sent twice although their method does not
// say so: what they make is named by its content, or is there once.
func again(ctx context.Context) context.Context { return context.WithValue(ctx, againKey{}, true) }

// atMost bounds the answer to requests of ctx to n bytes.
func atMost(ctx context.Context, n int64) context.Context {
	return context.WithValue(ctx, mostKey{}, n)
}

// RoundTrip sends a request until it has an answer worth having.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close() // each attempt reads a copy
	}
	twice := req.Method == http.MethodGet || req.Context().Value(againKey{}) != nil
	for attempt := 1; ; attempt++ {
		resp, body, err := w.once(req)
		if cause := req.Context().Err(); cause != nil {
			return nil, cause
		}
		var why string
		var d time.Duration
		switch {
		case err != nil && fault.ReasonOf(err) != "": // ours: no second attempt helps
			return nil, err
		case err != nil || resp.StatusCode >= 500:
			failed := broken(resp, err)
			if !twice {
				return nil, fault.New(fault.Unavailable, failed.Reason, "%s: %w", failed.Message, errUnclear)
			}
			if attempt >= limits.GitHubAttempts {
				return nil, failed
			}
			why, d = failed.Reason, backOff(attempt)
		default:
			var limited bool
			if d, limited = pause(resp.StatusCode, resp.Header, body, w.clock(resp)); !limited {
				if attempt == 1 {
					w.rested()
				}
				return answer(resp, body), nil
			}
			why = "rate_limit"
		}
		if !w.spend(d) {
			if why == "rate_limit" {
				return nil, fault.New(fault.Unavailable, why, "GitHub asks to wait %v for its rate limit", d.Round(time.Second)).
					Hint("try again later")
			}
			return nil, broken(resp, err)
		}
		w.wait(why, d)
		if err := w.sleep(req.Context(), d); err != nil {
			return nil, err
		}
	}
}

// once makes one attempt and reads the whole answer, so that a connection that
// breaks in the middle of it is seen here.
func (w *wire) once(req *http.Request) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(req.Context(), limits.GitHubTimeout)
	defer cancel()
	out := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, nil, fault.New(fault.Internal, "github", "read the request again: %w", err)
		}
		out.Body = body
	}
	// The token goes to the interface and to nobody else, whatever led here.
	out.Header.Del("Authorization")
	if w.token != "" && w.ours(out.URL) {
		out.Header.Set("Authorization", "Bearer "+w.token)
	}
	resp, err := w.below.RoundTrip(out)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	most := int64(limits.GitHubAnswer)
	if n, ok := req.Context().Value(mostKey{}).(int64); ok {
		most = n
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return nil, nil, err
	case int64(len(body)) > most:
		return nil, nil, fault.New(fault.Findings, "too_large", "GitHub's answer has more than %d bytes", most)
	}
	return resp, body, nil
}

// ours is an address of the interface itself.
func (w *wire) ours(u *url.URL) bool { return u.Scheme == w.base.Scheme && u.Host == w.base.Host }

// redirect follows GitHub to a repository's new name and nowhere else. A
// request that would become another method is not followed: a change would
// silently become a question.
func (w *wire) redirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) > limits.HTTPRedirects:
		return fault.New(fault.Unavailable, "redirects", "more than %d redirects", limits.HTTPRedirects)
	case !w.ours(req.URL):
		return fault.New(fault.NotVerified, "redirect", "GitHub's interface led to %s", spec.Quote(req.URL.Redacted()))
	case req.Method != via[0].Method:
		return fault.New(fault.Unavailable, "redirect", "the repository was moved").Hint("use its new name")
	}
	return nil
}

// answer is the response with the body that was read. What it says of rate
// limits was obeyed here and is taken out.
func answer(resp *http.Response, body []byte) *http.Response {
	for name := range resp.Header {
		if name == "Retry-After" || len(name) > 12 && name[:12] == "X-Ratelimit-" {
			resp.Header.Del(name)
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp
}

// broken says what went wrong where nothing useful came back.
func broken(resp *http.Response, err error) *fault.Error {
	if err != nil {
		return fault.New(fault.Unavailable, "network", "ask GitHub: %w", err)
	}
	return fault.New(fault.Unavailable, "github", "GitHub answered %d", resp.StatusCode)
}

// clock is the time by GitHub's own clock, against which its limits are given,
// and by ours where it does not tell.
func (w *wire) clock(resp *http.Response) time.Time {
	if t, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		return t
	}
	return w.now()
}

// spend takes d from the patience of the client, if that much is left.
func (w *wire) spend(d time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d > limits.GitHubPatience-w.waited {
		return false
	}
	w.waited += d
	return true
}

func (w *wire) rested() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waited = 0
}
