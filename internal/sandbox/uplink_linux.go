package sandbox

import (
	"encoding/binary"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// plug is where a run's network is handed over: a pair of sockets over which
// the helper sends the descriptors that it made in its own namespace.
type plug struct {
	up           Uplink
	ours, theirs *os.File
	stop         chan func() // has one, perhaps nil, once ready returned
}

func newPlug(up Uplink) (*plug, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, failed(stepStart, "socket pair", err).classify()
	}
	return &plug{up, os.NewFile(uintptr(fds[0]), "uplink"), os.NewFile(uintptr(fds[1]), "uplink"), make(chan func(), 1)}, nil
}

// close is for a plug whose helper gets no order.
func (p *plug) close() {
	_ = p.ours.Close()
	_ = p.theirs.Close()
}

// ready waits for the helper's descriptors and lets the uplink serve them. The
// answer is false when the helper died, which its status explains.
func (p *plug) ready(doors int) (ok bool, err error) {
	var stop func()
	defer func() { p.stop <- stop }()
	defer p.close()
	files := p.receive()
	if len(files) != 1+2*doors {
		for _, f := range files {
			_ = f.Close()
		}
		return false, nil
	}
	stop, err = p.up.Serve(Link{Tun: files[0], MTU: linkMTU, Doors: files[1:]})
	return err == nil, err
}

func (p *plug) receive() []*os.File {
	var word [1]byte
	room := make([]byte, unix.CmsgSpace(4*(1+2*maxDoors)))
	var n, size int
	var err error
	for {
		n, size, _, _, err = unix.Recvmsg(int(p.ours.Fd()), word[:], room, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil || n == 0 {
		return nil
	}
	messages, err := unix.ParseSocketControlMessage(room[:size])
	if err != nil || len(messages) != 1 {
		return nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil
	}
	var files []*os.File
	for _, fd := range fds {
		// So that closing one ends the read that waits for it.
		_ = unix.SetNonblock(fd, true)
		files = append(files, os.NewFile(uintptr(fd), "link"))
	}
	return files
}

// end stops the uplink of a tree that is gone.
func (p *plug) end() {
	if stop := <-p.stop; stop != nil {
		stop()
	}
}

// The tool's side of the link. The addresses are of a prefix that is set apart
// for a host to talk to its own translator (RFC 7335), and of one for local
// use; whoever reads them in a tool's messages learns nothing of the host.
var (
	linkName = [unix.IFNAMSIZ]byte{'t', 'u', 'n', '0'}
	loopback = [unix.IFNAMSIZ]byte{'l', 'o'}
	linkIPv4 = [4]byte{192, 0, 0, 2}
	linkIPv6 = [16]byte{0xfd, 0x70, 0x61, 0x74, 0x63, 0x68, 15: 2}
)

// openTun opens the device that makes networks. The namespace that it makes
// them in is the one of this moment.
func openTun() (int, *setupError) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, failed(stepUplink, "/dev/net/tun", err)
	}
	return fd, nil
}

// plugIn makes the sandbox's network and hands its other end out. Everything
// here needs capabilities that the program will not have.
func (r *root) plugIn() *setupError {
	if !r.o.uplink {
		return nil
	}
	if err := r.wire(); err != nil {
		return err
	}
	fds := []int{r.tun}
	for _, d := range r.o.doors {
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM} {
			fd, err := d.open(kind)
			if err != nil {
				return failed(stepUplink, "loopback", err)
			}
			fds = append(fds, fd)
		}
	}
	if err := unix.Sendmsg(linkFD, []byte{orderGo}, unix.UnixRights(fds...), nil, 0); err != nil {
		return failed(stepUplink, "hand over", err)
	}
	for _, fd := range append(fds, linkFD) {
		_ = unix.Close(fd)
	}
	return nil
}

// open makes a socket at the door.
func (d Door) open(kind int) (int, error) {
	family, to := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{Port: int(d.Port), Addr: d.IP})
	if v4, ok := d.ipv4(); ok {
		family, to = unix.AF_INET, &unix.SockaddrInet4{Port: int(d.Port), Addr: v4}
	}
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err = unix.Bind(fd, to); err == nil && kind == unix.SOCK_STREAM {
		err = unix.Listen(fd, 128)
	}
	return fd, err
}

