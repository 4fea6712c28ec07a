package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

// coldPull adds the registry at its pages and pulls one tool, as somebody does
// who has nothing yet, and counts what the server is asked and sends.
func coldPull(ctx context.Context, r *reg, site string) error {
	var requests, sent atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		requests.Add(1)
		data, err := os.ReadFile(filepath.Join(site, filepath.FromSlash(path.Clean("/"+q.URL.Path))))
		if err != nil {
			w.WriteHeader(http.StatusNotFound)
			data = []byte("<!doctype html><title>404</title>")
		}
		w.Header().Set("Cache-Control", "max-age=600")
		counted := countingWriter{w, &sent}
		if kind := path.Ext(q.URL.Path); (kind == ".json" || kind == ".html" || kind == ".css") && strings.Contains(q.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(counted)
			_, _ = z.Write(data)
			_ = z.Close()
			return
		}
		_, _ = counted.Write(data)
	}))
	defer srv.Close()
	h := newHost(filepath.Join(r.root, "stranger"))
	client, err := consume.New(h)
	if err != nil {
		return err
	}
	step := func(what string, do func() error) error {
		requests.Store(0)
		sent.Store(0)
		start := time.Now()
		if err := do(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stdout, "%-9s %-7s %6.2fs  %d requests, %.1f KiB of bodies as sent\n", r.size, what, time.Since(start).Seconds(), requests.Load(), float64(sent.Load())/1024)
		return nil
	}
	if err := step("add", func() error { _, err := client.AddRegistry(ctx, srv.URL, consume.AddOptions{}); return err }); err != nil {
		return err
	}
	// Another program: nothing is remembered but what is on disk.
	if client, err = consume.New(h); err != nil {
		return err
	}
	ref := spec.Ref{Name: spec.Name(r.names[len(r.names)/2]), Version: "1.0.0"}
	if err := step("pull", func() error { _, err := client.Pull(ctx, ref, consume.PullOptions{}); return err }); err != nil {
		return err
	}
	return nil
}

type countingWriter struct {
	to io.Writer
	n  *atomic.Int64
}

func (w countingWriter) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.n.Add(int64(n))
	return n, err
}
