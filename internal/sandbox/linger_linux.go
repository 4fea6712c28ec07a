package sandbox

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// linger keeps the mounts and the network of a process beyond its end, until release
// is called. The kernel takes them down before it tells that the process has ended,
// and waits for all processors several times meanwhile, which is half a millisecond
// of an answer of two. No process is left in them: the first one of a pid namespace
// takes all others with it. Where they cannot be kept the end comes later, that is all.
func (c *child) linger() (release func()) {
	var kept []int
	_ = c.hold(func(pid int) error {
		for _, name := range []string{"mnt", "net"} {
			fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/ns/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return err // it has ended
			}
			kept = append(kept, fd)
		}
		return nil
	})
	return func() {
		for _, fd := range kept {
			_ = unix.Close(fd)
		}
	}
}
