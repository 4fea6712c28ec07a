package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// site serves a published tree as a static host does: over HTTP, with an ETag
// for each file, 304 where nothing changed, 404 where nothing is. It can be
// told to misbehave, and remembers what it was asked.
type site struct {
	dir string
	srv *httptest.Server

	mu    sync.Mutex
	trick string // "", or what attacker said of it
	at    string // the end of the path that the trick is about
	asked []string
}

// serve [-var NAME] DIR serves the folder and sets $URL (or the variable) to
// its address. serve -log FILE writes what was asked since the last time,
// "path status" a line. serve -stop takes the server away.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	name := "URL"
	if len(args) == 3 && args[0] == "-var" {
		name, args = args[1], args[2:]
	}
	switch {
	case neg:
		ts.Fatalf("unsupported: ! serve")
	case len(args) == 2 && args[0] == "-log":
		s := served(ts)
		s.mu.Lock()
		defer s.mu.Unlock()
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(s.asked, "")), 0o644))
		s.asked = nil
	case len(args) == 1 && args[0] == "-stop":
		served(ts).srv.Close()
	case len(args) == 1:
		s := &site{dir: ts.MkAbs(args[0])}
		s.srv = httptest.NewServer(s)
		ts.Defer(s.srv.Close)
		ts.Setenv(name, s.srv.URL)
		sites.Store(s.srv.URL, s)
	default:
		ts.Fatalf("usage: serve [-var name] dir | serve -log file | serve -stop")
	}
}

var sites sync.Map // URL -> *site

// served is the server of the transcript's $URL.
func served(ts *testscript.TestScript) *site {
	s, ok := sites.Load(ts.Getenv("URL"))
	if !ok {
		ts.Fatalf("nothing is served")
	}
	return s.(*site)
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	trick := s.trick
	if !strings.HasSuffix(r.URL.Path, s.at) {
		trick = ""
	}
	s.mu.Unlock()
	status := s.answer(w, r, trick)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, fmt.Sprintf("%s %d\n", r.URL.Path, status))
}

func (s *site) answer(w http.ResponseWriter, r *http.Request, trick string) int {
	data, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(path.Clean("/"+r.URL.Path))))
	if err != nil || trick == "absent" {
		http.NotFound(w, r)
		return http.StatusNotFound
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(data))
	w.Header().Set("ETag", tag)
	switch trick {
	case "": // honest
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return http.StatusNotModified
		}
	case "status":
		w.WriteHeader(http.StatusServiceUnavailable)
		return http.StatusServiceUnavailable
	case "truncate": // the connection breaks in the middle
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		data = data[:len(data)/2]
	case "lie-short": // says less than there is; HTTP cuts it
		data = data[:len(data)-1]
	case "lie-huge": // says a terabyte and begins
		w.Header().Set("Content-Length", fmt.Sprint(int64(1)<<40))
	case "endless": // says nothing and never ends
		chunk := make([]byte, 1<<16)
		for range 4096 {
			if _, err := w.Write(chunk); err != nil {
				break
			}
		}
		return http.StatusOK
	case "redirect-away": // to a place of the attacker's on the plain network
		http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		return http.StatusFound
	case "encoding":
		w.Header().Set("Content-Encoding", "br")
	}
	_, _ = w.Write(data)
	return http.StatusOK
}
