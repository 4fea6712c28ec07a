package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// inWorld is the command
//
//	in-world cmd…
//
// which runs a command on a machine with an internet of its own: 8.8.8.8 is
// there, and 192.168.7.7 in the local network, and both listen at port 80.
func inWorld() {
	if err := playInWorld(os.Args[1:]); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			os.Exit(exit.ExitCode())
		}
		fmt.Fprintln(os.Stderr, "in-world:", err)
		os.Exit(99)
	}
}

func playInWorld(args []string) error {
	runtime.LockOSThread() // capabilities and namespaces belong to a thread
	if len(args) == 0 {
		return errors.New("usage: in-world cmd…")
	}
	if os.Getenv("IN_WORLD") == "" { // outside: start again inside
		cmd := exec.Command("/proc/self/exe", args...)
		cmd.Args[0], cmd.Env = "in-world", append(os.Environ(), "IN_WORLD=1")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.SysProcAttr = ownMounts()
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET
		cmd.SysProcAttr.AmbientCaps = append(cmd.SysProcAttr.AmbientCaps, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE)
		return cmd.Run()
	}
	far, machine := make(chan error), unix.Gettid()
	go func() {
		runtime.LockOSThread() // this thread stays out there
		far <- farAway(machine)
		select {}
	}()
	if err := <-far; err != nil {
		return err
	}
	if err := ipCommands("link set lo up", "link set near up", "addr add 10.9.0.1/24 dev near", "route add default via 10.9.0.2"); err != nil {
		return err
	}
	// The right to do all that is for us alone.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

// farAway makes the rest of the world.
func farAway(machine int) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return err
	}
	err := ipCommands("link set lo up", fmt.Sprintf("link add far type veth peer name near netns %d", machine), "link set far up",
		"addr add 10.9.0.2/24 dev far", "addr add 8.8.8.8/32 dev lo", "addr add 192.168.7.7/32 dev lo", "route add default via 10.9.0.1")
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", ":80")
	if err != nil {
		return err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return nil
}

func ipCommands(commands ...string) error {
	for _, c := range commands {
		if out, err := exec.Command("ip", strings.Fields(c)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", c, err, out)
		}
	}
	return nil
}

// canWorld tells whether this user may make a world, and ip is there for it.
var canWorld = sync.OnceValue(func() bool {
	cmd := exec.Command("/proc/self/exe", "/bin/true")
	cmd.Args[0] = "in-world"
	return cmd.Run() == nil
})
