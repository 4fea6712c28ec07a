package usernet_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The tests of this package that carry packets play in a world of their own:
// one net namespace is this machine, with a local network and services on its
// loopback, another is the internet and everything else there is. Nothing
// leaves either. The stages are processes of the test binary:
//
//	the test → (nobody) → world: makes both, serves → inside: the tests again
const stageVariable = "USERNET_TEST_STAGE"

// What the machine of the world has, and what is out there.
const (
	nearV4, nearV6     = "10.9.0.1", "fd09::1"       // the machine, on its local network
	nearOwn4, nearOwn6 = "8.8.4.4", "2001:4860:1::1" // the machine's public addresses
	farV4, farV6       = "10.9.0.2", "fd09::2"       // a neighbour, and the way out
	neighbour          = "8.8.6.2"                   // in a public network that the machine is in
	silent             = "9.9.9.9"                   // nobody is there, and nobody says so
)

// internet are the addresses that a tool may reach; everything else in farAll
// is refused.
var (
	internet  = []string{"8.8.8.8", "1.1.1.1", "2001:4860:4860::8888", "64:ff9b::808:808", "2002:808:808::1"}
	elsewhere = []string{
		"192.168.7.7", "172.16.5.5", "100.64.0.1", "100.100.100.200", "169.254.169.254", "168.63.129.16", "192.0.0.192",
		"192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "240.0.0.1",
		"fd77::7", "fd00:ec2::254", "2001:db8::1", "3fff::1", "2001:2::1", "64:ff9b::a09:2", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
		"2002:a09:2::1", "2001:0:808:808::f5f6:fffd", "::808:808", "100::1", "5f00::1",
	}
)

func TestMain(m *testing.M) {
	switch os.Getenv(stageVariable) {
	case "nobody":
		asNobody()
	case "world":
		world()
	}
	os.Exit(m.Run())
}

// inside skips a test that is not in the world.
func inside(tb testing.TB) {
	tb.Helper()
	if os.Getenv(stageVariable) != "inside" {
		tb.Skip("plays in a world of its own: TestWorld")
	}
}

// die ends a stage that cannot do its part.
func die(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(3)
}

// stage is the command of the next stage, with what go test was told.
func stage(name string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), stageVariable+"="+name)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// ownWorld is how a user makes a world.
func ownWorld(uid, gid int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE}
	}
	return attr
}

// TestWorld plays all tests of the world, as the user who runs it, and for
// root as an ordinary user too.
func TestWorld(t *testing.T) {
	if os.Getenv(stageVariable) != "" {
		t.Skip("this is the world")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("no ip program to make a world with")
	}
	lanes := []string{"world"}
	if os.Getuid() == 0 {
		lanes = append(lanes, "nobody")
	} else if f, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0); err != nil {
		t.Skipf("this user has no tun device: %v", err)
	} else {
		f.Close()
	}
	for _, lane := range lanes {
		t.Run(lane, func(t *testing.T) {
			t.Parallel()
			args := []string{"-test.run=^TestInside", "-test.timeout=3m"}
			if testing.Verbose() {
				args = append(args, "-test.v")
			}
			cmd := stage(lane, args...)
			dir := t.TempDir()
			if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd.Env = append(cmd.Env, "TMPDIR=/tmp", "USERNET_TEST_DIR="+dir)
			cmd.Stdout, cmd.Stderr = nil, nil
			if lane == "world" {
				cmd.SysProcAttr = ownWorld(os.Getuid(), os.Getgid())
			} else {
				cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
			}
			runtime.LockOSThread() // whose death is the stage's
			defer runtime.UnlockOSThread()
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			} else {
				t.Logf("%s", out)
			}
		})
	}
}

// asNobody gives an ordinary user the device that most systems give to all,
// out of the sight of everybody else, and makes the world as that user.
func asNobody() {
	const nobody = 65534
	dir := os.Getenv("USERNET_TEST_DIR")
	node := dir + "/tun"
	for _, err := range []error{
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=755"),
		unix.Mknod(node, unix.S_IFCHR|0o666, int(unix.Mkdev(10, 200))),
		os.Chmod(node, 0o666),
		unix.Mount(node, "/dev/net/tun", "", unix.MS_BIND, ""),
		os.Mkdir(dir+"/own", 0o700), os.Chown(dir+"/own", nobody, nobody),
	} {
		if err != nil {
			die("tun device for nobody: %v", err)
		}
	}
	cmd := stage("world", os.Args[1:]...)
	cmd.Env = append(cmd.Env, "USERNET_TEST_DIR="+dir+"/own")
	cmd.SysProcAttr = ownWorld(nobody, nobody)
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: true}
	finish(cmd)
}

