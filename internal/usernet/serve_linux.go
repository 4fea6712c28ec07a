package usernet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// server is a Net that serves one link.
type server struct {
	gate *gate
	dns  *resolver
	wire *wire

	ctx     context.Context
	flows   chan struct{} // has one for each TCP connection
	pending atomic.Int64  // flows in which the tool may have said what nobody was told yet
	talks   talks

	mu    sync.Mutex
	ended bool
	all   sync.WaitGroup
}

const nic = tcpip.NICID(1)

// Serve answers what comes out of the link.
func (n *Net) Serve(link sandbox.Link) (func(), error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{
		gate: n.gate, dns: newResolver(ctx, n.gate), wire: newWire(link.Tun, link.MTU),
		ctx: ctx, flows: make(chan struct{}, limits.NetFlows),
	}
	st, err := s.stack()
	var closers []func() error
	if err == nil {
		closers, err = s.openDoors(n.doors, link.Doors)
	}
	end := func() {
		cancel()
		_ = link.Tun.Close()
		for _, c := range closers {
			_ = c()
		}
		st.Close()
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
		s.all.Wait()
	}
	if err != nil {
		end()
		return nil, err
	}
	s.all.Go(s.wire.read)
	return func() { s.flush(); end() }, nil
}

// flush waits, but not long, until what the tool sent last is on its way. Its
// processes are gone, so its kernel has ended all that they left open.
func (s *server) flush() {
	left := int(limits.NetClose / time.Millisecond)
	await := func(done func() bool) {
		for ; left > 0 && !done(); left-- {
			time.Sleep(time.Millisecond)
		}
	}
	await(s.wire.drained)
	s.talks.hush()
	await(func() bool { return s.pending.Load() == 0 })
}

// enter counts a goroutine that nobody counts who is counted; false is too late.
func (s *server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.all.Add(1)
	}
	return !s.ended
}

// stack is a network stack that takes itself for every address there is.
func (s *server) stack() (*stack.Stack, error) {
	st := stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol, ipv6.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol},
	})
	// Both ways of a connection have one fixed size, and a connection that is
	// over is forgotten soon: a tool may open as many as it likes.
	sack, moderate := tcpip.TCPSACKEnabled(true), tcpip.TCPModerateReceiveBufferOption(false)
	send := tcpip.TCPSendBufferSizeRangeOption{Min: 4096, Default: limits.NetBuffer, Max: limits.NetBuffer}
	receive := tcpip.TCPReceiveBufferSizeRangeOption{Min: 4096, Default: limits.NetBuffer, Max: limits.NetBuffer}
	wait, linger := tcpip.TCPTimeWaitTimeoutOption(limits.NetClose/4), tcpip.TCPLingerTimeoutOption(limits.NetClose)
	for _, o := range []tcpip.SettableTransportProtocolOption{&sack, &moderate, &send, &receive, &wait, &linger} {
		if err := st.SetTransportProtocolOption(tcp.ProtocolNumber, o); err != nil {
			return st, broken(err)
		}
	}
	if err := st.CreateNIC(nic, s.wire); err != nil {
		return st, broken(err)
	}
	if err := st.SetPromiscuousMode(nic, true); err != nil {
		return st, broken(err)
	}
	if err := st.SetSpoofing(nic, true); err != nil {
		return st, broken(err)
	}
	st.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: nic}, {Destination: header.IPv6EmptySubnet, NIC: nic}})
	st.SetTransportProtocolHandler(tcp.ProtocolNumber, tcp.NewForwarder(st, limits.NetBuffer, limits.NetHalfOpen, s.connect).HandlePacket)
	st.SetTransportProtocolHandler(udp.ProtocolNumber, udp.NewForwarder(st, s.converse).HandlePacket)
	return st, nil
}

// broken is an error of the stack's that nothing of ours explains.
func broken(err tcpip.Error) error {
	return fault.New(fault.Internal, "uplink", "network stack: %s", err)
}

// target is where a flow wants to go.
func target(id stack.TransportEndpointID) netip.AddrPort {
	a, _ := netip.AddrFromSlice(id.LocalAddress.AsSlice())
	return netip.AddrPortFrom(a, id.LocalPort)
}

// dial connects to a destination that was admitted.
func (s *server) dial(network string, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{Timeout: limits.NetConnect}
	c, err := d.DialContext(s.ctx, network, to.String())
	verdict := reached
	switch {
	case err != nil:
		verdict = failed
	case network == "udp":
		verdict = sent
	}
	s.gate.visits.note(network, to.String(), verdict)
	return c, err
}

// openDoors serves the sandbox's own loopback, where the tool may find what
// the person named of this machine's.
func (s *server) openDoors(doors []door, files []*os.File) (closers []func() error, err error) {
	defer func() {
		for _, f := range files {
			_ = f.Close() // each listener has its own
		}
	}()
	if len(files) != 2*len(doors) {
		return nil, errors.New("a door is missing")
	}
	for i, d := range doors {
		l, err := net.FileListener(files[2*i])
		if err != nil {
			return closers, fmt.Errorf("open door: %w", err)
		}
		closers = append(closers, l.Close)
		p, err := net.FilePacketConn(files[2*i+1])
		if err != nil {
			return closers, fmt.Errorf("open door: %w", err)
		}
		closers = append(closers, p.Close)
		s.all.Go(func() { s.accept(d, l) })
		s.all.Go(func() { s.answer(d, p) })
	}
	return closers, nil
}
