package usernet

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// resolver answers the tool's questions for names: it hands them, one by one
// and as they are, to the name servers that this machine asks, and hands back
// what they say. Only the names of exceptions it answers by itself, as this
// machine would find them, its hosts file included.
type resolver struct {
	ctx     context.Context
	gate    *gate
	self    netip.AddrPort
	servers []netip.AddrPort
	busy    chan struct{} // has one for each question under way
	tokens  chan struct{} // has one for each question that may be asked now
}

// resolvConf is where this machine says whom it asks.
const resolvConf = "/etc/resolv.conf"

func newResolver(ctx context.Context, g *gate) *resolver {
	text, err := durable.ReadFile(resolvConf, 64*limits.KiB)
	if err != nil {
		text = nil // as if it were empty
	}
	r := &resolver{
		ctx: ctx, gate: g, self: netip.AddrPortFrom(netip.MustParseAddr(sandbox.Resolver), 53), servers: servers(string(text)),
		busy: make(chan struct{}, limits.NetQueries), tokens: make(chan struct{}, limits.NetQueryRate),
	}
	for range cap(r.tokens) {
		r.tokens <- struct{}{}
	}
	go r.refill()
	return r
}

func (r *resolver) refill() {
	tick := time.NewTicker(time.Second / limits.NetQueryRate)
	defer tick.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-tick.C:
		}
		select {
		case r.tokens <- struct{}{}:
		default:
		}
	}
}

// at tells whether a flow is for the resolver.
func (r *resolver) at(to netip.AddrPort) bool { return to == r.self }

// overUDP answers the questions of one of the tool's ports. One too many is
// not answered; the tool asks again.
func (r *resolver) overUDP(c net.Conn, moved *atomic.Int64) {
	var all sync.WaitGroup
	defer all.Wait()
	b := make([]byte, limits.NetQuery)
	for {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		moved.Add(1)
		select {
		case <-r.tokens:
		default:
			continue
		}
		select {
		case r.busy <- struct{}{}:
		default:
			continue
		}
		query := append([]byte(nil), b[:n]...)
		all.Go(func() {
			defer func() { <-r.busy }()
			if a := r.answer(query, "udp"); a != nil {
				_, _ = c.Write(a)
				moved.Add(1)
			}
		})
	}
}

// overTCP answers the questions of a connection, one after the other.
func (r *resolver) overTCP(c half) {
	var moved atomic.Int64
	over := make(chan struct{})
	defer close(over)
	go func() {
		if died(r.ctx, limits.NetIdleUDP, &moved, over) {
			c.abort()
		}
	}()
	defer func() { _ = c.Close() }()
	for {
		query, err := readMessage(c, limits.NetQuery)
		if err != nil {
			return
		}
		moved.Add(1)
		select {
		case <-r.tokens:
		case <-r.ctx.Done():
			return
		}
		a := r.answer(query, "tcp")
		if a == nil || writeMessage(c, a) != nil {
			return
		}
	}
}

// readMessage reads a message with its length before it, as TCP carries them.
func readMessage(from io.Reader, most int) ([]byte, error) {
	var size [2]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint16(size[:]))
	if n > most {
		return nil, errors.New("message is too large")
	}
	b := make([]byte, n)
	_, err := io.ReadFull(from, b)
	return b, err
}

func writeMessage(to io.Writer, b []byte) error {
	_, err := to.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...))
	return err
}

// answer is what to say to a message of the tool's; nil is nothing.
func (r *resolver) answer(query []byte, network string) []byte {
	q, ok := parseQuery(query)
	if !ok {
		return nil
	}
	r.gate.visits.note("dns", q.name, sent)
	if r.gate.excepts(q.name) && (q.Type == dnsmessage.TypeA || q.Type == dnsmessage.TypeAAAA) {
		list, err := r.gate.find(r.ctx, q.name)
		return q.addresses(list, err)
	}
	var last []byte
	for range 2 {
		for _, s := range r.servers {
			a := r.ask(s, q, query, network)
			if a == nil {
				continue
			}
			last = a
			// One that cannot tell has not told; the next may know.
			if code := dnsmessage.RCode(a[3] & 0xf); code != dnsmessage.RCodeServerFailure && code != dnsmessage.RCodeRefused {
				return a
			}
		}
		if last != nil || r.ctx.Err() != nil {
			break
		}
	}
	if last == nil {
		last = q.failure(dnsmessage.RCodeServerFailure)
	}
	return last
}

// ask puts one question to one server under a number of our own, and takes no
// answer but the one to it.
func (r *resolver) ask(server netip.AddrPort, q *question, query []byte, network string) []byte {
	ctx, cancel := context.WithTimeout(r.ctx, limits.NetAnswer)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, network, server.String())
	if err != nil {
		return nil
	}
	defer func() { _ = c.Close() }()
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })()
	mine := append([]byte(nil), query...)
	number(mine)
	read := func() ([]byte, error) { return readMessage(c, maxDatagram) }
	if network == "udp" {
		_, err = c.Write(mine)
		read = func() ([]byte, error) {
			b := make([]byte, maxDatagram)
			n, err := c.Read(b)
			return b[:n], err
		}
	} else {
		err = writeMessage(c, mine)
	}
	for err == nil {
		var a []byte
		if a, err = read(); err == nil && q.answeredBy(a) && [2]byte(a) == [2]byte(mine) {
			copy(a, query[:2])
			return a
		}
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, io.EOF) {
			return nil
		}
	}
	return nil
}
