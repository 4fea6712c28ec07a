package sandbox

import (
	"errors"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// drivers lists what Linux has, best first.
func drivers(opts Options) []driver {
	return []driver{namespaces{}, landlock{temp: opts.Temp}, bubblewrap{}, container{temp: opts.Temp}}
}

// namespaces is the driver with a world of its own for every run.
type namespaces struct{}

func (namespaces) name() string { return "namespaces" }

func (namespaces) hides()   {}
func (namespaces) grouped() {}

// open is little: what else this driver leaves open, the process notes while
// it sets itself up.
func (namespaces) open(grouped bool) []string {
	if grouped {
		return nil
	}
	return []string{Sampled}
}

// asRoot tells whether the processes of a job are the host's root, without
// capabilities: root's, where some mount or this program can be read by nobody
// else.
func asRoot(j Job) bool { return os.Getuid() == 0 && !reachable(j.Mounts) }

func (namespaces) start(j Job, g *group, rehearsal bool) (*tree, func(), error) {
	if !filterExists {
		return nil, nil, noFilter()
	}
	j = modest(j)
	rooted := asRoot(j)
	ids := mapping{uid: os.Getuid(), gid: os.Getgid()}
	if ids.uid == 0 {
		if !rooted {
			ids.uid, ids.gid = nobody, nobody
		}
		ids.change = true
	}
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP)
	if !j.Network || j.Uplink != nil {
		flags |= unix.CLONE_NEWNET
	}
	o := &order{job: j, rehearsal: rehearsal, links: rootLinks(), change: ids.change}
	if j.Network {
		files := networkFiles
		if j.Uplink != nil {
			files = uplinkFiles
		}
		o.job.Files = append(slices.Clone(j.Files), files()...)
		o.job.Mounts = append(slices.Clone(j.Mounts), certificates()...)
	}
	if g != nil {
		o.others = groupedSlack
	} else if rooted {
		// The kernel does not count root's processes, but it can number them.
		o.pidMax = pidMaxFor(j.Limits.Processes)
	}
	sources, err := openSources(o.job.Mounts)
	if err != nil {
		return nil, nil, err
	}
	t, end, err := startCage(o, sources, flags, ids, g)
	if err != nil {
		closeSources(sources)
		return nil, nil, err
	}
	return t, func() { end(); closeSources(sources) }, nil
}

// startCage starts the process that follows the plan of a cage. The first
// process of a pid namespace takes all others with it. end is for what serves
// them.
func startCage(o *order, sources []source, flags uintptr, ids mapping, g *group) (t *tree, end func(), err error) {
	q, err := newPipes(o.job.Late)
	if err != nil {
		return nil, nil, failed(stepStart, "pipe", errnoOf(err)).classify()
	}
	end = func() {}
	if o.job.Uplink != nil {
		if q.plug, err = newPlug(o.job.Uplink); err != nil {
			q.closeAll()
			return nil, nil, err
		}
		end = q.plug.end
	}
	p := cageOf(o, sources, q)
	var unnamed error
	proc, ended, err := start(func() (*child, error) {
		c, err := p.spawn(flags, g)
		if err == nil { // here, for it waits, and to wake another thread would take longer
			unnamed = c.name(ids, q.order)
		}
		return c, err
	}, nil)
	if err != nil {
		q.closeAll()
		return nil, nil, failed(stepStart, "", errnoOf(err)).classify()
	}
	q.closeTheirs()
	h := &helper{pipes: q, proc: proc, ended: ended, kill: proc.kill}
	if unnamed != nil {
		return nil, nil, h.refused(p, unnamed)
	}
	t = h.watch(o.job, nil, g)
	t.verdict = func() ([]string, error) { return verdict(q.status, p) }
	t.linger = proc.linger
	return t, end, nil
}

// refused ends a process that got no name, and returns the error of that, but
// where the process ended before: then it says better why.
func (h *helper) refused(p *plan, err error) error {
	h.kill()
	<-h.ended
	defer h.pipes.closeAll()
	said, _ := io.ReadAll(io.LimitReader(h.pipes.status, maxStatus))
	_, why := readStatus(said, p)
	if s, ok := errors.AsType[*setupError](why); ok {
		return s.classify()
	}
	return err
}

// mapping says which host user the one user of a new user namespace is.
type mapping struct {
	uid, gid int
	change   bool // the helper is somebody else yet, and has groups to leave
}

// orderNamed follows the mapping on the order's pipe.
const orderNamed = 'n'

// name writes the mappings of the process's user namespace, and tells it by its
// order's pipe.
func (c *child) name(m mapping, order *os.File) error {
	line := func(host int) string { return strconv.Itoa(innerID) + " " + strconv.Itoa(host) + " 1" }
	files := []struct{ name, text string }{{"uid_map", line(m.uid)}, {"gid_map", line(m.gid)}}
	if !m.change {
		// The kernel asks this of those who are not root: a group that denies
		// something must not be left.
		files = append([]struct{ name, text string }{{"setgroups", "deny"}}, files...)
	}
	for _, f := range files {
		err := c.hold(func(pid int) error {
			fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/"+f.name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
			if err == nil {
				_, err = unix.Write(fd, []byte(f.text))
				_ = unix.Close(fd)
			}
			return err
		})
		if err != nil {
			return failed(stepNames, f.name, err).classify()
		}
	}
	_, _ = order.Write([]byte{orderNamed}) // a process that died says why by the verdict
	return nil
}

// pidMaxFor bounds a pid namespace so that twice the processes fit: the kernel
// keeps the first 300 numbers for the first time around, and a tool that
// starts many processes one after the other must go on finding numbers.
func pidMaxFor(processes int) int { return 301 + 2*processes }

func noFilter() error {
	return &hostRefusal{fault.New(fault.Denied, "sandbox_unavailable", "no system call filter was written for %s", runtime.GOARCH)}
}

// rootLinks are the host's links at the top of the tree, for programs are
// linked to names such as /lib64/ld-linux-x86-64.so.2. Where no mount is
// behind them they lead nowhere.
func rootLinks() []link {
	var links []link
	for _, name := range []string{"bin", "lib", "lib32", "lib64"} {
		if to, err := os.Readlink("/" + name); err == nil && !path.IsAbs(to) {
			links = append(links, link{name, to})
		}
	}
	return links
}
