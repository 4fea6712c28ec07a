package keyless

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// retry does something until it succeeds, a service says no for good, or it
// was tried often enough.
func (w *Workflow) retry(ctx context.Context, do func() error) error {
	var err error
	for n := range attempts {
		if n > 0 {
			select {
			case <-time.After(w.pause(n)):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err = do()
		refused, answered := errors.AsType[*answer](err)
		switch {
		case err == nil || ctx.Err() != nil:
			return ended(ctx, err)
		case answered && refused.forGood():
			return fault.New(fault.Denied, "signing_refused", "%w", refused)
		case fault.KindOf(err) == fault.Denied:
			return err
		}
	}
	return fault.New(fault.Unavailable, "signing_service", "not signed after %d attempts: %s", attempts, spec.Quote(cause(err)))
}

// cause is the end of a chain of errors that begins with what everybody knows,
// the address, and would be cut before it comes to the point.
func cause(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	return err.Error()
}

// ended prefers the end of the context, which is why the rest failed.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// pause grows from half a second, with some chance in it so that many jobs do
// not come back together.
func (w *Workflow) pause(n int) time.Duration {
	if w.opts.Pause != nil {
		return w.opts.Pause(n)
	}
	d := 500 * time.Millisecond << (n - 1)
	return d + time.Duration(rand.Int64N(int64(d))) //nolint:gosec // spreads load, hides nothing
}

// answer is what a service said instead of doing what it was asked.
type answer struct {
	host   string
	status int
	body   string // its beginning
}

func (a *answer) Error() string {
	return fmt.Sprintf("%s answered %d: %s", a.host, a.status, spec.Quote(a.body))
}

// forGood tells whether asking again cannot help.
func (a *answer) forGood() bool {
	return a.status >= 400 && a.status < 500 && a.status != http.StatusConflict &&
		a.status != http.StatusRequestTimeout && a.status != http.StatusTooManyRequests
}

// maxAnswer is how much of a refusal is read.
const maxAnswer = 4 << 10

// strict turns every answer that is no success into an error, so that it is
// judged here: sigstore-go's clients sleep on some and echo others raw. It also
// gives their requests the context that they lack.
type strict struct {
	ctx  context.Context
	next http.RoundTripper
}

func (s *strict) RoundTrip(r *http.Request) (*http.Response, error) {
	next := s.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(r.WithContext(s.ctx))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	b, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return nil, &answer{r.URL.Host, resp.StatusCode, string(bytes.TrimSpace(b))}
}
