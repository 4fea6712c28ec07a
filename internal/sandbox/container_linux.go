package sandbox

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// container is the driver that has docker or podman make a container of what
// lies on this machine: no image is fetched, all files are mounted. A relay in
// it starts the helper; limits, Landlock, the filter and the rest are the
// helper's, on top of what the engine does.
type container struct{ temp string }

func (container) name() string { return "container" }

func (container) open(bool) []string {
	open := []string{
		"scratch: /dev/shm has 1 MiB of its own beside it",
		"machine: /proc and /sys tell about the host's processors, memory and kernel",
		"processes: a burst can exceed the limit by 32 before it ends the run",
		"memory: a burst can exceed the limit by 64 MiB and the room of the scratch before it ends the run",
		"mounts: what is mounted below a granted directory is not seen in it",
	}
	if linked() {
		open = append(open, librariesShown)
	}
	return open
}

const (
	// engineTime is how long an engine may take to answer, or to end a
	// container that has to end.
	engineTime = 20 * time.Second
	// Room for the relay, besides what the tool may have.
	relayMemory = 64 << 20
	relayTasks  = 32
)

// found is an engine that is there.
type found struct {
	engine
	program *os.File
	state   string // a directory of its own
}

// findEngine looks for docker with a service that listens, then for podman.
// Where a service is, and what it is called, is not asked of the environment:
// it could be another machine.
func findEngine(state string) (*found, error) {
	docker, err := systemProgram("docker", "")
	if err == nil {
		for _, socket := range []string{"/run/user/" + decimal(os.Getuid()) + "/docker.sock", "/var/run/docker.sock"} {
			if owned(socket) {
				return &found{engine{global: []string{"--host", "unix://" + socket}}, docker, state}, nil
			}
		}
		_ = docker.Close()
		err = refusal("docker is installed and its service does not run")
	}
	podman, err2 := systemProgram("podman", "")
	if err2 != nil {
		return nil, refusal("%w; %w", err, err2)
	}
	global := []string{"--root", state + "/root", "--runroot", state + "/runroot", "--storage-driver", "vfs", "--events-backend", "none"}
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		global = append(global, "--cgroup-manager", "cgroupfs")
	}
	return &found{engine{podman: true, global: global}, podman, state}, nil
}

// owned tells whether a socket is root's or the user's own.
func owned(socket string) bool {
	var st unix.Stat_t
	err := unix.Stat(socket, &st)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK && (st.Uid == 0 || int(st.Uid) == os.Getuid())
}

// env is all that an engine is told: its places, and a home without settings.
func (f *found) env() []string {
	env := []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin", "HOME=" + f.state, "TMPDIR=" + f.state}
	if run := "/run/user/" + decimal(os.Getuid()); f.podman {
		if _, err := os.Stat(run); err == nil {
			env = append(env, "XDG_RUNTIME_DIR="+run, "DBUS_SESSION_BUS_ADDRESS=unix:path="+run+"/bus")
		}
	}
	return env
}

// launch starts the engine's program. The ending comes when it has ended.
func (f *found) launch(argv []string, files []*os.File) (*child, <-chan ending, error) {
	c, done, err := command{argv: argv, env: f.env()}.by(f.program)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	if err := unix.CloseRange(orderFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return nil, nil, failed(stepSeal, "descriptors", err).classify()
	}
	proc, ended, err := start(func() (*child, error) {
		return fork(c, files, &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL})
	}, nil)
	if err != nil {
		return nil, nil, failed(stepStart, f.program.Name(), errnoOf(err)).classify()
	}
	return proc, ended, nil
}

// ask runs a command of the engine and returns what it printed.
func (f *found) ask(argv []string, input []byte) (string, error) {
	return f.askWithin(engineTime, argv, input)
}

