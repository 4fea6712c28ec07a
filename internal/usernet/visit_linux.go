package usernet

import (
	"net"
	"sync"
)

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
