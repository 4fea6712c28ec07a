package pyenv

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// The address of a wheel comes from a registry, so it must not make this
// machine knock at doors that only this machine reaches: its own services, its
// local network, the metadata of its cloud. What is asked there would not come
// back to the registry, but asking alone can do harm. So an address inside is
// asked only where the person named its host.

// WheelHosts names the environment variable with the hosts (host or host:port,
// separated by commas) that wheels may come from though they are inside. The
// package index that the environment configures is one of them.
const WheelHosts = "PATCH_GIT_WHEEL_HOSTS"

// knownHosts lists, as host:port, what the person named.
func knownHosts(getenv func(string) string) []string {
	var out []string
	for host := range strings.SplitSeq(getenv(WheelHosts), ",") {
		if host = strings.TrimSpace(host); host != "" {
			out = append(out, authority(&url.URL{Scheme: "https", Host: host}))
		}
	}
	for _, name := range []string{"UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"} {
		if u, err := url.Parse(getenv(name)); err == nil && u.Host != "" {
			out = append(out, authority(u))
		}
	}
	return out
}

// authority is the host and port of an address, in one spelling.
func authority(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), or(port, "443"))
}

// newClient is calm, and asks nobody inside but the known hosts.
func newClient(from *http.Client, known []string) *http.Client {
	c := calm(from)
	plain, _ := from.Transport.(*http.Transport)
	if from.Transport == nil {
		plain, _ = http.DefaultTransport.(*http.Transport)
	}
	if plain == nil {
		plain = &http.Transport{} // what it would do cannot be looked into
	}
	outside := plain.Clone()
	dialer := &net.Dialer{Timeout: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		// After the name was looked up: a name that means another address from
		// one moment to the next is no way in.
		if at, err := netip.ParseAddrPort(address); err != nil || inside(at.Addr()) {
			return addressError(address)
		}
		return nil
	}}
	outside.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, address)
	}
	c.Transport = &doorman{plain: plain, outside: outside, known: known}
	return c
}

// doorman sees every request, also those after a redirect.
type doorman struct {
	plain, outside *http.Transport
	known          []string
}

func (d *doorman) RoundTrip(r *http.Request) (*http.Response, error) {
	host := strings.TrimSuffix(strings.ToLower(r.URL.Hostname()), ".")
	ip, err := netip.ParseAddr(host)
	switch {
	case slices.Contains(d.known, authority(r.URL)):
		return d.plain.RoundTrip(r)
	case err == nil && inside(ip), host == "localhost", strings.HasSuffix(host, ".localhost"):
		return nil, addressError(authority(r.URL))
	}
	if d.plain.Proxy != nil {
		if proxy, err := d.plain.Proxy(r); err == nil && proxy != nil {
			return d.plain.RoundTrip(r) // the person's proxy looks names up, and decides
		}
	}
	return d.outside.RoundTrip(r)
}

// Ranges of networks inside, beyond what package netip tells (RFC 6890). Those
// for documentation and for measuring are not among them: nobody has services
// there, and proxies that stand in for every host of the internet give out their
// addresses.
var innerRanges = []string{
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "240.0.0.0/4", "64:ff9b:1::/48", "100::/64", "2001::/32", "fec0::/10",
}

// inside tells whether an address is of this machine or of a network around it.
func inside(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return true
	}
	for _, text := range innerRanges {
		if netip.MustParsePrefix(text).Contains(ip) {
			return true
		}
	}
	// IPv6 that carries an IPv4 address leads there (NAT64, 6to4).
	b := ip.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
		return inside(netip.AddrFrom4([4]byte(b[12:])))
	case netip.MustParsePrefix("2002::/16").Contains(ip):
		return inside(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return false
}

// addressError is the address of a host inside that nobody named.
type addressError string

func (e addressError) Error() string {
	return spec.Quote(string(e)) + " is not an address of the public internet"
}

// refusal explains it to the person.
func (e addressError) refusal(w ledger.Wheel) error {
	host := w.URL
	if u, err := url.Parse(w.URL); err == nil {
		host = authority(u)
	}
	return fault.New(fault.Denied, "wheel_address", "the release has %s come from %s: %w", w.File, spec.Quote(host), e).
		Hint("if that is a package index of yours: %s=%s", WheelHosts, spec.Quote(host))
}
