package sandbox

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The tool's side of the link. The addresses are of a prefix that is set apart
// for a host to talk to its own translator (RFC 7335), and of one for local
// use; whoever reads them in a tool's messages learns nothing of the host.
const (
	linkName  = "tun0"
	linkIndex = 100 // far beyond what the kernel puts into a new namespace by itself
)

var (
	linkIPv4 = [4]byte{192, 0, 0, 2}
	linkIPv6 = [16]byte{0xfd, 0x70, 0x61, 0x74, 0x63, 0x68, 15: 2}
)

// ifreq is struct ifreq.
type ifreq struct {
	name [unix.IFNAMSIZ]byte
	data [24]byte
}

// inet is struct sockaddr_in, as far as any request looks at it.
type inet [16]byte

func inetOf(a [4]byte) (b inet) {
	binary.NativeEndian.PutUint16(b[:], unix.AF_INET)
	copy(b[4:], a[:])
	return b
}

// rtentry is struct rtentry, in6Ifreq and in6Rtmsg are the structs of these
// names: a route and an address.
type (
	rtentry struct {
		_                          uint64
		destination, gateway, mask inet
		flags                      uint16
		_                          [6 + 8 + 8]byte
		metric                     uint16
		_                          [6]byte
		device                     *byte
		_                          [8 + 8 + 8]byte
	}
	in6Ifreq struct {
		address [16]byte
		prefix  uint32
		index   int32
	}
	in6Rtmsg struct {
		destination, source, gateway [16]byte
		_                            uint32
		_                            [2]uint16
		metric                       uint32
		_                            uint64
		flags                        uint32
		index                        int32
	}
)

// tunDevice makes networks.
const tunDevice = "/dev/net/tun"

// openTun opens the device in the namespace of this moment and as the user who
// the caller is.
func (c *cage) openTun() {
	c.call(stepUplink, tunDevice, unix.SYS_OPENAT, num(unix.AT_FDCWD), c.text(tunDevice), unix.O_RDWR|unix.O_CLOEXEC, 0).to(regTun)
}

// ask appends an ioctl whose argument is a struct.
func (c *cage) ask(what string, fd uint8, request uintptr, arg unsafe.Pointer) *op {
	return c.call(stepUplink, what, unix.SYS_IOCTL, reg(fd), request, c.at(arg))
}

// network makes the device, gives both families an address and the default
// route, brings up the loopback with its doors, and hands the other end of it
// all out. A kernel without IPv6 goes without.
func (c *cage) network(doors []Door) {
	link, lo, index := ifreq{}, ifreq{}, new(uint32)
	copy(link.name[:], linkName)
	copy(lo.name[:], "lo")
	*index = linkIndex
	flags := func(q ifreq, f uint16) unsafe.Pointer {
		binary.NativeEndian.PutUint16(q.data[:], f)
		return unsafe.Pointer(&q)
	}
	size, address := link, link
	binary.NativeEndian.PutUint32(size.data[:], linkMTU)
	own, all := inetOf(linkIPv4), inetOf([4]byte{})
	copy(address.data[:], own[:])

	c.ask("device", regTun, unix.TUNSETIFINDEX, unsafe.Pointer(index))
	c.ask("device", regTun, unix.TUNSETIFF, flags(link, unix.IFF_TUN|unix.IFF_NO_PI))
	// So that closing it does not wait for the kernel to take it down: that
	// happens with the namespace, when nobody waits.
	c.call(stepUplink, "device", unix.SYS_IOCTL, reg(regTun), unix.TUNSETPERSIST, 1)
	c.call(stepUplink, "socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0).to(regFile)
	c.ask("loopback", regFile, unix.SIOCSIFFLAGS, flags(lo, unix.IFF_UP|unix.IFF_RUNNING))
	c.ask("packet size", regFile, unix.SIOCSIFMTU, unsafe.Pointer(&size))
	c.ask("address", regFile, unix.SIOCSIFADDR, unsafe.Pointer(&address))
	c.ask("device", regFile, unix.SIOCSIFFLAGS, flags(link, unix.IFF_UP|unix.IFF_RUNNING))
	c.ask("route", regFile, unix.SIOCADDRT, unsafe.Pointer(&rtentry{destination: all, gateway: all, mask: all, flags: unix.RTF_UP, device: &link.name[0]}))
	c.close(regFile)

	o := c.call(stepUplink, "", unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0).to(regFile)
	o.note, o.skip = statusNoIPv6, 3
	o = c.ask("", regFile, unix.SIOCSIFADDR, unsafe.Pointer(&in6Ifreq{linkIPv6, 128, linkIndex}))
	o.note, o.skip = statusNoIPv6, 1
	o = c.ask("", regFile, unix.SIOCADDRT, unsafe.Pointer(&in6Rtmsg{flags: unix.RTF_UP, metric: 1, index: linkIndex}))
	o.note = statusNoIPv6
	c.close(regFile)
	c.handOver(doors)
}

// handOver opens the doors and sends them and the device through the plug.
func (c *cage) handOver(doors []Door) {
	m := &struct {
		unix.Cmsghdr
		fds [1 + 2*maxDoors]int32
	}{Cmsghdr: unix.Cmsghdr{Level: unix.SOL_SOCKET, Type: unix.SCM_RIGHTS}}
	c.call(stepUplink, "device", unix.SYS_FCNTL, reg(regTun), unix.F_DUPFD_CLOEXEC, 0).store = &m.fds[0]
	n := 1
	for _, d := range doors {
		for _, kind := range []uintptr{unix.SOCK_STREAM, unix.SOCK_DGRAM} {
			c.door(d, kind).store = &m.fds[n]
			n++
		}
	}
	m.SetLen(unix.CmsgLen(4 * n))
	word := []byte{orderGo}
	iov := &unix.Iovec{Base: &word[0]}
	iov.SetLen(len(word))
	h := &unix.Msghdr{Iov: iov, Control: (*byte)(unsafe.Pointer(m))}
	h.SetIovlen(1)
	h.SetControllen(unix.CmsgSpace(4 * n))
	c.call(stepUplink, "hand over", unix.SYS_SENDMSG, reg(regLink), c.at(unsafe.Pointer(h)), 0).exactly(1)
	c.close(regLink)
	c.close(regTun)
}

// door makes a socket at a door; the line is the one that makes it.
func (c *cage) door(d Door, kind uintptr) *op {
	const what = "loopback"
	family, length := uintptr(unix.AF_INET6), unsafe.Sizeof(unix.RawSockaddrInet6{})
	port := d.Port<<8 | d.Port>>8
	at := unsafe.Pointer(&unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: port, Addr: d.IP})
	if mapped := ([12]byte{10: 0xff, 11: 0xff}); [12]byte(d.IP[:12]) == mapped {
		family, length = unix.AF_INET, unsafe.Sizeof(unix.RawSockaddrInet4{})
		at = unsafe.Pointer(&unix.RawSockaddrInet4{Family: unix.AF_INET, Port: port, Addr: [4]byte(d.IP[12:])})
	}
	line := len(c.ops)
	c.call(stepUplink, what, unix.SYS_SOCKET, family, kind|unix.SOCK_CLOEXEC, 0).to(regFile)
	c.call(stepUplink, what, unix.SYS_BIND, reg(regFile), c.at(at), length)
	if kind == unix.SOCK_STREAM {
		c.call(stepUplink, what, unix.SYS_LISTEN, reg(regFile), 128)
	}
	return &c.ops[line]
}
