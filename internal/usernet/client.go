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
	return newGate(exceptions).client(base)
}

// Client is [Client] for a run whose network this is: where it went is among the
// visits, by its name where a proxy stands between.
func (n *Net) Client(base *http.Client) *http.Client { return n.gate.client(base) }

func (g *gate) client(base *http.Client) *http.Client {
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
				t.g.visits.note("tcp", r.URL.Host, refused)
				return nil, err
			}
			res, err := t.through.RoundTrip(r)
			verdict := reached
			if err != nil {
				verdict = failed
			}
			t.g.visits.note("tcp", r.URL.Host, verdict)
			return res, err
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
	var last error
	for _, a := range list {
		to := netip.AddrPortFrom(a.Unmap(), uint16(number))
		if !g.admits(ctx, to) {
			g.visits.note("tcp", to.String(), refused)
			continue
		}
		conn, err := dialer.DialContext(ctx, network, to.String())
		if err == nil {
			g.visits.note("tcp", to.String(), reached)
			return conn, nil
		}
		g.visits.note("tcp", to.String(), failed)
		last = err
	}
	if last != nil {
		return nil, last
	}
	return nil, closed(address)
}

// spelled refuses an address that says itself that it is none of the internet's.
func (g *gate) spelled(ctx context.Context, u *url.URL) error {
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
	if !g.admits(ctx, netip.AddrPortFrom(a.Unmap(), portOf(u))) {
		return closed(u.Host)
	}
	return nil
}

// Reaches tells whether a tool may reach the server of an address, for programs that
// ask it themselves. All that its name stands for now has to be open: what it stands
// for when the program asks, nobody holds it to. Through a proxy only what the address
// itself says can be looked at.
func Reaches(ctx context.Context, base *http.Client, exceptions []Exception, u *url.URL) error {
	g := newGate(exceptions)
	if t, ok := base.Transport.(*http.Transport); ok && t.Proxy != nil {
		if by, err := t.Proxy(&http.Request{URL: u}); err == nil && by != nil {
			return g.spelled(ctx, u)
		}
	}
	if err := g.spelled(ctx, u); err != nil {
		return err
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return nil
	}
	lookup, cancel := context.WithTimeout(ctx, limits.NetLookup)
	defer cancel()
	list, err := g.lookup(lookup, u.Hostname())
	if err != nil {
		return fault.New(fault.Unavailable, "no_such_host", "the name %s cannot be found", spec.Quote(u.Hostname()))
	}
	for _, a := range list {
		if !g.admits(ctx, netip.AddrPortFrom(a.Unmap(), portOf(u))) {
			return closed(u.Host)
		}
	}
	return nil
}

// portOf is the port that an address means.
func portOf(u *url.URL) uint16 {
	if p, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return uint16(p)
	}
	if u.Scheme == "http" {
		return 80
	}
	return 443
}
