package usernet

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Client is an HTTP client for addresses that a stranger named, held to what a tool
// may reach: the internet and the exceptions. It is base in all else, with its proxy:
// of what goes through one only what the address itself says can be looked at, for
// names are then the proxy's to look up. It keeps no cookies.
//
// A destination that is refused is an error of kind Denied and reason "address".
func Client(base *http.Client, exceptions []Exception) *http.Client {
	g := newGate(exceptions)
	c := *base
	c.Jar = nil
	t, ok := base.Transport.(*http.Transport)
	if !ok {
		t, _ = http.DefaultTransport.(*http.Transport)
	}
	direct := t.Clone()
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	direct.Proxy = nil
	direct.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return g.dial(ctx, dialer, network, address)
	}
	direct.DialTLSContext = nil
	c.Transport = &guarded{g: g, proxy: t.Proxy, direct: direct, through: t}
	return &c
}

// guarded sends requests directly where there is no proxy for them.
type guarded struct {
	g               *gate
	proxy           func(*http.Request) (*url.URL, error)
	direct, through http.RoundTripper
}

func (t *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.proxy != nil {
		by, err := t.proxy(r)
		if err != nil {
			return nil, err
		}
		if by != nil {
			if err := t.g.spelled(r.Context(), r.URL); err != nil {
				return nil, err
			}
			return t.through.RoundTrip(r)
		}
	}
	return t.direct.RoundTrip(r)
}

// CloseIdleConnections lets go of what waits for another request.
func (t *guarded) CloseIdleConnections() {
	for _, r := range []http.RoundTripper{t.direct, t.through} {
		if c, ok := r.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
	}
}

func closed(address string) error {
	return fault.New(fault.Denied, "address", "%s is this machine, its network, or nobody's on the internet", spec.Quote(address)).
		Hint("--allow-net %s lets the tool reach it", address)
}

// dial connects to the first address of a name that may be reached. What is asked
// about is what is connected to: nobody looks the name up in between.
func (g *gate) dial(ctx context.Context, dialer *net.Dialer, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	var list []netip.Addr
	if a, err := netip.ParseAddr(host); err == nil {
		list = []netip.Addr{a}
	} else {
		lookup, cancel := context.WithTimeout(ctx, limits.NetLookup)
		defer cancel()
		if list, err = g.lookup(lookup, host); err != nil {
			return nil, err
		}
	}
	var failed error
	for _, a := range list {
		to := netip.AddrPortFrom(a.Unmap(), uint16(number))
		if !g.admits(ctx, to) {
			continue
		}
		conn, err := dialer.DialContext(ctx, network, to.String())
		if err == nil {
			return conn, nil
		}
		failed = err
	}
	if failed != nil {
		return nil, failed
	}
	return nil, closed(address)
}

// spelled refuses an address that says itself that it is none of the internet's.
func (g *gate) spelled(ctx context.Context, u *url.URL) error {
	port := uint64(443)
	if u.Scheme == "http" {
		port = 80
	}
	if p := u.Port(); p != "" {
		port, _ = strconv.ParseUint(p, 10, 16)
	}
	host := u.Hostname()
	a, err := netip.ParseAddr(host)
	if err != nil {
		if !hostName(host) {
			return closed(u.Host)
		}
		if host != "localhost" {
			return nil
		}
		a = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	if !g.admits(ctx, netip.AddrPortFrom(a.Unmap(), uint16(port))) {
		return closed(u.Host)
	}
	return nil
}
