package sandbox_test

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

var tokenShape = regexp.MustCompile(`tok-[0-9a-f]{16}`)

// arrived notes what came of an attempt whose word is in what was read.
func (w *world) arrived(b []byte, effect effect, where string) {
	for _, t := range tokenShape.FindAll(b, -1) {
		w.mu.Lock()
		p := w.tokens[string(t)]
		w.mu.Unlock()
		if p != nil {
			p.saw(effect, where)
		}
	}
}

// listen reads until the end.
func (w *world) listen(f *os.File, where string) {
	for b := make([]byte, 4096); ; {
		n, err := f.Read(b)
		w.arrived(b[:n], bytesArrived, where)
		if err != nil {
			return
		}
	}
}

// serve opens the servers, on all addresses at once.
func (w *world) serve() error {
	dir := w.cage.Base
	for name, at := range map[string][2]string{
		"tcp": {"tcp", ":0"}, "unix": {"unix", dir + "/stream"}, "unixpacket": {"unixpacket", dir + "/packet"}, "in-grant": {"unix", dir + "/ro/socket"},
		"abstract": {"unix", "@stream-" + nonce()}, "giver": {"unix", dir + "/giver"},
	} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			return err
		}
		w.addressed(name, l.Addr())
		go w.accept(l, name)
	}
	for name, at := range map[string][2]string{"udp": {"udp", ":0"}, "unixgram": {"unixgram", dir + "/gram"}, "abstractgram": {"unixgram", "@gram-" + nonce()}} {
		c, err := net.ListenPacket(at[0], at[1])
		if err != nil {
			return err
		}
		w.addressed(name, c.LocalAddr())
		go func() {
			for b := make([]byte, 4096); ; {
				n, _, err := c.ReadFrom(b)
				if err != nil {
					return
				}
				w.arrived(b[:n], bytesArrived, name)
			}
		}()
	}
	return nil
}

// addressed tells the attempts where a server is, and lets everyone come.
func (w *world) addressed(name string, a net.Addr) {
	switch a := a.(type) {
	case *net.TCPAddr:
		w.facts[name] = a.Port
	case *net.UDPAddr:
		w.facts[name] = a.Port
	default:
		at := strings.TrimPrefix(a.String(), "@")
		w.facts[name] = at
		_ = os.Chmod(at, 0o777)
	}
}

func (w *world) accept(l net.Listener, name string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = c.Close() }()
			_ = c.SetDeadline(time.Now().Add(3 * time.Second))
			b := make([]byte, 4096)
			n, _ := c.Read(b)
			w.arrived(b[:n], bytesArrived, name)
			u, ok := c.(*net.UnixConn)
			if !ok || name != "giver" {
				fmt.Fprint(c, "welcome")
				return
			}
			if fd, err := unix.Open(w.cage.Base+"/out", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
				_, _, _ = u.WriteMsgUnix([]byte("x"), unix.UnixRights(fd), nil)
				_ = unix.Close(fd)
			}
		}()
	}
}

// hear waits for signals to the host's own process, which is the parent of what
// a driver starts.
func (w *world) hear() {
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, syscall.SIGUSR1)
	for range signals {
		w.saw("signal_parent", signalArrived, "at the caller")
	}
}

// watchTerminal reads what is printed on the terminal, and what is typed into it.
func (w *world) watchTerminal() {
	unix.CloseOnExec(w.cage.Master)
	unix.CloseOnExec(w.cage.Slave)
	b := make([]byte, 4096)
	for ; ; time.Sleep(5 * time.Millisecond) {
		if n, _ := unix.Read(w.cage.Master, b); n > 0 {
			w.arrived(b[:n], terminalWritten, "printed")
		}
		if n, _ := unix.Read(w.cage.Slave, b); n > 0 {
			w.arrived(b[:n], terminalWritten, "typed")
		}
	}
}

// ipcKey is the number of the host's shared memory, queue and semaphores.
const ipcKey = 0x5ec2e7

// queues makes what the ipc namespace holds.
func (w *world) queues() {
	w.facts["ipc"], w.facts["mq"] = ipcKey, "queue"
	old := unix.Umask(0)
	defer unix.Umask(old)
	if id, _, e := unix.Syscall(unix.SYS_SHMGET, ipcKey, 4096, unix.IPC_CREAT|0o666); e == 0 {
		if b, err := unix.SysvShmAttach(int(id), 0, 0); err == nil {
			copy(b, w.secret("shared memory"))
			_ = unix.SysvShmDetach(b)
		}
	}
	if id, _, e := unix.Syscall(unix.SYS_MSGGET, ipcKey, unix.IPC_CREAT|0o666, 0); e == 0 {
		var m struct {
			kind int64
			text [32]byte
		}
		m.kind = 1
		copy(m.text[:], w.secret("a message"))
		_, _, _ = unix.Syscall6(unix.SYS_MSGSND, id, uintptr(unsafe.Pointer(&m)), 32, unix.IPC_NOWAIT, 0, 0)
	}
	_, _, _ = unix.Syscall(unix.SYS_SEMGET, ipcKey, 1, unix.IPC_CREAT|0o666)
	name, _ := unix.BytePtrFromString("queue")
	attr := [8]int64{0, 4, 128}
	if fd, _, e := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_CREAT|unix.O_RDWR, 0o666, uintptr(unsafe.Pointer(&attr)), 0, 0); e == 0 {
		unix.CloseOnExec(int(fd))
		text := []byte(w.secret("a message of a POSIX queue"))
		_, _, _ = unix.Syscall6(unix.SYS_MQ_TIMEDSEND, fd, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)), 0, 0, 0)
	}
}

func addressOf(b *struct{ b [64]byte }) uintptr { return uintptr(unsafe.Pointer(b)) }
