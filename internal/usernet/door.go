package usernet

import (
	"context"
	"net/netip"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// door is an address of the sandbox's loopback and what is behind it on this
// machine's. An address that a name stands for leads to the name's other
// addresses too: the tool finds an open door where, without us, it would have
// been refused and gone on to the next.
type door struct {
	at      netip.AddrPort
	targets []netip.AddrPort
}

// maxDoors is what the sandbox makes for one run.
const maxDoors = 64

// doors are those of all exceptions.
func (g *gate) doors(ctx context.Context) ([]door, error) {
	var doors []door
	for _, e := range g.exceptions {
		list := []netip.Addr{e.addr}
		if e.name != "" {
			list, _ = g.find(ctx, e.name) // who is nobody now may be somebody later
		}
		list = slices.DeleteFunc(slices.Clone(list), func(a netip.Addr) bool { return !a.IsLoopback() })
		if len(list) > 0 && e.port == 0 {
			return nil, fault.New(fault.Usage, "allow_net", "--allow-net %s: that name is this machine's loopback, which is opened one port at a time", spec.Quote(e.name)).
				Hint("--allow-net %s:PORT", e.name)
		}
		for _, a := range list {
			d := door{at: netip.AddrPortFrom(a, e.port), targets: []netip.AddrPort{netip.AddrPortFrom(a, e.port)}}
			for _, b := range list {
				if b != a {
					d.targets = append(d.targets, netip.AddrPortFrom(b, e.port))
				}
			}
			if i := slices.IndexFunc(doors, func(o door) bool { return o.at == d.at }); i < 0 {
				doors = append(doors, d)
			} else if len(d.targets) > len(doors[i].targets) {
				doors[i] = d
			}
		}
	}
	if len(doors) > maxDoors {
		return nil, fault.New(fault.Usage, "allow_net", "--allow-net names %d places on the loopback, allowed are %d", len(doors), maxDoors)
	}
	return doors, nil
}

// Doors are the addresses that the sandbox has to listen at.
func (n *Net) Doors() []sandbox.Door {
	var list []sandbox.Door
	for _, d := range n.doors {
		list = append(list, sandbox.Door{IP: d.at.Addr().As16(), Port: d.at.Port()})
	}
	return list
}
