package sandbox_test

import (
	"fmt"
	"net/netip"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Addresses of the cage, on its own loopback: none of them leads anywhere else.
// The first two are set aside for documentation, so they are nobody's.
const (
	internet  = "203.0.113.7"
	internet6 = "2001:db8::7"
	lan       = "10.98.76.54"
	metadata  = "169.254.169.254"
)

// network brings up the cage's loopback with the addresses of all that a tool
// could want to reach.
func (c *cage) network() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(s) }()
	up := func(name string) error {
		r, err := unix.NewIfreq(name)
		if err != nil {
			return err
		}
		r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
		return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, r)
	}
	if err := up("lo"); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	for i, a := range []string{internet, lan, metadata} {
		r, err := unix.NewIfreq(fmt.Sprintf("lo:%d", i))
		if err != nil {
			return err
		}
		b := netip.MustParseAddr(a).As4()
		if err := r.SetInet4Addr(b[:]); err != nil {
			return err
		}
		if err := unix.IoctlIfreq(s, unix.SIOCSIFADDR, r); err != nil {
			return fmt.Errorf("address %s: %w", a, err)
		}
	}
	if s6, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err == nil {
		r := struct {
			address [16]byte
			prefix  uint32
			index   int32
		}{netip.MustParseAddr(internet6).As16(), 128, 1}
		// A kernel without IPv6 has attempts whose control is missed.
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(s6), unix.SIOCSIFADDR, uintptr(unsafe.Pointer(&r)))
		_ = unix.Close(s6)
	}
	for name, value := range map[string]string{
		"ping_group_range": fmt.Sprintf("%d %d", os.Getgid(), os.Getgid()), "tcp_fastopen": "3",
	} {
		_ = os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0)
	}
	return nil
}