// finish runs the next stage and ends as it ended.
func finish(cmd *exec.Cmd) {
	runtime.LockOSThread()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		die("next stage: %v", err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

func ip(commands ...string) {
	for _, c := range commands {
		if out, err := exec.Command("ip", strings.Fields(c)...).CombinedOutput(); err != nil {
			die("ip %s: %v %s", c, err, out)
		}
	}
}

// world makes the two namespaces and what listens in them, and runs the tests.
func world() {
	dir := os.Getenv("USERNET_TEST_DIR")
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		die("private mounts: %v", err)
	}
	for name, text := range map[string]string{
		"resolv.conf": "# of the world\nnameserver 127.0.0.53\nsearch corp.test\noptions timeout:2 attempts:1\n",
		"hosts":       "127.0.0.1 localhost myself.test\n::1 localhost\n192.168.7.7 storage.local\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			die("%v", err)
		}
		real, err := filepath.EvalSymlinks("/etc/" + name)
		if err == nil {
			err = unix.Mount(file, real, "", unix.MS_BIND, "")
		}
		if err != nil {
			die("/etc/%s of the world: %v", name, err)
		}
	}
	ip("link set lo up")
	runtime.LockOSThread()
	machine := unix.Gettid()
	far := make(chan struct{})
	go func() {
		runtime.LockOSThread() // this thread stays out there
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			die("internet: %v", err)
		}
		ip("link set lo up", fmt.Sprintf("link add far type veth peer name near netns %d", machine), "link set far up",
			"addr add "+farV4+"/24 dev far", "addr add "+farV6+"/64 dev far nodad", "addr add "+neighbour+"/24 dev far")
		for _, a := range append(internet, elsewhere...) {
			if strings.HasPrefix(a, "240.") {
				continue // no kernel takes it
			}
			bits := "/32"
			if netip.MustParseAddr(a).Is6() {
				bits = "/128 nodad"
			}
			ip("addr add " + a + bits + " dev lo")
		}
		ip("route add default via "+nearV4, "-6 route add default via "+nearV6)
		serveAt(":80", ":90")
		pc, err := net.ListenPacket("udp", "8.8.8.8:91")
		if err != nil {
			die("%v", err)
		}
		tellFar(pc)
		close(far)
		select {}
	}()
	<-far
	ip("link set near up", "addr add "+nearV4+"/24 dev near", "addr add "+nearV6+"/64 dev near nodad",
		"addr add 8.8.6.1/24 dev near", "addr add "+nearOwn4+"/32 dev near", "addr add "+nearOwn6+"/128 dev near nodad",
		"route add local 7.7.7.0/24 dev lo", // an address of the machine that is on no interface
		"route add default via "+farV4, "-6 route add default via "+farV6)
	settle(farV4, farV6)
	serveAt(":8080", ":8080")
	serveAt("127.0.0.1:8081", "127.0.0.1:8081")
	serveNames("127.0.0.53:53")
	// The tests get none of what it took.
	if os.Getuid() != 0 {
		if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
			die("capabilities: %v", err)
		}
	}
	finish(stage("inside", os.Args[1:]...))
}

// settle waits until the neighbours know each other.
func settle(hosts ...string) {
	for _, h := range hosts {
		for try := 0; ; try++ {
			c, err := net.DialTimeout("tcp", net.JoinHostPort(h, "80"), time.Second)
			if err == nil {
				c.Close()
				break
			}
			if try > 100 {
				die("no way to %s: %v", h, err)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// serveAt greets whoever comes by TCP, with the address that was reached, says
// back all that it hears, and last how much it was; by UDP it does so with
// each datagram.
func serveAt(tcp, udp string) {
	l, err := net.Listen("tcp", tcp)
	if err != nil {
		die("%v", err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fmt.Fprintf(c, "hi %s\n", netip.MustParseAddrPort(c.LocalAddr().String()).Addr().Unmap())
				r := bufio.NewReader(c)
				word, err := r.ReadString('\n')
				if err != nil {
					return
				}
				var n int64
				switch {
				case word == "echo\n":
					n, _ = io.Copy(c, r)
				case word == "sink\n":
					n, _ = io.Copy(io.Discard, r)
				case word == "reset\n":
					c.(*net.TCPConn).SetLinger(0)
					return
				case strings.HasPrefix(word, "send "):
					var size int64
					fmt.Sscan(word[5:], &size)
					n, _ = io.CopyN(c, zeros{}, size)
				}
				fmt.Fprintf(c, "total %d\n", n)
			}()
		}
	}()
	host, port, _ := net.SplitHostPort(udp)
	if host == "" {
		// One socket each: an answer comes from the address that was asked.
		addrs, _ := net.InterfaceAddrs()
		for _, a := range addrs {
			pc, err := net.ListenPacket("udp", net.JoinHostPort(a.(*net.IPNet).IP.String(), port))
			if err != nil {
				continue // a link-local one
			}
			go greet(pc)
		}
		return
	}
	pc, err := net.ListenPacket("udp", udp)
	if err != nil {
		die("%v", err)
	}
	go greet(pc)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

func greet(pc net.PacketConn) {
	b := make([]byte, 1<<16)
	for {
		n, from, err := pc.ReadFrom(b)
		if err != nil {
			return
		}
		at := netip.MustParseAddrPort(pc.LocalAddr().String()).Addr().Unmap()
		pc.WriteTo(fmt.Appendf(nil, "hi %s\n%s", at, b[:min(n, 1000)]), from)
	}
}

// listenFar hears the datagrams that come to a port of the internet: the world
// passes them on by a named socket, which is the tests' alone.
func listenFar(t *testing.T) <-chan string {
	t.Helper()
	c, err := net.Dial("unix", os.Getenv("USERNET_TEST_DIR")+"/heard")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	heard := make(chan string, 100)
	go func() {
		b := make([]byte, 100)
		for {
			n, err := c.Read(b)
			if err != nil {
				return
			}
			heard <- string(b[:n])
		}
	}()
	return heard
}

// tellFar is the world's part of it.
func tellFar(pc net.PacketConn) {
	l, err := net.Listen("unix", os.Getenv("USERNET_TEST_DIR")+"/heard")
	if err != nil {
		die("%v", err)
	}
	go func() {
		b := make([]byte, 100)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			for {
				n, _, err := pc.ReadFrom(b)
				if err != nil {
					return
				}
				if _, err := c.Write(b[:n]); err != nil {
					break
				}
			}
		}
	}()
}
