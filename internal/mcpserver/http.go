package mcpserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// loopback takes the address of an HTTP server: that of this machine alone, as
// numbers or as "localhost", with a port; port 0 takes a free one. Any other is
// Denied: whoever can reach it could run the user's tools as soon as the token is
// known, and the token would go there in the clear.
func loopback(listen string) (netip.AddrPort, error) {
	if port, ok := strings.CutPrefix(listen, "localhost:"); ok {
		listen = "127.0.0.1:" + port
	}
	a, err := netip.ParseAddrPort(listen)
	if err != nil {
		return a, fault.New(fault.Usage, "address", "%s is no address and port", spec.Quote(listen)).Hint("127.0.0.1:8765")
	}
	if a = netip.AddrPortFrom(a.Addr().Unmap(), a.Port()); !a.Addr().IsLoopback() {
		return a, fault.New(fault.Denied, "not_loopback", "%s is not an address of this machine alone", a.Addr()).Hint("127.0.0.1:%d", a.Port())
	}
	return a, nil
}

// serveHTTP answers whoever holds the user's token, on a loopback address, until
// ctx ends.
func (s *server) serveHTTP(ctx context.Context, addr netip.AddrPort, ready func(url, tokenFile string)) error {
	file := s.client.Host.Paths.Token()
	token, err := durable.Key(file)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr.String())
	if err != nil {
		return fault.New(fault.Unavailable, "listen", "listen on %s: %w", addr, err).Hint("another port, or 0 for a free one")
	}
	host := l.Addr().String()
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	web := &http.Server{
		Handler:           s.guarded(host, hex.EncodeToString(token)),
		BaseContext:       func(net.Listener) context.Context { return serving },
		ReadHeaderTimeout: limits.MCPHeaders,
		ReadTimeout:       limits.HTTPTimeout, // of a request, not of its answer, which may be a stream
		IdleTimeout:       limits.MCPIdle,
		MaxHeaderBytes:    limits.HTTPHeader,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	ready("http://"+host+"/", file)
	select {
	case err = <-ended:
		return fault.New(fault.Unavailable, "listen", "serve on %s: %w", host, err)
	case <-ctx.Done():
	}
	stop() // streams that wait for changes
	graceful, enough := context.WithTimeout(context.WithoutCancel(ctx), limits.MCPDrain)
	defer enough()
	if err := web.Shutdown(graceful); err != nil {
		_ = web.Close() // somebody does not read what was asked for
	}
	return nil
}

// guarded lets through what a host that was given the token would send, and
// nothing that a web page can make a browser send.
func (s *server) guarded(host, token string) http.Handler {
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: limits.Frame, PropagateRequestCancellation: true, Logger: s.log,
	})
	want := sha256.Sum256([]byte(token))
	busy := make(chan struct{}, limits.MCPCalls)
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given)) // of one length, whatever was given
		switch {
		case !ours(r.Host, host):
			http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
		case r.Header["Origin"] != nil && !ours(strings.TrimPrefix(r.Header.Get("Origin"), "http://"), host):
			http.Error(w, "no pages of other origins", http.StatusForbidden)
		case subtle.ConstantTimeCompare(got[:], want[:]) != 1 || !ok:
			w.Header().Set("WWW-Authenticate", `Bearer realm="patch-git"`)
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		case r.URL.Path != "/" && r.URL.Path != "/mcp":
			http.NotFound(w, r)
		default:
			select {
			case busy <- struct{}{}:
				defer func() { <-busy }()
				strict(sdk, w, r)
			default:
				w.Header().Set("Retry-After", "1")
				http.Error(w, "too many requests at a time", http.StatusServiceUnavailable)
			}
		}
	}))
}

// ours tells whether a host and port are names of the address that is listened
// on. A page that had its name resolve to this machine sends another.
func ours(name, host string) bool {
	_, port, _ := net.SplitHostPort(host)
	return name == host || name == "localhost:"+port
}

// strict holds the body of a request against the same rules as a line of stdio.
func strict(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limits.Frame))
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			refuseHTTP(w, http.StatusRequestEntityTooLarge, tooLong(body[:min(len(body), limits.FrameHead)]))
			return
		}
		if err != nil {
			http.Error(w, "the body could not be read", http.StatusBadRequest)
			return
		}
		if _, refusal := parse(body); refusal != nil {
			refuseHTTP(w, http.StatusBadRequest, refusal)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	next.ServeHTTP(w, r)
}

func refuseHTTP(w http.ResponseWriter, status int, r *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(r.line())
}