// askWithin is ask, for as long as that takes no longer. An engine's program can be
// several processes, and what is left of them may hold the pipe on.
func (f *found) askWithin(longest time.Duration, argv []string, input []byte) (string, error) {
	in, err := anonymous(input)
	if err != nil {
		return "", failed(stepStart, "pipe", err).classify()
	}
	defer func() { _ = in.Close() }()
	outR, outW, err := os.Pipe()
	if err != nil {
		return "", failed(stepStart, "pipe", errnoOf(err)).classify()
	}
	proc, ended, err := f.launch(argv, []*os.File{in, outW, outW})
	_ = outW.Close()
	defer func() { _ = outR.Close() }()
	if err != nil {
		return "", err
	}
	late := time.AfterFunc(longest, func() { proc.killSession(); hasten(outR) })
	defer late.Stop()
	printed, _ := readTail(outR, maxStatus)
	if end := <-ended; end.code != 0 {
		return "", refusal("%s says %s", argv[0], said(printed))
	}
	return string(printed), nil
}

// said is what an engine wrote, short and quoted: it can repeat names of files.
func said(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "rror") }) // not a warning
	line := strings.TrimPrefix(lines[max(i, 0)], "docker: ")
	const most = 500 // the cause stands at the end of a long chain
	return strconv.QuoteToASCII(line[max(0, len(line)-most):])
}

// empty is the image of docker, or the directory of podman, that holds nothing.
func (f *found) empty() (string, error) {
	if f.podman {
		dir := f.state + "/empty"
		if err := os.Mkdir(dir, 0o755); err != nil {
			return "", fault.New(fault.Unavailable, "scratch", "make scratch directory: %w", err)
		}
		return dir, nil
	}
	for range 2 {
		if printed, err := f.ask(f.inspect(), nil); err == nil {
			if id := emptyImage(printed); id != "" {
				return id, nil
			}
		}
		if _, err := f.ask(f.load(), make([]byte, emptyTar)); err != nil {
			return "", err
		}
	}
	return "", refusal("docker does not give back the empty image that it was given")
}

func (c container) start(j Job, _ *group, rehearsal bool) (_ *tree, _ func(), err error) {
	if j.Uplink != nil {
		return nil, nil, noUplink("the container driver has no network of its own to give")
	}
	if !filterExists {
		return nil, nil, noFilter()
	}
	temp := cmp.Or(c.temp, "/tmp")
	if len(temp)+len(scratchPrefix) > 30 {
		temp = "/tmp" // podman takes no state whose path has more than 50 bytes
	}
	s, err := newScratch(temp, os.Getuid())
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			s.remove()
		}
	}()
	j = modest(j)
	eng, err := findEngine(s.dir)
	if err != nil {
		return nil, nil, err
	}
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 && !asRoot(j) {
		uid, gid = nobody, nobody
	}
	o, err := newBoxOrder(j, rehearsal)
	if err == nil {
		err = o.furnish(s, uid)
	}
	if err != nil {
		return nil, nil, err
	}
	o.others = tasksOf(uid) + 3*j.Limits.Processes + relayTasks
	cl := &cell{
		uid: uid, gid: gid, network: j.Network, mounts: o.job.Mounts, room: o.shape.room, inodes: rootInodes + len(j.Files),
		memory: j.Limits.Memory + o.shape.room + relayMemory, processes: j.Limits.Processes + relayTasks,
		// The helper lowers both. More than that is never asked for, because
		// an engine may have less of it than this process.
		files: min(ceilingOf(unix.RLIMIT_NOFILE), 1024), tasks: min(ceilingOf(unix.RLIMIT_NPROC), uint64(o.others+j.Limits.Processes+1024)),
	}
	if cl.name, err = newName(); err != nil {
		return nil, nil, err
	}
	exe, err := os.Readlink(self)
	if err != nil || !sameFile(exe, self) {
		return nil, nil, refusal("this program was replaced or removed while it runs")
	}
	cl.mounts = append(slices.Clone(cl.mounts), Mount{Source: exe, Target: boxName})
	if cl.image, err = eng.empty(); err != nil {
		return nil, nil, err
	}
	t, err := eng.contain(cl, o)
	if err != nil {
		return nil, nil, err
	}
	return t, func() { _ = eng.program.Close(); s.remove() }, nil
}

