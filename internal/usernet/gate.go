package usernet

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
)

// gate says which destinations a tool may reach.
type gate struct {
	ranges     *ranges
	exceptions []Exception
	// lookup asks this machine who a name is.
	lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// own are this machine's addresses, with the networks that they are in, and
	// local asks its kernel whether one more is: an address can lead to this
	// machine and be on no interface.
	own   func() ([]netip.Prefix, error)
	local func(netip.Addr) bool

	mu    sync.Mutex
	known map[string]*known // by the names of exceptions

	visits visits
}

// known is what a name has stood for during the run.
type known struct {
	asking sync.Mutex
	fresh  atomic.Bool // it was asked for a moment ago
	list   []netip.Addr
}

func newGate(exceptions []Exception) *gate {
	resolver := &net.Resolver{PreferGo: true}
	return &gate{
		ranges: newRanges(), exceptions: exceptions, own: ownNetworks, local: isLocal, known: map[string]*known{},
		lookup: func(ctx context.Context, name string) ([]netip.Addr, error) {
			ctx, cancel := context.WithTimeout(ctx, limits.NetLookup)
			defer cancel()
			return resolver.LookupNetIP(ctx, "ip", name)
		},
	}
}

// open tells whether a destination needs no exception: it is on the internet,
// not this machine, and not in a network that this machine is in. An answer that
// could not be had is a no.
func (g *gate) open(a netip.Addr) bool {
	if !g.ranges.public(a) {
		return false
	}
	own, err := g.own()
	if err != nil {
		return false
	}
	for _, a := range append(embedded(a), a) {
		if g.local(a) || slices.ContainsFunc(own, func(p netip.Prefix) bool { return p.Contains(a) }) {
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
		k := g.about(e.name)
		if g.knows(k, to.Addr()) {
			return true
		}
		// A tool can try a hundred thousand addresses; the name servers hear
		// of it once in a while.
		k.asking.Lock()
		if !k.fresh.Swap(true) {
			_, _ = g.find(ctx, e.name) // one that is not found stands for nothing
			time.AfterFunc(limits.NetFresh, func() { k.fresh.Store(false) })
		}
		k.asking.Unlock()
		if g.knows(k, to.Addr()) {
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
	k := g.about(name)
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, a := range list {
		list[i] = a.Unmap().WithZone("")
		if !slices.Contains(k.list, list[i]) && len(k.list) < limits.NetNames {
			k.list = append(k.list, list[i])
		}
	}
	return list, nil
}

func (g *gate) about(name string) *known {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known[name] == nil {
		g.known[name] = &known{}
	}
	return g.known[name]
}

func (g *gate) knows(k *known, a netip.Addr) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Contains(k.list, a)
}

// ownNetworks are those of all interfaces of this machine, now.
func ownNetworks() ([]netip.Prefix, error) {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var own []netip.Prefix
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok {
			ip, _ := netip.AddrFromSlice(n.IP)
			ip = ip.Unmap()
			bits, _ := n.Mask.Size()
			own = append(own, netip.PrefixFrom(ip, bits), netip.PrefixFrom(ip, ip.BitLen()))
		}
	}
	return own, nil
}

// isLocal asks the kernel which address it would speak from to reach another:
// for an address of its own it is that one. Nothing is sent.
func isLocal(a netip.Addr) bool {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(a, 9)))
	if err != nil {
		return true // no way there, or none to tell: nothing is lost by a no
	}
	defer func() { _ = c.Close() }()
	from, ok := c.LocalAddr().(*net.UDPAddr)
	return !ok || from.AddrPort().Addr().Unmap() == a.Unmap()
}
