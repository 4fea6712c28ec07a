// Command slow serves a folder over HTTP on loopback with added latency each
// way, as a far-away static host would, and prints when it is stopped how many
// requests and bytes it answered and in how many waves they came: requests that
// were under way at the same time are one round trip.
//
//	go run ./docs/bench/slow -dir registry/published -latency 50ms -listen 127.0.0.1:8037
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"
)

type counter struct {
	mu                     sync.Mutex
	flying, waves, answers int
	bytes                  int64
}

func (c *counter) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flying == 0 {
		c.waves++
	}
	c.flying++
	c.answers++
}

func (c *counter) end(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying--
	c.bytes += n
}

type counted struct {
	http.ResponseWriter
	n int64
}

func (w *counted) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.n += int64(n)
	return n, err
}

func main() {
	dir := flag.String("dir", ".", "the folder that has v1/")
	latency := flag.Duration("latency", 50*time.Millisecond, "added before and after each answer")
	listen := flag.String("listen", "127.0.0.1:8037", "loopback address")
	flag.Parse()
	c := &counter{}
	files := http.FileServer(http.Dir(*dir))
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.begin()
		time.Sleep(*latency)
		out := &counted{ResponseWriter: w}
		files.ServeHTTP(out, r)
		c.end(out.n)
		time.Sleep(*latency)
	})}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *listen)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		<-ctx.Done()
		_ = server.Shutdown(context.Background())
	}()
	_ = server.Serve(l)
	stop()
	fmt.Fprintf(os.Stdout, "%d requests in %d round trips, %d bytes\n", c.answers, c.waves, c.bytes)
}