// furnish adds the mounts that the root lacks without an image: what is in
// /etc, and the links at the top of the tree as mounts of their own.
func (o *order) furnish(s *scratch, uid int) error {
	o.job.Mounts = append(o.job.Mounts, aliases(o.job.Mounts, rootLinks())...)
	if err := os.Mkdir(s.dir+"/etc", 0o755); err != nil {
		return fault.New(fault.Unavailable, "scratch", "make scratch directory: %w", err)
	}
	for _, f := range etcFiles(uid, o.job.Network) {
		at := s.dir + "/etc/" + path.Base(f.Target)
		if err := os.WriteFile(at, f.Data, 0o444); err != nil {
			return fault.New(fault.Unavailable, "scratch", "write to scratch directory: %w", err)
		}
		o.job.Mounts = append(o.job.Mounts, Mount{Source: at, Target: f.Target})
	}
	o.sortMounts()
	sources, err := o.look()
	closeSources(sources)
	return err
}

// aliases are the mounts that the host has a second way to, by a link at the
// top of its tree.
func aliases(mounts []Mount, links []link) []Mount {
	var more []Mount
	for _, l := range links {
		for _, m := range mounts {
			if rest, ok := strings.CutPrefix(m.Target, "/"+l.to); ok && below(m.Target, "/"+l.to) {
				more = append(more, Mount{Source: m.Source, Target: "/" + l.at + rest, Write: m.Write})
			}
		}
	}
	return more
}

// ceilingOf is the limit that this process has itself. An engine that asks for
// more, as they do, is refused where it has no right to.
func ceilingOf(what int) uint64 {
	var have unix.Rlimit
	if unix.Prlimit(0, what, nil, &have) != nil {
		return 1024
	}
	return have.Max
}

func newName() (string, error) {
	var b [12]byte
	if _, err := unix.Getrandom(b[:], 0); err != nil {
		return "", failed(stepStart, "name", err).classify()
	}
	return "patch-git-" + hex.EncodeToString(b[:]), nil
}

// contain starts the container and stands between its frames and the pipes of
// a helper.
func (f *found) contain(c *cell, o *order) (*tree, error) {
	p, err := newPipes(o.job.Late)
	if err != nil {
		return nil, failed(stepStart, "pipe", errnoOf(err)).classify()
	}
	outer, err := newPipes(true)
	if err != nil {
		p.closeAll()
		return nil, failed(stepStart, "pipe", errnoOf(err)).classify()
	}
	_ = outer.order.Close()
	_ = outer.status.Close()
	proc, ended, err := f.launch(f.run(c), []*os.File{outer.stdinR, outer.stdoutW, outer.stderrW})
	outer.closeTheirs()
	if err != nil {
		p.closeAll()
		outer.closeAll()
		return nil, err
	}
	w := &wire{p: p, to: &framer{w: outer.stdin}, ended: make(chan ending, 1)}
	go w.talk(opening{o.job.Late, o.job.Limits.Memory, o.job.Limits.Processes})
	engineSaid := make(chan []byte, 1)
	go func() {
		b, _ := readTail(outer.stderr, maxStatus)
		_ = outer.stderr.Close()
		engineSaid <- b
	}()
	var once sync.Once
	kill := func() {
		w.killed.Store(true)
		_ = outer.stdin.Close() // the relay sees it and takes all others with it
		// Nobody need read what comes now, and the end must not wait for that.
		_ = p.stdoutW.Close()
		_ = p.stderrW.Close()
		once.Do(func() {
			// If it does not, the engine ends it; and if that does not either,
			// nothing holds this call up for ever.
			go func() {
				_, _ = f.ask(f.end(c.name), nil)
				time.AfterFunc(engineTime, func() { proc.killSession(); hasten(outer.stdout, outer.stderr) })
			}()
		})
	}
	go func() {
		w.listen(outer.stdout)
		_ = outer.stdout.Close()
		end := <-ended
		once.Do(func() {}) // it is gone
		_ = outer.stdin.Close()
		w.ended <- w.ending(end)
	}()
	h := &helper{pipes: p, proc: proc, ended: w.ended, kill: kill, count: func(Limits) (count, error) { return w.counted() }}
	t := h.give(o)
	if of := t.verdict; f.podman {
		t.verdict = func() ([]string, error) {
			notes, err := of()
			return append(notes, "scratch: podman limits its size, and not the number of its files"), err
		}
	}
	t.blame = func([]byte) error {
		b := <-engineSaid
		if len(bytes.TrimSpace(b)) == 0 {
			return nil
		}
		return refusal("%s says %s", f.argv()[0], said(b))
	}
	return t, nil
}
