package usernet

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ReasonAddress refuses an address that a tool's network does not lead to.
const ReasonAddress = "address_refused"

// DialContext opens a connection of this process as the network of a tool would: what
// is called in a tool's name goes nowhere that the tool itself could not. A name is
// asked for once, and the connection goes to an address that was judged, not to the
// name. What became of it is one of the visits.
//
// The error is a *fault.Error: Denied with [ReasonAddress] where no address of the host
// may be reached, Unavailable where none answers.
func (n *Net) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil, fault.New(fault.Internal, "network", "only TCP is dialled, not %s", spec.Quote(network))
	}
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fault.New(fault.Usage, "address", "%s is no address", spec.Quote(address))
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return nil, fault.New(fault.Usage, "address", "%s has no port", spec.Quote(address))
	}
	list, err := n.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	refusedAll, last := true, error(nil)
	dialer := net.Dialer{Timeout: limits.NetConnect}
	for _, a := range list {
		to := netip.AddrPortFrom(a, uint16(port))
		if !n.gate.admits(ctx, to) {
			n.gate.visits.note("tcp", to.String(), refused)
			continue
		}
		refusedAll = false
		c, err := dialer.DialContext(ctx, "tcp", to.String())
		if err == nil {
			n.gate.visits.note("tcp", to.String(), reached)
			return c, nil
		}
		n.gate.visits.note("tcp", to.String(), failed)
		last = err
	}
	if refusedAll {
		return nil, fault.New(fault.Denied, ReasonAddress, "%s is not on the internet, and a tool reaches nothing else", spec.Quote(address)).
			Hint("--allow-net %s lets this run reach it", address)
	}
	return nil, fault.New(fault.Unavailable, "unreachable", "%s cannot be reached: %w", spec.Quote(address), last)
}

// addresses are those of a host, without zones and never mapped.
func (n *Net) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	// What is no name of a host is some other spelling of an address: "127.1", "0x7f.1".
	if !hostName(strings.ToLower(strings.TrimSuffix(host, "."))) {
		return nil, fault.New(fault.Denied, ReasonAddress, "%s is neither a name nor an address", spec.Quote(host))
	}
	list, err := n.gate.lookup(ctx, host)
	if err != nil || len(list) == 0 {
		n.gate.visits.note("dns", host, failed)
		return nil, fault.New(fault.Unavailable, "no_such_host", "the name %s cannot be found: %w", spec.Quote(host), cmp.Or(err, errors.New("it has no address")))
	}
	for i, a := range list {
		list[i] = a.Unmap().WithZone("")
	}
	return list[:min(len(list), limits.NetNames)], nil
}

// Named tells whether an exception names this host and port by the very words: a
// person said it, and no name server.
func (n *Net) Named(host string, port uint16) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, e := range n.gate.exceptions {
		if (e.name != "" && e.name == host || e.addr.IsValid() && e.addr.String() == host) && (e.port == 0 || e.port == port) {
			return true
		}
	}
	return false
}
