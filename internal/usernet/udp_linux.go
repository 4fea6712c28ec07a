package usernet

import (
	"io"
	"sync"
	"sync/atomic"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
	"gvisor.dev/gvisor/pkg/waiter"

	"github.com/patch-cat/patch-git/internal/limits"
)

// maxDatagram is the largest datagram there is.
const maxDatagram = 1 << 16

// converse answers the first datagram between two ports. It runs in the path
// of all packets and waits for nothing; false has the tool's kernel told that
// the port is closed.
func (s *server) converse(r *udp.ForwarderRequest) bool {
	to := target(r.ID())
	ask := false
	if !s.dns.at(to) && !s.gate.named(to) && !s.gate.open(to.Addr()) {
		if ask = s.gate.asks(to); !ask {
			s.gate.visits.note("udp", to.String(), refused)
			return false
		}
	}
	var queue waiter.Queue
	ep, err := r.CreateEndpoint(&queue)
	if err != nil {
		return false
	}
	c := gonet.NewUDPConn(&queue, ep)
	t := &talk{end: func() { _ = c.Close() }, hush: func() { _ = ep.Shutdown(tcpip.ShutdownRead) }}
	s.talks.begin(t)
	s.all.Go(func() {
		defer s.talks.over(t)
		defer t.end()
		if s.dns.at(to) {
			s.attend(t, func() { s.dns.overUDP(c, &t.moved) })
			return
		}
		if ask && !s.gate.admits(s.ctx, to) {
			s.gate.visits.note("udp", to.String(), refused)
			return
		}
		out, err := s.dial("udp", to)
		if err != nil {
			return
		}
		defer func() { _ = out.Close() }()
		s.all.Go(func() { defer t.end(); relay(c, out, &t.moved) })
		s.pending.Add(1)
		s.attend(t, func() { defer s.pending.Add(-1); relay(out, c, &t.moved) })
	})
	return true
}

// attend does something with a conversation, which ends when it is idle.
func (s *server) attend(t *talk, do func()) {
	over := make(chan struct{})
	defer close(over)
	go func() {
		if died(s.ctx, limits.NetIdleUDP, &t.moved, over) {
			t.end()
		}
	}()
	do()
}

// relay hands datagrams on, each as one, until one side is closed.
func relay(to io.Writer, from io.Reader, moved *atomic.Int64) {
	b := make([]byte, maxDatagram)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		moved.Add(int64(n) + 1)
		_, _ = to.Write(b[:n]) // a datagram may be lost
	}
}

// talk is a conversation by datagrams.
type talk struct {
	moved     atomic.Int64
	end, hush func()
	seen      int64 // of moved, when it was last looked at
}

// talks are all conversations. They have no end of their own, so where there
// are too many, one in which nobody spoke lately gives way.
type talks struct {
	mu   sync.Mutex
	open []*talk // the oldest first
}

func (l *talks) begin(t *talk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= limits.NetFlows {
		quiet := 0
		for i, old := range l.open {
			if now := old.moved.Load(); now == old.seen {
				quiet = i
				break
			} else {
				old.seen = now
			}
		}
		go l.open[quiet].end()
		l.open = append(l.open[:quiet], l.open[quiet+1:]...)
	}
	l.open = append(l.open, t)
}

func (l *talks) over(t *talk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.open {
		if other == t {
			l.open = append(l.open[:i], l.open[i+1:]...)
			return
		}
	}
}

// hush lets every conversation end when it has passed on what it has.
func (l *talks) hush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.open {
		t.hush()
	}
}
