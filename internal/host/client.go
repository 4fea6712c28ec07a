package host

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Waits before a server has answered anything.
const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
	idleTimeout = 90 * time.Second
	headerBytes = 64 * limits.KiB
)

// newClient makes the one HTTP client of the program. It trusts the system's
// certificate authorities, takes proxies from the environment and from nowhere
// else, keeps no cookies, and follows redirects as checkRedirect allows.
//
// Its own timeout is that of the largest download; a caller that expects less
// gives its request a context with less.
func newClient() *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}
	return &http.Client{
		Timeout:       limits.Download,
		CheckRedirect: checkRedirect,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    dialTimeout,
			ResponseHeaderTimeout:  limits.HTTPTimeout,
			ExpectContinueTimeout:  time.Second,
			IdleConnTimeout:        idleTimeout,
			MaxIdleConnsPerHost:    limits.HTTPParallel,
			MaxResponseHeaderBytes: headerBytes,
		},
	}
}

// checkRedirect stops after limits.HTTPRedirects, and never lets a server lead
// from https to http, where anybody on the way can answer in its stead.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > limits.HTTPRedirects {
		return fault.New(fault.Unavailable, "redirects", "more than %d redirects", limits.HTTPRedirects)
	}
	if last := via[len(via)-1]; last.URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fault.New(fault.NotVerified, "downgrade", "redirect from https to %s", spec.Quote(req.URL.Redacted()))
	}
	return nil
}
