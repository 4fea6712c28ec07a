package sitetest

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
)

// compressed are the kinds that GitHub Pages compresses; others travel as they are.
var compressed = []string{"text/", "application/json", "application/javascript", "application/xml", "application/atom+xml", "image/svg+xml"}

// Host serves a folder below a path such as /acme/tools/ as GitHub Pages does:
// a folder by its index.html, 404.html at any depth, text compressed by gzip,
// and nothing outside.
func Host(dir, below string) http.Handler {
	files := os.DirFS(dir)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, below)
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/") {
			name += "index.html"
		} else if info, err := fs.Stat(files, name); err == nil && info.IsDir() {
			http.Redirect(w, r, r.URL.Path+"/", http.StatusMovedPermanently) //nolint:gosec // to where it is, as Pages does; below starts with one slash
			return
		}
		status := http.StatusOK
		data, err := fs.ReadFile(files, name)
		if err != nil {
			name, status = "404.html", http.StatusNotFound
			if data, err = fs.ReadFile(files, name); err != nil {
				http.NotFound(w, r)
				return
			}
		}
		kind := mime.TypeByExtension(path.Ext(name))
		if kind == "" {
			kind = "application/octet-stream"
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "max-age=600")
		if worth(kind) && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			data = Gzip(data)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.WriteHeader(status)
		_, _ = w.Write(data) //nolint:gosec // the pages are what is tried; the browser may have gone
	})
}

func worth(kind string) bool {
	for _, c := range compressed {
		if strings.HasPrefix(kind, c) {
			return true
		}
	}
	return false
}

// Gzip compresses as a host does.
func Gzip(data []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(data) // to memory
	_ = z.Close()
	return out.Bytes()
}
