package sandbox

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// landlock is the driver for hosts that refuse user namespaces. The program
// keeps the host's root, of which Landlock lets it read what the job lists.
// Its processes stay in one process group, which is killed as a whole.
type landlock struct{ temp string }

func (landlock) name() string { return "landlock" }

func (landlock) grouped() {}

// open is the honest list of what has no mediation here.
func (landlock) open(grouped bool) []string {
	notes := []string{
		"hidden paths: that a host file exists, its size, owner and times, and where a link points, and how full a file system is, can be seen",
		"the host: its name, and that a process exists, its group and its session, can be seen",
		"scratch: each file is limited, their sum is not",
	}
	if !grouped {
		notes = append(notes, "processes: a burst can reach four times the limit before it ends the run", Sampled)
	}
	return notes
}

// tether holds a run together: its process group and its scratch.
type tether struct {
	keeper  *keeper
	scratch *scratch
	sources []source
}

// runAs is the user that a job's processes are: root's become nobody's, where
// nobody can reach what they need.
func runAs(j Job, temp string) int {
	if uid := os.Getuid(); uid != 0 {
		return uid
	}
	if reachable(append(slices.Clone(j.Mounts), Mount{Source: temp})) {
		return nobody
	}
	return 0
}

func (l landlock) start(j Job, g *group, rehearsal bool) (_ *tree, _ func(), err error) {
	if !filterExists {
		return nil, nil, noFilter()
	}
	if abi := landlockABI(); abi < leastLandlock {
		return nil, nil, &hostRefusal{fault.New(fault.Denied, "sandbox_unavailable",
			"landlock has ABI %d, at least %d is needed (Linux 6.2)", abi, leastLandlock)}
	}
	if j.Uplink != nil {
		return nil, nil, noUplink("the landlock driver has no network of its own to give")
	}
	j = modest(j)
	temp := cmp.Or(l.temp, "/tmp")
	uid, t := runAs(j, temp), &tether{}
	if t.scratch, err = newScratch(temp, uid); err != nil {
		return nil, nil, err
	}
	if t.keeper, err = newKeeper(); err != nil {
		t.scratch.remove()
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			t.clean()
		}
	}()
	j = relocate(t.scratch.dir, j.Mounts).job(j)
	if err := t.scratch.fill(j.Files); err != nil {
		return nil, nil, err
	}
	j.Files = nil
	o := &order{job: j, rehearsal: rehearsal, leash: true, scratchDir: t.scratch.dir, others: tasksOf(uid) + 3*j.Limits.Processes, change: uid != os.Getuid()}
	run, err := t.start(o, uid, g)
	if err != nil {
		return nil, nil, err
	}
	return run, t.clean, nil
}

// start starts the process that follows the plan of a leash.
func (t *tether) start(o *order, uid int, g *group) (_ *tree, err error) {
	if t.sources, err = openSources(o.job.Mounts); err != nil {
		return nil, err
	}
	q, err := newPipes(o.job.Late)
	if err != nil {
		return nil, failed(stepStart, "pipe", errnoOf(err)).classify()
	}
	p := leashOf(o, t, uid, q)
	proc, ended, err := start(func() (*child, error) { return p.spawn(0, g) }, t.keeper.killGroup)
	if err != nil {
		q.closeAll()
		return nil, failed(stepStart, "", errnoOf(err)).classify()
	}
	q.closeTheirs()
	// Until it joins the group it is not ended with it, and nobody asks twice.
	kill := func() { proc.kill(); t.keeper.killGroup() }
	run := (&helper{pipes: q, proc: proc, ended: ended, kill: kill}).watch(o.job, nil, g)
	run.verdict = func() ([]string, error) {
		notes, err := verdict(q.status, p)
		if uid == 0 && g == nil {
			notes = append(notes, onlyCounted)
		}
		return notes, err
	}
	return run, nil
}

func (t *tether) clean() {
	closeSources(t.sources)
	t.keeper.dismiss()
	t.scratch.remove()
}

