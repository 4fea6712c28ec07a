package keyless

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// answer is what a service said instead of doing what it was asked.
type answer struct {
	host   string
	status int
	body   string // its beginning
}

func (a *answer) Error() string {
	return fmt.Sprintf("%s answered %d: %s", a.host, a.status, spec.Quote(a.body))
}

// forGood tells whether asking again cannot help. A log that has the entry
// already (409) takes the next one: that has another key.
func (a *answer) forGood() bool {
	return a.status >= 400 && a.status < 500 && a.status != http.StatusConflict &&
		a.status != http.StatusRequestTimeout && a.status != http.StatusTooManyRequests
}

// maxAnswer is how much of a refusal is read.
const maxAnswer = 4 << 10

// strict turns every answer that is no success into an error, so that it is
// judged in one place. A redirect is no success: who followed it would show the
// job's token to whoever it names.
type strict struct{ next http.RoundTripper }

func (s strict) RoundTrip(r *http.Request) (*http.Response, error) {
	next := s.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(r)
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

// ask sends a request and returns the answer, whole or not at all.
func ask(next http.RoundTripper, r *http.Request, within time.Duration, most int64) ([]byte, error) {
	resp, err := (&http.Client{Transport: strict{next}, Timeout: within}).Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s answered more than %d bytes", r.URL.Host, most)
	}
	return b, err
}

// post sends a document to a service. Of an answer that fits no bundle nothing
// is of use.
func (w *Workflow) post(ctx context.Context, address, contentType string, document []byte, within time.Duration) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", contentType)
	return ask(w.opts.HTTP.Transport, r, within, limits.Bundle)
}

// postJSON is the same for a service that speaks JSON, at a path below its address.
func (w *Workflow) postJSON(ctx context.Context, base, path string, document any, within time.Duration) ([]byte, error) {
	address, err := url.JoinPath(base, path)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	return w.post(ctx, address, "application/json", body, within)
}
