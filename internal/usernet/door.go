package usernet

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"

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

// accept carries the connections that come to a door.
func (s *server) accept(d door, l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		tool := outer{c.(*net.TCPConn)}
		if !s.take() {
			tool.abort()
			continue
		}
		s.all.Go(func() {
			defer s.give()
			for _, to := range d.targets {
				if out, err := s.dial("tcp", to); err == nil {
					s.splice(tool, outer{out.(*net.TCPConn)})
					return
				}
			}
			tool.abort()
		})
	}
}

// answer carries the datagrams that come to a door, one conversation for each
// port that they come from.
func (s *server) answer(d door, p net.PacketConn) {
	var mu sync.Mutex
	known := map[string]*visitor{}
	b := make([]byte, maxDatagram)
	for {
		n, from, err := p.ReadFrom(b)
		if err != nil {
			return
		}
		mu.Lock()
		v := known[from.String()]
		mu.Unlock()
		if v == nil {
			out, err := s.dial("udp", d.targets[0])
			if err != nil {
				continue
			}
			v = &visitor{out, &talk{end: func() { _ = out.Close() }, hush: func() {}}}
			mu.Lock()
			known[from.String()] = v
			mu.Unlock()
			s.talks.begin(v.talk)
			s.all.Go(func() {
				defer s.talks.over(v.talk)
				defer v.talk.end()
				s.attend(v.talk, func() { relay(back{p, from}, out, &v.talk.moved) })
				mu.Lock()
				delete(known, from.String())
				mu.Unlock()
			})
		}
		v.talk.moved.Add(int64(n) + 1)
		_, _ = v.out.Write(b[:n])
	}
}

// visitor is who came to a door.
type visitor struct {
	out  net.Conn
	talk *talk
}

// back writes to whoever came to a door.
type back struct {
	net.PacketConn
	to net.Addr
}

func (b back) Write(p []byte) (int, error) { return b.WriteTo(p, b.to) }