// leashOf is the plan of a process that keeps the host's root.
func leashOf(o *order, t *tether, uid int, q *pipes) *plan {
	p := newPlan()
	p.streams(q.theirs())
	p.dieWithParent()
	p.call(stepStart, "process group", unix.SYS_SETPGID, 0, num(t.keeper.proc.pid))
	if o.change {
		p.emptyBounds()
		p.become(uid)
	}
	// Orphans come back to the program, so that the count from outside finds
	// them. The filter keeps it that way.
	p.call(stepSeal, "subreaper", unix.SYS_PRCTL, unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	attr := landlockAttrFor(landlockABI(), o.job.Network)
	writable := attr.fs &^ llNever
	rules := []rights{{path: o.scratchDir, allowed: writable, dir: true}}
	for i, s := range t.sources {
		r := rights{path: s.Source, allowed: llRead, dir: s.dir, same: &t.sources[i]}
		if s.Write {
			r.allowed = writable
		}
		rules = append(rules, r)
	}
	for _, d := range devices {
		rules = append(rules, rights{path: "/dev/" + d, allowed: llDevice})
	}
	for _, f := range tablePaths() {
		rules = append(rules, rights{path: f, allowed: llRead})
	}
	if o.job.Network {
		for _, f := range networkPaths() {
			info, err := os.Stat(f)
			rules = append(rules, rights{path: f, allowed: llRead, dir: err == nil && info.IsDir()})
		}
	}
	p.landlock(attr, rules)
	p.seal(o)
	return p
}

// keeper is a second process, outside of the sandbox, that leads the process
// group of a run. It does nothing but hold the read end of a pipe: when this
// process dies, the pipe ends and the keeper kills the group and itself. While
// it is not reaped, the group's number belongs to nobody else.
type keeper struct {
	proc *child
	life *os.File
}

func newKeeper() (*keeper, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, failed(stepStart, "pipe", errnoOf(err)).classify()
	}
	defer func() { _ = r.Close() }()
	p := keeping(r.Fd())
	// It outlives this process, so it has a memory of its own: whoever ends all
	// that share one, as the kernel does when there is none left, leaves it.
	proc, err := p.clone(0, nil)
	if err == nil {
		// The keeper does it, too: whoever comes first. Here it must be done
		// before somebody joins the group, there before the group is killed.
		if err = unix.Setpgid(proc.pid, proc.pid); err != nil {
			proc.kill()
			_ = proc.reap()
		}
	}
	if err != nil {
		_ = w.Close()
		return nil, failed(stepStart, "keeper", errnoOf(err)).classify()
	}
	return &keeper{proc: proc, life: w}, nil
}

// keeping is a keeper's whole life.
func keeping(pipe uintptr) *plan {
	p, word := newPlan(), new(uint64)
	// A caller that is killed right after the start has not made the group yet,
	// and the one that would be killed were the caller's own, with all that a
	// shell put into it.
	p.call(stepStart, "", unix.SYS_SETPGID, 0, 0)
	if pipe != 0 { // where the caller's own was closed
		p.call(stepStart, "", unix.SYS_DUP3, pipe, 0, 0)
	}
	p.call(stepStart, "", unix.SYS_CLOSE_RANGE, 1, math.MaxUint32, 0)
	// Nobody writes: what ends this is the end of the caller.
	p.call(stepStart, "", unix.SYS_READ, 0, p.at(unsafe.Pointer(word)), 1)
	// Group 0 is the own one: no number that could have become another's.
	p.call(stepStart, "", unix.SYS_KILL, 0, uintptr(unix.SIGKILL))
	return p
}

// killGroup ends everything in the group. setsid and setpgid are refused in
// it, so everything is everyone; a fork that is under way fails. Once the keeper is
// reaped the number may be a stranger's, and whoever asks late ends nothing.
func (k *keeper) killGroup() {
	_ = k.proc.hold(func(pid int) error { return unix.Kill(-pid, unix.SIGKILL) })
}

// dismiss ends the keeper and waits until the group is gone, so that nobody
// writes to a scratch that is being removed. A member in the middle of a
// system call takes its time.
func (k *keeper) dismiss() {
	k.killGroup()
	_ = k.life.Close()
	pid := k.proc.pid
	_ = k.proc.reap()
	for range 200 {
		if unix.Kill(-pid, 0) == unix.ESRCH {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// scratch is where the run's private files lie, as this driver sees it.
func (o *order) scratch() string {
	if o.leash {
		return o.scratchDir
	}
	return ScratchDir
}

// tasksOf counts the threads that a user runs now, for the kernel counts all of
// them against the limit of each. It is a moment's number: what the user starts
// during the run must not take the tool's places, so the kernel's bound is
// loose and the tree itself is counted from outside.
func tasksOf(uid int) int {
	if uid == 0 {
		return 0
	}
	n := 0
	for _, pid := range processes() {
		var st unix.Stat_t
		dir := fmt.Sprintf("/proc/%d", pid)
		if unix.Stat(dir, &st) != nil || int(st.Uid) != uid {
			continue
		}
		if s, err := readProcStatus(pid); err == nil {
			n += s.threads
		}
	}
	return n
}
