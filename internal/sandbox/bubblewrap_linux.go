package sandbox

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// bubblewrap is the driver that lets the program bwrap of the system make
// namespaces and root: where a profile of AppArmor allows user namespaces to
// that program and to no other. Limits, Landlock, the filter and the rest are
// the helper's, which bwrap starts in place of the tool.
type bubblewrap struct {
	place string // where bwrap is looked for by tests; "" are those of the system
}

func (bubblewrap) name() string { return "bubblewrap" }

func (bubblewrap) open(bool) []string {
	open := []string{
		"scratch: its size is limited, the number of its files is not",
		"machine: /proc tells about the host's processors, memory and kernel",
		Sampled,
	}
	if linked() {
		open = append(open, librariesShown)
	}
	return open
}

// bwrapRoot is what bwrap is to build; the numbers are descriptors of bwrap.
type bwrapRoot struct {
	helper  int
	copied  bool    // the helper is read from the descriptor, and not mounted
	mounts  []Mount // Source is not used
	sources []int
	files   []string // below /etc
	texts   []int
	links   []link
	network bool
	room    int64
}

// args is the command line. A descriptor stands for each path of the host, so
// that what is mounted is what was looked at, and nothing is left to try: what
// bwrap cannot do ends it.
func (b *bwrapRoot) args() []string {
	a := []string{
		"bwrap", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup",
		"--uid", strconv.Itoa(innerID), "--gid", strconv.Itoa(innerID), "--hostname", "sandbox",
		"--as-pid-1", "--die-with-parent", "--cap-drop", "ALL", "--clearenv",
	}
	if !b.network {
		a = append(a, "--unshare-net")
	}
	for _, e := range helperEnv() {
		name, value, _ := strings.Cut(e, "=")
		a = append(a, "--setenv", name, value)
	}
	// One bound for both: names in /dev/shm lie in the scratch.
	a = append(a, "--perms", "1777", "--size", strconv.FormatInt(b.room, 10), "--tmpfs", ScratchDir, "--dir", "/dev", "--symlink", "../tmp", "/dev/shm")
	for _, d := range devices {
		a = append(a, "--dev-bind", "/dev/"+d, "/dev/"+d)
	}
	a = append(a, "--proc", "/proc")
	for _, l := range append(deviceLinks[:], b.links...) {
		a = append(a, "--symlink", l.to, "/"+l.at)
	}
	for i, f := range b.files {
		a = append(a, "--perms", "0444", "--file", strconv.Itoa(b.texts[i]), f)
	}
	if b.copied {
		a = append(a, "--perms", "0555", "--ro-bind-data", strconv.Itoa(b.helper), boxName)
	} else {
		a = append(a, "--ro-bind-fd", strconv.Itoa(b.helper), boxName)
	}
	for i, m := range b.mounts {
		how := "--ro-bind-fd"
		if m.Write {
			how = "--bind-fd"
		}
		a = append(a, how, strconv.Itoa(b.sources[i]), m.Target)
	}
	return append(a, "--remount-ro", "/", "--", boxName)
}

func (d bubblewrap) start(j Job, _ *group, rehearsal bool) (*tree, func(), error) {
	if j.Uplink != nil {
		return nil, nil, noUplink("the bubblewrap driver has no network of its own to give")
	}
	if !filterExists {
		return nil, nil, noFilter()
	}
	program, err := systemProgram("bwrap", d.place)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = program.Close() }()
	o, err := newBoxOrder(modest(j), rehearsal)
	if err != nil {
		return nil, nil, err
	}
	uid := os.Getuid()
	attr := &syscall.SysProcAttr{Setsid: true}
	if uid == 0 && !asRoot(o.job) {
		uid = nobody
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	files, b, err := o.bwrap(uid)
	defer func() { closeAll(files) }()
	if err != nil {
		return nil, nil, err
	}
	c, done, err := command{argv: b.args(), env: []string{}}.by(program)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	// bwrap hands on whatever it is given. All that this program opens itself
	// ends with an execution; this is for what it was started with.
	if err := unix.CloseRange(orderFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return nil, nil, failed(stepSeal, "descriptors", err).classify()
	}
	h, err := newHelper(c, j.Late, files, attr, (*child).killInner)
	if err != nil {
		return nil, nil, err
	}
	h.count = func(l Limits) (count, error) { return censusBelow(h.proc, l) }
	ended := make(chan ending, 1)
	outer := h.ended
	h.ended = ended
	go func() { ended <- (<-outer).decoded() }()
	run := h.give(o)
	run.blame = blameBwrap
	if uid == 0 {
		of := run.verdict
		run.verdict = func() ([]string, error) {
			notes, err := of()
			return append(notes, onlyCounted), err
		}
	}
	return run, func() {}, nil
}

