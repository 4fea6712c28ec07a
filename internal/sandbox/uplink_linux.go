package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// plug is where a run's network is handed over: a pair of sockets over which
// the process sends the descriptors that it made in its own namespace.
type plug struct {
	up           Uplink
	doors        []Door
	ours, theirs *os.File
	stop         chan func() // has one, perhaps nil, once ready returned
}

func newPlug(up Uplink) (*plug, error) {
	doors := up.Doors()
	if len(doors) > maxDoors {
		return nil, bad("an uplink has %d doors, allowed are %d", len(doors), maxDoors)
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, failed(stepStart, "socket pair", err).classify()
	}
	return &plug{up, doors, os.NewFile(uintptr(fds[0]), "uplink"), os.NewFile(uintptr(fds[1]), "uplink"), make(chan func(), 1)}, nil
}

// close is for a plug that nothing comes through.
func (p *plug) close() {
	_ = p.ours.Close()
	_ = p.theirs.Close()
}

// ready waits for the process's descriptors and lets the uplink serve them. The
// answer is false when the process died, which its status explains.
func (p *plug) ready() (ok bool, err error) {
	var stop func()
	defer func() { p.stop <- stop }()
	defer p.close()
	files := p.receive()
	if len(files) != 1+2*len(p.doors) {
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
