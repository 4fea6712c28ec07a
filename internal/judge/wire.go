package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// question is one request, whatever the provider.
type question struct {
	system, user string
	name         string          // of the answer's schema
	schema       json.RawMessage // JSON Schema of the answer
	tokens       int             // that the answer may have
}

// wire asks one provider. It may be used by several goroutines.
type wire struct {
	config Config
	client *http.Client
	most   time.Duration // for one request
}

// newWire makes a client that follows no redirect: what is sent is a stranger's
// text and our key, and both are for the configured address alone. The time of a
// request is bounded by its context, so the client's own limits on it go.
func newWire(c Config, from *http.Client) *wire {
	client := &http.Client{Transport: from.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if t, ok := from.Transport.(*http.Transport); ok {
		t = t.Clone()
		t.ResponseHeaderTimeout = 0 // a model thinks before it says a word
		client.Transport = t
	}
	return &wire{config: c, client: client, most: limits.JudgeTime}
}

// ask returns the bytes that the model itself wrote: what should be one JSON
// object. Errors are of [failed]; they repeat nothing that the provider said,
// which may be the key.
func (w *wire) ask(ctx context.Context, q question) ([]byte, error) {
	path, body, header := w.openAI(q)
	if w.config.Kind == KindAnthropic {
		path, body, header = w.anthropic(q)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fault.New(fault.Internal, "judge", "write a request: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, w.most)
	defer cancel()
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json")
	header.Set("User-Agent", "patch-git")
	resp, err := w.patiently(ctx, path, data, header)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if err := w.status(resp); err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, limits.JudgeAnswer+1))
	if err != nil {
		return nil, w.unreachable(err)
	}
	if len(answer) > limits.JudgeAnswer {
		return nil, failed(Malformed, "the model at %s answers more than %d bytes", spec.Quote(w.config.Address()), limits.JudgeAnswer)
	}
	if w.config.Kind == KindAnthropic {
		return anthropicAnswer(answer, q.name)
	}
	return openAIAnswer(answer)
}

// unreachable tells that there was no answer. The cause is of this machine's
// network, and its text may repeat what a server sent.
func (w *wire) unreachable(err error) error {
	why := spec.Quote(cause(err))
	if errors.Is(err, context.DeadlineExceeded) {
		why = fmt.Sprintf("no answer within %v", w.most)
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return failed(Unreachable, "asking the model at %s: %s", spec.Quote(w.config.Address()), why).
		Hint("see that it runs there and that %s is right", EnvURL)
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

// status sorts what is no answer by the number alone.
func (w *wire) status(resp *http.Response) error {
	at, n := spec.Quote(w.config.Address()), resp.StatusCode
	switch {
	case n == http.StatusOK:
		if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			return failed(Malformed, "the model at %s answers something that does not call itself JSON", at)
		}
		return nil
	case n >= 300 && n < 400:
		return failed(Refused, "the model at %s sends us elsewhere (%d), and nobody goes there with a key", at, n).
			Hint("set %s to the address itself", EnvURL)
	case n == http.StatusUnauthorized, n == http.StatusForbidden:
		return failed(Refused, "the model at %s does not take the key (%d)", at, n).Hint("set %s", EnvKey)
	case n == http.StatusNotFound:
		return failed(Refused, "the model at %s is not there (%d)", at, n).Hint("see that %s, %s and %s are right", EnvURL, EnvKind, EnvModel)
	case n == http.StatusRequestTimeout, n == http.StatusTooManyRequests, n >= 500:
		return failed(Unreachable, "the model at %s is busy or out of order (%d)", at, n).Hint("try again later")
	}
	return failed(Refused, "the model at %s does not take the request (%d)", at, n).
		Hint("see that %s is %s and that the model answers by a JSON schema, at temperature 0 unless %s is default", EnvKind, w.config.Kind, EnvTemperature)
}
