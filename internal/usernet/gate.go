package usernet

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/patch-cat/patch-git/internal/limits"
)

// gate says which destinations a tool may reach.
type gate struct {
	ranges     *ranges
	exceptions []Exception
	// lookup asks this machine who a name is.
	lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// own are this machine's addresses, and local asks its kernel whether one
	// more is: an address can lead to this machine and be on no interface.
	own   func() ([]netip.Addr, error)
	local func(netip.Addr) bool

	mu    sync.Mutex
	known map[string][]netip.Addr // what the names of exceptions have stood for during the run
}

func newGate(exceptions []Exception) *gate {
	resolver := &net.Resolver{PreferGo: true}
	return &gate{
		ranges: newRanges(), exceptions: exceptions, own: ownAddresses, local: isLocal, known: map[string][]netip.Addr{},
		lookup: func(ctx context.Context, name string) ([]netip.Addr, error) {
			ctx, cancel := context.WithTimeout(ctx, limits.NetLookup)
			defer cancel()
			return resolver.LookupNetIP(ctx, "ip", name)
		},
	}
}

// open tells whether a destination needs no exception: it is on the internet
// and not this machine. An answer that could not be had is a no.
func (g *gate) open(a netip.Addr) bool {
	if !g.ranges.public(a) {
		return false
	}
	own, err := g.own()
	if err != nil {
		return false
	}
	for _, a := range append(embedded(a), a) {
		if slices.Contains(own, a) || g.local(a) {
			return false
		}
	}
	return true
}

// named tells whether an exception names the address itself.
func (g *gate) named(to netip.AddrPort) bool {
	return slices.ContainsFunc(g.exceptions, func(e Exception) bool {
		return e.name == "" && e.addr == to.Addr().Unmap() && (e.port == 0 || e.port == to.Port())
	})
}

// asks tells whether it takes a look at names to decide about a destination.
func (g *gate) asks(to netip.AddrPort) bool {
	return !metadata(to.Addr()) && slices.ContainsFunc(g.exceptions, func(e Exception) bool {
		return e.name != "" && (e.port == 0 || e.port == to.Port())
	})
}

// admits decides about a destination, and may ask for names meanwhile.
func (g *gate) admits(ctx context.Context, to netip.AddrPort) bool {
	if g.named(to) || g.open(to.Addr()) {
		return true
	}
	if !g.asks(to) {
		return false
	}
	for _, e := range g.exceptions {
		if e.name == "" || e.port != 0 && e.port != to.Port() {
			continue
		}
		if slices.Contains(g.knows(e.name), to.Addr()) {
			return true
		}
		list, err := g.find(ctx, e.name)
		if err == nil && slices.Contains(list, to.Addr()) {
			return true
		}
	}
	return false
}

// excepts tells whether a name is one of the exceptions'.
func (g *gate) excepts(name string) bool {
	return slices.ContainsFunc(g.exceptions, func(e Exception) bool { return e.name != "" && e.name == name })
}

// find asks who a name is and remembers it for the run: a name that stands for
// many addresses in turn must not be refused for the one that the tool got.
func (g *gate) find(ctx context.Context, name string) ([]netip.Addr, error) {
	list, err := g.lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, a := range list {
		list[i] = a.Unmap().WithZone("")
		if !slices.Contains(g.known[name], list[i]) && len(g.known[name]) < limits.NetNames {
			g.known[name] = append(g.known[name], list[i])
		}
	}
	return list, nil
}

func (g *gate) knows(name string) []netip.Addr {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.known[name])
}

// ownAddresses are those of all interfaces of this machine, now.
func ownAddresses() ([]netip.Addr, error) {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var own []netip.Addr
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok {
				own = append(own, ip.Unmap())
			}
		}
	}
	return own, nil
}

// isLocal asks the kernel which address it would speak from to reach another:
// for an address of its own it is that one. Nothing is sent.
func isLocal(a netip.Addr) bool {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(a, 9)))
	if err != nil {
		return false // nothing can be sent there
	}
	defer func() { _ = c.Close() }()
	from, ok := c.LocalAddr().(*net.UDPAddr)
	return !ok || from.AddrPort().Addr().Unmap() == a.Unmap()
}
