package sigtest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// The services of a server, by the names that its methods take.
const (
	ServiceToken  = "token" // GitHub's
	ServiceFulcio = "fulcio"
	ServiceTSA    = "tsa"
	ServiceRekor  = "rekor"
)

// requestBytes is more than any honest request needs.
const requestBytes = 1 << 20

// Server has the services of an instance on loopback addresses, and the endpoint
// where a job of GitHub Actions gets its token.
type Server struct {
	SigningConfig   []byte // signing_config.json, which names the services
	SigningConfigV1 []byte // the same with the transparency log of version 1
	TrustedRoot     []byte // trusted_root.json
	TokenURL        string // as in ACTIONS_ID_TOKEN_REQUEST_URL: "&audience=sigstore" is to be added
	RequestToken    string // as in ACTIONS_ID_TOKEN_REQUEST_TOKEN

	tb       testing.TB
	sigstore *Sigstore
	claims   Claims
	tokens   *tokens
	ended    chan struct{}

	mu       sync.Mutex
	change   deviation
	requests map[string]int
	failures map[string][]int // the statuses of the next requests
	delays   map[string]time.Duration
}

// Serve starts the services for a job that has the claims. They run until the
// test ends.
func (s *Sigstore) Serve(tb testing.TB, c Claims) *Server {
	tb.Helper()
	v := &Server{
		RequestToken: rand.Text(),
		tb:           tb,
		sigstore:     s,
		claims:       c,
		ended:        make(chan struct{}),
		requests:     map[string]int{},
		failures:     map[string][]int{},
		delays:       map[string]time.Duration{},
	}
	var err error
	if v.tokens, err = newTokens(); err != nil {
		tb.Fatal(err)
	}
	const stampPath = "/api/v1/timestamp"
	v.TokenURL = v.start(ServiceToken, "GET /token", v.token) + "/token?api-version=2.0"
	fulcio := v.start(ServiceFulcio, "POST /api/v2/signingCert", v.signingCert)
	tsa := v.start(ServiceTSA, "POST "+stampPath, v.timestamp)
	rekor := v.start(ServiceRekor, "POST /api/v2/log/entries", v.logEntry)
	older := v.start(ServiceRekor, "POST /api/v1/log/entries", v.olderEntry)
	// Registered last and so run first: no server waits for an answer that is
	// being held back.
	tb.Cleanup(func() { close(v.ended) })

	if v.SigningConfig, err = s.signingConfig(fulcio, tsa+stampPath, rekor, rekorVersion); err != nil {
		tb.Fatal(err)
	}
	if v.SigningConfigV1, err = s.signingConfig(fulcio, tsa+stampPath, older, olderVersion); err != nil {
		tb.Fatal(err)
	}
	if v.TrustedRoot, err = s.TrustedRoot(); err != nil {
		tb.Fatal(err)
	}
	return v
}

// start gives a service a server of its own and returns its address.
func (v *Server) start(service, pattern string, answer http.HandlerFunc) string {
	mux := http.NewServeMux()
	mux.HandleFunc(pattern, answer)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Read before anything is held back: a client that goes away is only
		// noticed after that.
		body, err := io.ReadAll(io.LimitReader(r.Body, requestBytes+1))
		if err == nil && len(body) > requestBytes {
			err = errors.New("the request is too large")
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if status, ok := v.admit(service, r); ok {
			mux.ServeHTTP(w, r)
		} else {
			http.Error(w, http.StatusText(status), status)
		}
	}))
	v.tb.Cleanup(server.Close)
	return server.URL
}

// admit counts a request and holds it back, and tells whether it is to be
// answered or with which status it is to fail.
func (v *Server) admit(service string, r *http.Request) (status int, ok bool) {
	v.mu.Lock()
	v.requests[service]++
	delay := v.delays[service]
	if queue := v.failures[service]; len(queue) > 0 {
		status, v.failures[service] = queue[0], queue[1:]
	}
	v.mu.Unlock()
	if delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		case <-v.ended:
		}
	}
	return status, status == 0
}

// Requests is how many requests a service got, those that failed included.
func (v *Server) Requests(service string) int {
	v.tb.Helper()
	v.known(service)
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.requests[service]
}

// FailNext has the next n requests of a service fail with the status, after
// those that are to fail already.
func (v *Server) FailNext(service string, n, status int) {
	v.tb.Helper()
	v.known(service)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.failures[service] = append(v.failures[service], slices.Repeat([]int{status}, n)...)
}

// Delay has a service hold back each request from now on.
func (v *Server) Delay(service string, by time.Duration) {
	v.tb.Helper()
	v.known(service)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.delays[service] = by
}

// Misbehave changes what the services answer from now on; without a change they
// are honest again. What a bundle lacks or has twice is for its signer to do:
// NoLog, NoTimestamp, DuplicateLog, DuplicateTimestamp and PayloadType change
// nothing here.
func (v *Server) Misbehave(changes ...Change) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.change = deviate(changes)
}

func (v *Server) deviation() deviation {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.change
}

// known fails a test that waits for what cannot happen.
func (v *Server) known(service string) {
	v.tb.Helper()
	if !slices.Contains([]string{ServiceToken, ServiceFulcio, ServiceTSA, ServiceRekor}, service) {
		v.tb.Errorf("there is no service %q", service)
	}
}
