package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// pagesHost serves a folder below /tools as GitHub Pages serves that of a
// project: ETag and "max-age=600" on everything, gzip for who takes it (and a
// weak tag then), a folder's index, a redirect to a folder without its slash,
// the folder's own 404.html with the status 404, and edges that hold files of
// different ages: about half of them are still those of another folder, for who
// does not ask with a query of their own.
type pagesHost struct {
	dir, stale string

	mu    sync.Mutex
	asked []string
}

// pages [-var NAME] [-stale OLD] DIR serves the folder and sets $URL (or the
// variable) to its address; OLD is what some edges still have. pages -log FILE
// writes what was asked since the last time: path, status, encoding, and
// "secret" where something was sent that tells who asks.
func pages(ts *testscript.TestScript, neg bool, args []string) {
	name, stale := "URL", ""
	for len(args) > 2 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-var":
			name = args[1]
		case "-stale":
			stale = ts.MkAbs(args[1])
		}
		args = args[2:]
	}
	switch {
	case neg:
		ts.Fatalf("unsupported: ! pages")
	case len(args) == 2 && args[0] == "-log":
		host, ok := pagesHosts.Load(ts.Getenv("URL"))
		if !ok {
			ts.Fatalf("nothing is served")
		}
		h := host.(*pagesHost)
		h.mu.Lock()
		defer h.mu.Unlock()
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(h.asked, "")), 0o644))
		h.asked = nil
	case len(args) == 1:
		h := &pagesHost{dir: ts.MkAbs(args[0]), stale: stale}
		srv := httptest.NewServer(h)
		ts.Defer(srv.Close)
		ts.Setenv(name, srv.URL+"/tools")
		pagesHosts.Store(srv.URL+"/tools", h)
	default:
		ts.Fatalf("usage: pages [-var name] [-stale old] dir | pages -log file")
	}
}

var pagesHosts sync.Map // address -> *pagesHost

func (h *pagesHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, encoding := h.answer(w, r)
	line := fmt.Sprintf("%s %d %s", r.URL.Path, status, encoding)
	for _, secret := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
		if r.Header.Get(secret) != "" {
			line += " secret"
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, line+"\n")
}

func (h *pagesHost) answer(w http.ResponseWriter, r *http.Request) (int, string) {
	w.Header().Set("Cache-Control", "max-age=600")
	w.Header().Set("Server", "GitHub.com")
	w.Header().Set("Vary", "Accept-Encoding")
	rel, inside := strings.CutPrefix(path.Clean("/"+r.URL.Path), "/tools")
	file := filepath.Join(h.dir, filepath.FromSlash(rel))
	info, err := os.Stat(file)
	status := http.StatusOK
	switch {
	case !inside || err != nil:
		status, file = http.StatusNotFound, filepath.Join(h.dir, "404.html")
	case info.IsDir() && !strings.HasSuffix(r.URL.Path, "/"):
		http.Redirect(w, r, r.URL.Path+"/", http.StatusMovedPermanently)
		return http.StatusMovedPermanently, "-"
	case info.IsDir():
		file = filepath.Join(file, "index.html")
	}
	if old := filepath.Join(h.stale, filepath.FromSlash(rel)); h.stale != "" && r.URL.RawQuery == "" && isOld(rel) {
		// An edge that saw the old file, or saw that there was none.
		if info, err := os.Stat(old); err == nil && info.Mode().IsRegular() {
			status, file = http.StatusOK, old
		} else {
			status, file = http.StatusNotFound, filepath.Join(h.stale, "404.html")
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		status, data = http.StatusNotFound, []byte("<!doctype html><title>404</title>")
	}
	kind := "application/octet-stream"
	switch path.Ext(file) {
	case ".html":
		kind = "text/html; charset=utf-8"
	case ".json":
		kind = "application/json; charset=utf-8"
	case ".css":
		kind = "text/css; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	tag, encoding := fmt.Sprintf(`"%x"`, sha256.Sum256(data)), "-"
	if kind != "application/octet-stream" && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(data)
		_ = z.Close()
		data, tag, encoding = b.Bytes(), "W/"+tag, "gzip"
		w.Header().Set("Content-Encoding", "gzip")
	}
	if status == http.StatusOK {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.Header().Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return http.StatusNotModified, "-"
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(data)
	return status, encoding
}

// isOld chooses the files that an edge holds from before.
func isOld(path string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(path))
	return h.Sum32()%2 == 0
}
