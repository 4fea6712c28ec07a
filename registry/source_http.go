package registry

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// httpSource reads a tree from a static web server, one attempt for each read;
// [mirrored] repeats. It sends no cookie and no token of its own, and follows
// redirects only where the connection stays as safe as it was.
type httpSource struct {
	base   *url.URL // of the v1/ folder, without a slash at its end
	client *http.Client
	cache  *cache        // nil: none
	slots  chan struct{} // limits requests at once, shared with refreshed copies
	fresh  bool          // ask past every cache on the way
}

// newHTTP returns the source at an address. The client is copied; its cookie
// jar, redirect policy and timeout are not used.
func newHTTP(base *url.URL, client *http.Client, c *cache) *httpSource {
	own := *client
	own.Jar, own.CheckRedirect, own.Timeout = nil, checkRedirect, 0
	return &httpSource{base: base, client: &own, cache: c, slots: make(chan struct{}, limits.HTTPParallel)}
}

// parseBase reads the address of a tree on a web server: https, or http on
// this machine alone, where nobody can listen in.
func parseBase(location string) (*url.URL, error) {
	u, err := url.Parse(location)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" {
		return nil, fault.New(fault.Usage, "location", "the address of a registry is not a plain URL")
	}
	if err := checkScheme(u); err != nil {
		return nil, err
	}
	u = u.JoinPath() // cleans the path
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	if !strings.HasSuffix(u.Path, "/"+ledger.Root) {
		u.Path += "/" + ledger.Root
	}
	return u, nil
}

func checkScheme(u *url.URL) error {
	switch u.Scheme {
	case "https":
		return nil
	case "http":
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
			return nil
		}
	}
	return fault.New(fault.Usage, "location", "%s is not https; plain http serves only this machine's own addresses", shown(u))
}

// checkRedirect is asked before each hop.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > limits.HTTPRedirects {
		return fault.New(fault.Unavailable, "redirects", "more than %d redirects", limits.HTTPRedirects)
	}
	if err := checkScheme(req.URL); err != nil {
		return fault.New(fault.Unavailable, "redirects", "redirect refused: %w", err)
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fault.New(fault.Unavailable, "redirects", "redirect from https to %s refused", req.URL.Scheme)
	}
	return nil
}

// shown is an address without user, password and query.
func shown(u *url.URL) string {
	c := *u
	c.User, c.RawQuery, c.Fragment = nil, "", ""
	return c.String()
}

func (s *httpSource) Location() string { return shown(s.base) }

func (s *httpSource) Refresh() Source {
	c := *s
	c.fresh = true
	return &c
}

// remembered is what the path had when it was last read; nil when unknown.
func (s *httpSource) remembered(path string, max int64) []byte {
	if s.fresh {
		return nil
	}
	_, body, _ := s.cache.get(path, max)
	return body
}

func (s *httpSource) Read(ctx context.Context, path string, max int64) ([]byte, error) {
	if err := checkRead(ctx, path); err != nil {
		return nil, err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// A body that trickles in is given time by its size, not without end.
	limit := limits.HTTPTimeout + time.Duration(max/slowestBody)*time.Second
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	data, err := s.get(inner, path, max)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return data, err
}

// slowestBody is how many bytes in a second a connection must bring.
const slowestBody = 256 * limits.KiB

func (s *httpSource) get(ctx context.Context, path string, max int64) ([]byte, error) {
	u := s.base.JoinPath(path)
	if s.fresh {
		u.RawQuery = "fresh=" + rand.Text()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fault.New(fault.Internal, "request", "get %s: the request cannot be made", shown(u))
	}
	etag, old, known := s.cache.get(path, max)
	if s.fresh {
		req.Header.Set("Cache-Control", "no-cache")
	} else if known && etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, networkFault(u, err)
	}
	defer resp.Body.Close()
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
	case code == http.StatusNotModified && req.Header.Get("If-None-Match") != "":
		return old, nil
	case code == http.StatusNotFound, code == http.StatusGone, code == http.StatusUnavailableForLegalReasons:
		return nil, absent(path)
	default:
		return nil, statusFault(u, resp)
	}
	if enc := resp.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return nil, fault.New(fault.Unavailable, "encoding", "get %s: the server sent the encoding %s, which nobody asked for", shown(u), spec.Quote(enc))
	}
	data, err := readCapped(resp.Body, make([]byte, 0, min(max, 16*limits.KiB)+1), max)
	if errors.Is(err, errTooLarge) {
		return nil, tooLarge(path, max)
	}
	if err != nil {
		return nil, networkFault(u, err)
	}
	// What is asked for once is kept where it is needed, under its own path.
	if !strings.HasPrefix(path, ledger.ObjectsDir+"/") && !strings.HasPrefix(path, ledger.SearchDir+"/") {
		if tag := resp.Header.Get("ETag"); !known || tag != etag || string(old) != string(data) {
			s.cache.put(path, tag, data)
		}
	}
	return data, nil
}

// retryable marks a failure that another attempt may not have.
type retryable struct {
	fault *fault.Error
	after time.Duration // what the server asked for; 0 when it did not
}

func (r retryable) Error() string { return r.fault.Message }

func (r retryable) Unwrap() error { return r.fault }

// networkFault hides what the address carries and the standard library repeats.
func networkFault(u *url.URL, err error) error {
	if refused, ok := errors.AsType[*fault.Error](err); ok { // of checkRedirect
		return fault.New(refused.Kind, refused.Reason, "get %s: %s", shown(u), refused.Message)
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	f := fault.New(fault.Unavailable, "network", "get %s: %s", shown(u), plain(err.Error())).
		Hint("check the network connection, or add a mirror of the registry")
	f.Err = err
	return retryable{f, 0}
}

func statusFault(u *url.URL, resp *http.Response) error {
	code := resp.StatusCode
	f := fault.New(fault.Unavailable, "http_"+strconv.Itoa(code), "get %s: the server answered %d %s", shown(u), code, http.StatusText(code))
	if code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout {
		return f
	}
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		seconds = 0
	}
	return retryable{f, time.Duration(min(seconds, 3600)) * time.Second}
}

// plain repeats an error's text where it is short ASCII and quotes it where a
// server or a certificate may have put anything into it.
func plain(s string) string {
	if len(s) > 300 {
		return spec.Quote(s)
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return spec.Quote(s)
		}
	}
	return s
}
