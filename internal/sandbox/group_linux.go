package sandbox

import (
	"errors"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// groupPrefix begins the name of every group that this package makes.
const groupPrefix = "patch-git-"

// group is the control group of one run: the kernel holds the whole tree to
// the limits, tells afterwards which it met, and ends all of it at one word.
// What ends and removes it does nothing on nil, which is a run without.
//
// The descriptor is open and locked for as long as the run lives. The lock ends
// with this process however it ends, so that whoever comes next can tell what
// was left behind from what is in use, in other namespaces too.
type group struct {
	dir string
	fd  int
}

// groupedSlack keeps the limit on a user's processes, the second layer, behind
// that of the group.
const groupedSlack = 16

// groupNumber makes the names of one process differ.
var groupNumber atomic.Uint64

// leastGroup is the smallest limit on memory that a group is used for. A process
// shares the memory of this program until it becomes its own, and whoever is
// short of memory by then would take both with it; the kernel's own structures
// for that time are a small part of this. Nothing is run with less.
const leastGroup = 16 << 20

// make makes a group with limits; nil without an error where there is none for
// them.
func (g *groups) make(l Limits) (*group, error) {
	if g == nil || l.Memory < leastGroup {
		return nil, nil
	}
	for {
		r, err := g.claim()
		if err != nil {
			return nil, err
		}
		if err = r.limit(l); err == nil {
			return r, nil
		}
		gone := !r.has("cgroup.procs")
		r.remove()
		if !gone {
			return nil, err
		}
		// Somebody who sweeps was quicker than the lock.
	}
}

// claim makes a group and locks it.
func (g *groups) claim() (*group, error) {
	for {
		dir := g.dir + "/" + groupPrefix + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(groupNumber.Add(1), 10)
		// EEXIST: a process of another pid namespace has the same number.
		if err := unix.Mkdir(dir, 0o755); err == unix.EEXIST {
			continue
		} else if err != nil {
			return nil, err
		}
		fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		switch {
		case err == unix.ENOENT:
			continue // swept
		case err != nil:
			_ = unix.Rmdir(dir)
			return nil, err
		}
		r := &group{dir: dir, fd: fd}
		if err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return r, nil
		}
		r.remove()
		if err != unix.EWOULDBLOCK {
			return nil, err
		}
	}
}

// limit limits processes, and memory, over all of the tree and without swap, and
// has all of it end together where that is not enough: half a program is of no
// use.
func (r *group) limit(l Limits) error {
	if !r.has("cgroup.kill") { // Linux 5.14
		return unix.EOPNOTSUPP
	}
	for _, f := range []struct{ name, value string }{
		{"memory.max", strconv.FormatInt(l.Memory, 10)},
		{"memory.swap.max", "0"},
		{"memory.oom.group", "1"},
		{"pids.max", strconv.Itoa(l.Processes)},
	} {
		err := write(r.dir, f.name, f.value)
		if errors.Is(errnoOf(err), unix.ENOENT) && f.name == "memory.swap.max" && r.has("memory.max") {
			continue // a kernel without swap
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *group) has(file string) bool {
	return unix.Access(r.dir+"/"+file, unix.W_OK) == nil
}

// kill ends every process in the group, those too that are just being made.
func (r *group) kill() {
	if r != nil {
		_ = write(r.dir, "cgroup.kill", "1")
	}
}

// tally tells which limits the tree met.
func (r *group) tally() (outOfMemory, tooManyProcesses bool) {
	if r == nil {
		return false, false
	}
	events := []byte("\n" + read(r.dir, "memory.events"))
	// Some process was killed, and for this limit: the machine's own shortage
	// counts in the first number alone.
	outOfMemory = field(events, "\noom_kill ") > 0 && field(events, "\noom ") > 0
	return outOfMemory, field([]byte("\n"+read(r.dir, "pids.events")), "\nmax ") > 0
}

// holds is the memory of the tree at this moment, in bytes.
func (r *group) holds() int64 {
	n, _ := strconv.ParseInt(read(r.dir, "memory.current"), 10, 64)
	return n
}

// remove waits until the killed processes are gone, and removes the group. One
// in the middle of a system call takes its time.
func (r *group) remove() {
	if r == nil {
		return
	}
	for i := range 200 {
		if err := unix.Rmdir(r.dir); err != unix.EBUSY {
			break
		}
		if i == 0 {
			r.kill()
		}
		if i < 20 {
			runtime.Gosched() // mostly, the last of them is just leaving
			continue
		}
		time.Sleep(time.Millisecond)
	}
	_ = unix.Close(r.fd)
}

// sweep removes the groups of callers that were killed before they could.
func (g *groups) sweep() {
	dir, err := os.Open(g.dir)
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if !strings.HasPrefix(name, groupPrefix) || name == callerGroup {
			continue
		}
		left := group{dir: path.Join(g.dir, name)}
		if left.fd, err = unix.Open(left.dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0); err != nil {
			continue
		}
		if unix.Flock(left.fd, unix.LOCK_EX|unix.LOCK_NB) != nil {
			_ = unix.Close(left.fd) // in use
			continue
		}
		left.remove()
	}
}