func (d Door) ipv4() (v4 [4]byte, ok bool) {
	mapped := [12]byte{10: 0xff, 11: 0xff}
	return [4]byte(d.IP[12:]), [12]byte(d.IP[:12]) == mapped
}

// ifreq is struct ifreq.
type ifreq struct {
	name [unix.IFNAMSIZ]byte
	data [24]byte
}

func (q ifreq) flags(f uint16) *ifreq  { binary.NativeEndian.PutUint16(q.data[:], f); return &q }
func (q ifreq) number(n uint32) *ifreq { binary.NativeEndian.PutUint32(q.data[:], n); return &q }
func (q ifreq) address(a [4]byte) *ifreq {
	sock := inet(a)
	copy(q.data[:], sock[:])
	return &q
}

// inet is struct sockaddr_in without a port.
func inet(a [4]byte) (b [16]byte) {
	binary.NativeEndian.PutUint16(b[:], unix.AF_INET)
	copy(b[4:], a[:])
	return b
}

// rtentry is struct rtentry: all destinations, by a device.
type rtentry struct {
	_                          uint64
	destination, gateway, mask [16]byte
	flags                      uint16
	_                          [6 + 8 + 8]byte
	metric                     uint16
	_                          [6]byte
	device                     *[unix.IFNAMSIZ]byte
	_                          [8 + 8 + 8]byte
}

// in6Ifreq and in6Rtmsg are the structs of these names.
type in6Ifreq struct {
	address [16]byte
	prefix  uint32
	index   int32
}

type in6Rtmsg struct {
	destination, source, gateway [16]byte
	_                            uint32
	_, _                         uint16
	metric                       uint32
	_                            uint64
	flags                        uint32
	index                        int32
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

// wire makes the device, gives both families an address and the default route,
// and brings up the loopback. A kernel without IPv6 goes without.
func (r *root) wire() *setupError {
	link, lo := ifreq{name: linkName}, ifreq{name: loopback}
	if err := ioctl(r.tun, unix.TUNSETIFF, unsafe.Pointer(link.flags(unix.IFF_TUN|unix.IFF_NO_PI))); err != nil {
		return failed(stepUplink, "device", err)
	}
	// So that closing it does not wait for the kernel to take it down: that
	// happens with the namespace, when nobody waits.
	if _, _, e := unix.RawSyscall(unix.SYS_IOCTL, uintptr(r.tun), unix.TUNSETPERSIST, 1); e != 0 {
		return failed(stepUplink, "device", e)
	}
	v4, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return failed(stepUplink, "socket", err)
	}
	defer func() { _ = unix.Close(v4) }()
	for _, c := range []struct {
		what    string
		request uintptr
		arg     *ifreq
	}{
		{"loopback", unix.SIOCSIFFLAGS, lo.flags(unix.IFF_UP | unix.IFF_RUNNING)},
		{"packet size", unix.SIOCSIFMTU, link.number(linkMTU)},
		{"address", unix.SIOCSIFADDR, link.address(linkIPv4)},
		{"device", unix.SIOCSIFFLAGS, link.flags(unix.IFF_UP | unix.IFF_RUNNING)},
	} {
		if err := ioctl(v4, c.request, unsafe.Pointer(c.arg)); err != nil {
			return failed(stepUplink, c.what, err)
		}
	}
	all := inet([4]byte{})
	route := rtentry{destination: all, gateway: all, mask: all, flags: unix.RTF_UP, device: &linkName}
	if err := ioctl(v4, unix.SIOCADDRT, unsafe.Pointer(&route)); err != nil {
		return failed(stepUplink, "route", err)
	}
	index := link.number(0)
	if err := ioctl(v4, unix.SIOCGIFINDEX, unsafe.Pointer(index)); err != nil {
		return failed(stepUplink, "device", err)
	}
	wireIPv6(int32(binary.NativeEndian.Uint32(index.data[:])))
	return nil
}

func wireIPv6(index int32) {
	v6, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(v6) }()
	address := in6Ifreq{linkIPv6, 128, index}
	if ioctl(v6, unix.SIOCSIFADDR, unsafe.Pointer(&address)) == nil {
		route := in6Rtmsg{flags: unix.RTF_UP, metric: 1, index: index}
		_ = ioctl(v6, unix.SIOCADDRT, unsafe.Pointer(&route))
	}
}
