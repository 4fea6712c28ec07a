package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/internal/trustroot"
)

// tufSite is a TUF repository on the loopback address, as Sigstore has one.
type tufSite struct {
	repo *sigtest.TUF
	back func() // to what was kept

	mu   sync.Mutex
	down bool
}

func (s *tufSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	down := s.down
	s.mu.Unlock()
	if down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	s.repo.ServeHTTP(w, r)
}

var tufSites sync.Map // URL -> *tufSite

// tufCommand serves a TUF repository at $TUF, whose first root is tuf-root.json:
//
//	tuf instance FILE  writes the trusted root of a Sigstore of its own
//	tuf publish FILE   publishes a trusted root, beside the signing configuration
//	tuf stale FILE     the same, but it is out of date already
//	tuf keep, tuf back serves again what was served when it was kept
//	tuf forge          serves a timestamp that nobody known has signed
//	tuf cut            serves half of the newest trusted root
//	tuf down, tuf up   answers nothing but 503, or as before
func tufCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: tuf what [file]")
	}
	if args[0] == "instance" {
		instance, err := sigtest.New(sigtest.Options{})
		ts.Check(err)
		root, err := instance.TrustedRoot()
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), root, 0o644))
		return
	}
	s := tufServed(ts)
	const rootTarget = "trusted_root.json"
	targets := func() map[string][]byte {
		return map[string][]byte{rootTarget: []byte(ts.ReadFile(args[1])), "signing_config.v0.2.json": trustroot.Embedded().Config}
	}
	switch args[0] {
	case "publish":
		ts.Check(s.repo.Publish(targets()))
	case "stale":
		ts.Check(s.repo.PublishUntil(time.Now().Add(-time.Hour), targets()))
	case "keep":
		s.back = s.repo.Keep()
	case "back":
		s.back()
	case "forge":
		evil, err := sigtest.NewTUF()
		ts.Check(err)
		ts.Check(evil.Publish(nil))
		s.repo.Put(evil.Get("timestamp.json"))
	case "cut":
		path, data := s.repo.Get(rootTarget)
		s.repo.Put(path, data[:len(data)/2])
	case "down", "up":
		s.mu.Lock()
		s.down = args[0] == "down"
		s.mu.Unlock()
	default:
		ts.Fatalf("tuf: unknown %s", strings.Join(args, " "))
	}
}

// tufServed is the repository of the transcript, made on first use.
func tufServed(ts *testscript.TestScript) *tufSite {
	if s, ok := tufSites.Load(ts.Getenv("TUF")); ok {
		return s.(*tufSite)
	}
	repo, err := sigtest.NewTUF()
	ts.Check(err)
	s := &tufSite{repo: repo}
	srv := httptest.NewServer(s)
	ts.Defer(srv.Close)
	ts.Setenv("TUF", srv.URL)
	ts.Check(os.WriteFile(ts.MkAbs("tuf-root.json"), repo.Root, 0o644))
	tufSites.Store(srv.URL, s)
	return s
}
