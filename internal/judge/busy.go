package judge

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// patiently makes a request, and makes it again where the provider says that it is
// busy. All tries and pauses are within the time of one request, so that nobody
// who answers "later" for ever holds the job up. The last answer is returned,
// whatever it is.
func (w *wire) patiently(ctx context.Context, path string, body []byte, header http.Header) (*http.Response, error) {
	for try := 1; ; try++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.config.base.String()+path, bytes.NewReader(body))
		if err != nil {
			return nil, fault.New(fault.Internal, "judge", "write a request: %w", err)
		}
		req.Header = header
		resp, err := w.client.Do(req)
		if err != nil {
			return nil, w.unreachable(err)
		}
		pause, later := laterBy(resp, try)
		if deadline, ok := ctx.Deadline(); !later || try == limits.JudgeTries || ok && time.Until(deadline) <= pause {
			return resp, nil
		}
		resp.Body.Close()
		select {
		case <-ctx.Done():
			return nil, w.unreachable(ctx.Err())
		case <-time.After(pause):
		}
	}
}

// busy are the answers after which the same request may have another one: too many
// requests (429, RFC 6585), out of order for now (503), and Anthropic's overloaded
// (529).
func busy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || status == 529
}

// laterBy is how long to wait for the next try, by Retry-After (RFC 9110, 10.2.3);
// without it one second, then two. Whoever asks for more than
// [limits.JudgePause], or for what cannot be read, is not asked again.
func laterBy(resp *http.Response, try int) (time.Duration, bool) {
	if !busy(resp.StatusCode) {
		return 0, false
	}
	text := resp.Header.Get("Retry-After")
	if text == "" {
		return time.Duration(try) * time.Second, true
	}
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		pause := time.Duration(n) * time.Second
		return pause, pause <= limits.JudgePause
	}
	at, err := http.ParseTime(text)
	pause := max(time.Until(at), 0)
	return pause, err == nil && pause <= limits.JudgePause
}
