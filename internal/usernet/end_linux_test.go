package usernet_test

import (
	"encoding/binary"
	"net/netip"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// syn is the first packet of a connection. Its sums are left out, as they are
// on a link that crosses nothing.
func syn(to string, port, from uint16) []byte {
	b := make([]byte, 40)
	b[0], b[8], b[9] = 0x45, 64, unix.IPPROTO_TCP
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	copy(b[12:], []byte{192, 0, 0, 2})
	a := netip.MustParseAddr(to).As4()
	copy(b[16:], a[:])
	binary.BigEndian.PutUint16(b[20:], from)
	binary.BigEndian.PutUint16(b[22:], port)
	binary.BigEndian.PutUint32(b[24:], 1000)
	b[32], b[33] = 5<<4, 2
	binary.BigEndian.PutUint16(b[34:], 65000)
	return b
}

// TestInsideEnd: connections that a tool began and never went on with, and
// packets that are none, do not hold up the end of a run.
func TestInsideEnd(t *testing.T) {
	inside(t)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	tool := os.NewFile(uintptr(fds[1]), "tool")
	defer tool.Close()
	stop, err := with(t).Serve(sandbox.Link{Tun: os.NewFile(uintptr(fds[0]), "tun"), MTU: 1500})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{{0}, {0x45}, make([]byte, 1500), {0x60, 6: 6, 39: 0}, append([]byte{0x45, 0, 0, 40, 9: 6}, make([]byte, 10)...), {0xff, 39: 1}} {
		if _, err := tool.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	answers := make(chan byte, 100)
	go func() {
		b := make([]byte, 1500)
		for {
			n, err := tool.Read(b)
			if err != nil {
				close(answers)
				return
			}
			if n >= 40 && b[9] == unix.IPPROTO_TCP {
				answers <- b[33]
			}
		}
	}()
	const rst, ack = 4, 16
	if _, err := tool.Write(syn(farV4, 80, 5000)); err != nil {
		t.Fatal(err)
	}
	if flags := <-answers; flags&rst == 0 {
		t.Errorf("a connection to the local network is answered with %x", flags)
	}
	for from := uint16(6000); from < 6010; from++ {
		if _, err := tool.Write(syn("8.8.8.8", 80, from)); err != nil {
			t.Fatal(err)
		}
		if flags := <-answers; flags != ack|2 {
			t.Errorf("a connection to the internet is answered with %x", flags)
		}
		if _, err := tool.Write(syn(silent, 80, from)); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	stop()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the end took %v", took)
	}
}
