package sandbox

import (
	"context"
	"os"
	"path"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// drivers lists what Linux has, best first.
func drivers(opts Options) []driver {
	return []driver{namespaces{}, landlock{temp: opts.Temp}}
}

// namespaces is the driver with a world of its own for every run.
type namespaces struct{}

func (namespaces) name() string { return "namespaces" }

// open is empty: what this driver leaves open, the helper notes while it runs.
func (namespaces) open(Job) []string { return nil }

func (n namespaces) try(ctx context.Context) ([]string, error) { return nil, rehearse(ctx, n) }

func (n namespaces) start(j Job) (*tree, func(), error) { return n.launch(j, false) }

func (namespaces) launch(j Job, rehearsal bool) (*tree, func(), error) {
	if !filterExists {
		return nil, nil, noFilter()
	}
	o := &order{job: j, rehearsal: rehearsal, links: rootLinks()}
	if j.Network {
		o.job.Files = append(slices.Clone(j.Files), networkFiles()...)
		o.job.Mounts = append(slices.Clone(j.Mounts), certificates()...)
	}
	uid, gid := os.Getuid(), os.Getgid()
	attr := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		Setsid:     true,
		// The helper is executed as a user without a name, who keeps over
		// that only what is ambient.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP},
	}
	if uid == 0 {
		if reachable(j.Mounts) {
			uid, gid = nobody, nobody
		} else {
			// The job's files are root's alone, so its processes are too, with
			// no capability; but the kernel does not count root's processes.
			o.pidMax = pidMaxFor(j.Limits.Processes)
		}
		attr.Credential = &syscall.Credential{Uid: innerID, Gid: innerID}
		attr.GidMappingsEnableSetgroups = true // to leave root's groups
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: innerID, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: innerID, HostID: gid, Size: 1}}
	if !j.Network {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	// The first process of a pid namespace takes all others with it.
	t, err := launch(o, attr, func(p *os.Process) { _ = p.Kill() }, nil)
	return t, func() {}, err
}

// pidMaxFor bounds a pid namespace so that twice the processes fit: the kernel
// keeps the first 300 numbers for the first time around, and a tool that
// starts many processes one after the other must go on finding numbers.
func pidMaxFor(processes int) int { return 301 + 2*processes }

func noFilter() error {
	return &hostRefusal{fault.New(fault.Denied, "sandbox_unavailable", "no system call filter was written for %s", runtime.GOARCH)}
}

// rehearsalTime is how long a host may take to build an empty sandbox.
const rehearsalTime = 10 * time.Second

// rehearse runs everything of a driver but a program.
func rehearse(ctx context.Context, d interface {
	launch(Job, bool) (*tree, func(), error)
}) error {
	job := Job{Argv: []string{"/"}, Dir: ScratchDir}
	job.Limits = Limits{Wall: rehearsalTime}.withDefaults()
	t, clean, err := d.launch(job, true)
	if err != nil {
		return err
	}
	defer clean()
	_, err = t.supervise(ctx, job.Limits, func() time.Time { return time.Time{} })
	return err
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
