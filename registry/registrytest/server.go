package registrytest

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Server serves a tree as a static host does, with entity tags, and counts.
// Requests that overlap are one wave: a client that asks, waits for the
// answers and asks again makes two.
type Server struct {
	*httptest.Server

	// Latency is added before each answer, which also keeps the requests of
	// one wave together. It is set before the first request.
	Latency time.Duration

	mu      sync.Mutex
	files   map[string][]byte
	handle  func(w http.ResponseWriter, r *http.Request, path string) bool
	open    int // requests that were not answered yet
	stats   Stats
	sizes   []int         // of the waves to hold together
	waiting int           // requests held back now
	release chan struct{} // closed when the wave is complete
}

// Stats are what a server counted.
type Stats struct {
	Waves       int      // rounds of requests, each after the answers to the last
	Requests    int      //
	NotModified int      // of the requests, answered 304
	Absent      int      // of the requests, answered 404
	Bytes       int64    // of bodies
	Paths       []string // of the requests, as they came, with their queries
	Most        int      // requests that waited for an answer at one time
	Short       bool     // a wave of Gather stayed incomplete
}

// NewServer serves a copy of the files below /v1/ on this machine's loopback
// address until the test ends.
func NewServer(tb testing.TB, files map[string][]byte) *Server {
	tb.Helper()
	s := &Server{}
	s.Serve(files)
	s.Server = httptest.NewServer(s)
	tb.Cleanup(s.Close)
	return s
}

// Serve exchanges the files.
func (s *Server) Serve(files map[string][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = map[string][]byte{}
	maps.Copy(s.files, files)
}

// Handle gives a test the first word on each request: f answers and returns
// true, or returns false. The path is relative to /v1/.
func (s *Server) Handle(f func(w http.ResponseWriter, r *http.Request, path string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = f
}

// Gather holds requests back until as many as stated wait for their answer, for
// one wave after the other, so that a test sees what is asked for at once
// however slow the machine is. A wave that stays incomplete is let go after a
// few seconds and noted.
func (s *Server) Gather(sizes ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes, s.waiting, s.release = sizes, 0, make(chan struct{})
}

// patience is how long an incomplete wave is waited for.
const patience = 5 * time.Second

func (s *Server) gate(r *http.Request) {
	s.mu.Lock()
	release := s.release
	if len(s.sizes) == 0 {
		s.mu.Unlock()
		return
	}
	if s.waiting++; s.waiting == s.sizes[0] {
		close(release)
		s.sizes, s.waiting, s.release = s.sizes[1:], 0, make(chan struct{})
	}
	s.mu.Unlock()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-release:
	case <-r.Context().Done():
	case <-t.C:
		s.mu.Lock()
		s.stats.Short = true
		s.mu.Unlock()
	}
}

// Take returns what was counted since the last call.
func (s *Server) Take() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.stats
	s.stats = Stats{}
	return out
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/"+ledger.Root+"/")
	s.mu.Lock()
	if s.open == 0 {
		s.stats.Waves++
	}
	s.open++
	s.stats.Most = max(s.stats.Most, s.open)
	s.stats.Requests++
	s.stats.Paths = append(s.stats.Paths, r.URL.RequestURI())
	handle := s.handle
	s.mu.Unlock()
	if s.Latency > 0 {
		time.Sleep(s.Latency)
	}
	s.gate(r)
	// Before the answer: the client may ask again as soon as it has it.
	s.mu.Lock()
	s.open--
	data, found := s.files[path]
	s.mu.Unlock()
	if handle != nil && handle(w, r, path) {
		return
	}
	tag := `"` + spec.DigestOf(data).Short() + `"`
	status, body := http.StatusOK, data
	switch {
	case !ok || !found:
		status, body = http.StatusNotFound, nil
	case r.Header.Get("If-None-Match") == tag:
		status, body = http.StatusNotModified, nil
	}
	s.mu.Lock()
	s.stats.Bytes += int64(len(body))
	if status == http.StatusNotFound {
		s.stats.Absent++
	}
	if status == http.StatusNotModified {
		s.stats.NotModified++
	}
	s.mu.Unlock()
	if status != http.StatusNotFound {
		w.Header().Set("ETag", tag)
	}
	if status == http.StatusOK {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
