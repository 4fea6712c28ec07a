package usernet

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"

	"github.com/patch-cat/patch-git/internal/limits"
)

// connect answers the first packet of a TCP connection. Whether the other side
// accepts is known before the tool's side is accepted, so that the tool sees
// what it would see without us; only a destination that nothing leads to looks
// like one that refuses.
func (s *server) connect(r *tcp.ForwarderRequest) {
	to := target(r.ID())
	if !s.enter() {
		r.Complete(true)
		return
	}
	defer s.all.Done()
	if !s.take() {
		r.Complete(true)
		return
	}
	defer s.give()
	if s.dns.at(to) {
		if c, ok := inside(r); ok {
			s.dns.overTCP(c)
		}
		return
	}
	if !s.gate.admits(s.ctx, to) {
		s.gate.visits.note("tcp", to.String(), refused)
		r.Complete(true)
		return
	}
	out, err := s.dial("tcp", to)
	if err != nil {
		// No answer is no answer for the tool too: it has its own patience.
		r.Complete(!errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.DeadlineExceeded))
		return
	}
	c, ok := inside(r)
	if !ok {
		_ = out.Close()
		return
	}
	s.splice(c, outer{out.(*net.TCPConn)})
}

func (s *server) take() bool {
	select {
	case s.flows <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s *server) give() { <-s.flows }

// inside accepts the tool's side of a connection.
func inside(r *tcp.ForwarderRequest) (half, bool) {
	var queue waiter.Queue
	ep, err := r.CreateEndpoint(&queue)
	r.Complete(err != nil)
	if err != nil {
		return nil, false
	}
	return inner{gonet.NewTCPConn(&queue, ep), ep}, true
}

// half is one side of a connection that is carried.
type half interface {
	net.Conn
	CloseWrite() error
	// abort ends it as a connection ends whose program died.
	abort()
}

type inner struct {
	*gonet.TCPConn
	ep tcpip.Endpoint
}

func (c inner) abort() { c.ep.Abort() }

type outer struct{ *net.TCPConn }

func (c outer) abort() {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// splice carries both ways until both have ended, and each end by itself: who
// has said all may still listen. tool is the side of the sandbox.
func (s *server) splice(tool, world half) {
	var moved atomic.Int64
	over := make(chan struct{})
	go func() {
		if died(s.ctx, limits.NetIdle, &moved, over) {
			tool.abort()
			world.abort()
		}
	}()
	var ways sync.WaitGroup
	s.pending.Add(1)
	ways.Go(func() { defer s.pending.Add(-1); carry(world, tool, &moved) })
	ways.Go(func() { carry(tool, world, &moved) })
	ways.Wait()
	_ = tool.Close()
	_ = world.Close()
	close(over)
}

// carry copies one way of a connection and ends it as the source ended.
func carry(to, from half, moved *atomic.Int64) {
	b := make([]byte, limits.NetBuffer/4)
	for {
		n, err := from.Read(b)
		moved.Add(int64(n))
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				from.abort()
				to.abort()
				return
			}
		}
		if errors.Is(err, io.EOF) {
			_ = to.CloseWrite()
			return
		}
		if err != nil {
			from.abort()
			to.abort()
			return
		}
	}
}

// died waits until a flow is over, and tells whether it is because all is, or
// because nothing moved for as long as idle.
func died(ctx context.Context, idle time.Duration, moved *atomic.Int64, over <-chan struct{}) bool {
	tick := time.NewTicker(idle)
	defer tick.Stop()
	for last := int64(-1); ; {
		select {
		case <-ctx.Done():
			return true
		case <-over:
			return false
		case <-tick.C:
			now := moved.Load()
			if now == last {
				return true
			}
			last = now
		}
	}
}
