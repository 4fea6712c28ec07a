package usernet

import (
	"errors"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
)

// wire is the end of the stack at which packets go to and come from the tool's
// device. It hands packets over at once: a queue in between would lose some
// when it is full, and what was lost has to wait for being sent again.
type wire struct {
	*channel.Endpoint
	tun *os.File
	mtu int
	// busy is false while the reader waits and holds no packet.
	busy atomic.Bool
}

func newWire(tun *os.File, mtu int) *wire {
	w := &wire{Endpoint: channel.New(0, uint32(mtu), ""), tun: tun, mtu: mtu}
	// The sums are the tool's kernel's own and crossed nothing that errs.
	w.LinkEPCapabilities = stack.CapabilityRXChecksumOffload
	return w
}

// WritePackets hands packets to the tool's kernel.
func (w *wire) WritePackets(list stack.PacketBufferList) (int, tcpip.Error) {
	sent := 0
	for _, p := range list.AsSlice() {
		v := p.ToView()
		_, err := w.tun.Write(v.AsSlice())
		v.Release()
		if err != nil {
			return sent, &tcpip.ErrClosedForSend{}
		}
		sent++
	}
	return sent, nil
}

// read takes packets from the tool until the device is gone.
func (w *wire) read() {
	raw, err := w.tun.SyscallConn()
	if err != nil {
		return
	}
	b := make([]byte, w.mtu)
	for {
		n, failure := 0, error(nil)
		err := raw.Read(func(fd uintptr) bool {
			w.busy.Store(true)
			if n, failure = unix.Read(int(fd), b); !errors.Is(failure, unix.EAGAIN) {
				return true
			}
			w.busy.Store(false)
			return false
		})
		if err != nil || failure != nil && !errors.Is(failure, unix.EINTR) {
			return
		}
		protocol, ok := carriable(b[:max(n, 0)])
		if !ok {
			continue
		}
		p := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(b[:n])})
		w.InjectInbound(protocol, p)
		p.DecRef()
	}
}

// carriable tells a packet of TCP or UDP from everything else, which the
// kernel sends by itself or which is not carried.
func carriable(b []byte) (tcpip.NetworkProtocolNumber, bool) {
	protocol, inner := tcpip.NetworkProtocolNumber(0), byte(0)
	switch {
	case len(b) >= header.IPv4MinimumSize && b[0]>>4 == 4:
		protocol, inner = header.IPv4ProtocolNumber, b[9]
	case len(b) >= header.IPv6MinimumSize && b[0]>>4 == 6:
		protocol, inner = header.IPv6ProtocolNumber, b[6]
		if inner == uint8(header.IPv6FragmentHeader) && len(b) > header.IPv6MinimumSize {
			inner = b[header.IPv6MinimumSize]
		}
	}
	return protocol, inner == uint8(header.TCPProtocolNumber) || inner == uint8(header.UDPProtocolNumber)
}

// drained tells whether the tool's kernel has nothing more to hand over and
// all that it handed over went its way.
func (w *wire) drained() bool {
	raw, err := w.tun.SyscallConn()
	if err != nil {
		return true
	}
	empty := true
	err = raw.Control(func(fd uintptr) {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 0)
		for err == unix.EINTR { // a signal that waits for this thread says nothing of the tool
			n, err = unix.Poll(poll, 0)
		}
		empty = err != nil || n == 0
	})
	return err != nil || empty && !w.busy.Load()
}