// bwrap opens what bwrap is given, in the order of its descriptors, and says
// what it is to do with it. The files are the caller's to close.
func (o *order) bwrap(uid int) (files []*os.File, b *bwrapRoot, err error) {
	b = &bwrapRoot{mounts: o.job.Mounts, links: rootLinks(), network: o.job.Network, room: o.shape.room}
	next := func(f *os.File) int {
		files = append(files, f)
		return statusFD + len(files)
	}
	how := unix.O_PATH
	if b.copied = !passable(uid); b.copied {
		how = unix.O_RDONLY
	}
	exe, err := unix.Open(self, how|unix.O_CLOEXEC, 0)
	if err != nil {
		return files, nil, failed(stepStart, self, err).classify()
	}
	b.helper = next(os.NewFile(uintptr(exe), self))
	sources, err := o.look()
	if err != nil {
		return files, nil, err
	}
	for _, s := range sources {
		b.sources = append(b.sources, next(os.NewFile(uintptr(s.fd), s.Source)))
	}
	for _, f := range etcFiles(innerID, o.job.Network) {
		text, err := anonymous(f.Data)
		if err != nil {
			return files, nil, failed(stepFile, f.Target, err).classify()
		}
		b.files, b.texts = append(b.files, f.Target), append(b.texts, next(text))
	}
	return files, b, nil
}

// passable tells whether a user can come to this program by its path, which is
// the way that bwrap goes even from a descriptor. It costs some milliseconds
// where not: deleted, or in a directory that is closed to that user.
func passable(uid int) bool {
	exe, err := os.Readlink(self)
	if err != nil || !sameFile(exe, self) {
		return false
	}
	return uid == os.Getuid() || reachable([]Mount{{Source: exe}})
}

// anonymous is a file without a name that holds the data.
func anonymous(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "memory")
	if err = writeAll(fd, data); err == nil {
		_, err = unix.Seek(fd, 0, unix.SEEK_SET)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// decoded reads an exit code as those programs report it that wait for another
// one: above 128 it stands for a signal.
func (e ending) decoded() ending {
	if s := syscall.Signal(e.code - 128); e.code > 128 && unix.SignalName(s) != "" {
		e.code, e.signal = -1, unix.SignalName(s)
	}
	return e
}

// blameBwrap explains a helper that never ran by what bwrap said.
func blameBwrap(stderr []byte) error {
	first, _, _ := strings.Cut(strings.TrimSpace(string(stderr)), "\n")
	why, ok := strings.CutPrefix(first, "bwrap: ")
	if !ok {
		return nil
	}
	gone := strings.HasPrefix(why, "Can't ") && strings.Contains(why, " source") && strings.HasSuffix(why, ": No such file or directory")
	if gone || strings.HasPrefix(why, "Race condition") {
		// It compares what it mounted with what it was given, as we do. That every
		// source was there is known, for it is held open.
		return fault.New(fault.Denied, "mount_changed", "sandbox: a mount source changed meanwhile: bwrap says %s", spec.Quote(why))
	}
	return refusal("bwrap says %s", spec.Quote(why))
}

// killInner ends what the process started, which then ends itself: it must not
// go first, for nobody would wait for the others. While there is no other it
// is about to start one, and where that takes too long both end together.
func (c *child) killInner() {
	for range 100 {
		inner, gone := c.inner()
		for _, pid := range inner {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		if gone || len(inner) > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	c.killSession()
}

// killSession ends the process with what it may have started in this very moment, which
// would wait for ever for a word from it: they have one group, and that ends at once.
func (c *child) killSession() {
	_ = c.hold(func(pid int) error { return unix.Kill(-pid, unix.SIGKILL) })
}

// inner are the children of the process, and whether it is gone itself.
func (c *child) inner() (pids []int, gone bool) {
	err := c.hold(func(pid int) (err error) {
		pids, err = childrenOf(pid)
		return err
	})
	return pids, err != nil
}

// censusBelow counts without the process itself, which is not the tool's.
func censusBelow(c *child, l Limits) (count, error) {
	var sum count
	inner, gone := c.inner()
	if gone {
		return sum, nil
	}
	for _, pid := range inner {
		n, err := census(pid, l)
		if err != nil {
			return sum, err
		}
		sum.processes += n.processes
		sum.memory += n.memory
	}
	return sum, nil
}
