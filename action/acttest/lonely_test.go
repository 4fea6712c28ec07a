//go:build linux

package acttest

import (
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// shared is set where the tests have no network of their own.
const shared = "PATCH_GIT_ACT_SHARED"

// lonely starts a process in a network with nothing in it.
func lonely() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		a.Cloneflags |= unix.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
	}
	return a
}

// loopback brings up the one interface that there is.
var loopback = sync.OnceValue(func() error {
	if os.Getenv(shared) != "" {
		return nil
	}
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo)
})

// TestLonely: there is nothing here but loopback, so that no test can reach
// anybody whatever it does.
func TestLonely(t *testing.T) {
	wanted(t)
	if os.Getenv(shared) != "" {
		t.Skip("this user may not make a network")
	}
	if err := loopback(); err != nil {
		t.Fatal(err)
	}
	all, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if i.Flags&net.FlagUp != 0 && i.Flags&net.FlagLoopback == 0 {
			t.Errorf("%s is up", i.Name)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.DialTimeout("tcp", l.Addr().String(), time.Second)
	if err != nil {
		t.Fatalf("loopback: %v", err)
	}
	c.Close()
}
