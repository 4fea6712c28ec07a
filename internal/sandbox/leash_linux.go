package sandbox

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// landlock is the driver for hosts that refuse user namespaces. The program
// keeps the host's root, of which Landlock lets it read what the job lists.
// Its processes stay in one process group, which is killed as a whole.
type landlock struct{ temp string }

func (landlock) name() string { return "landlock" }

// open is the honest list of what has no mediation here.
func (landlock) open() []string {
	return []string{
		"hidden paths: that a host file exists, its size, owner and times, and where a link points, can be seen",
		"scratch: each file is limited, their sum is not",
		"processes: a burst can reach four times the limit before it ends the run",
	}
}

// tether holds a run together: its process group and its scratch.
type tether struct {
	keeper  *keeper
	scratch *scratch
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

func (l landlock) start(j Job, rehearsal bool) (_ *tree, _ func(), err error) {
	if !filterExists {
		return nil, nil, noFilter()
	}
	if abi := landlockABI(); abi < leastLandlock {
		return nil, nil, &hostRefusal{fault.New(fault.Denied, "sandbox_unavailable",
			"landlock has ABI %d, at least %d is needed (Linux 6.2)", abi, leastLandlock)}
	}
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
	attr := &syscall.SysProcAttr{Setpgid: true, Pgid: t.keeper.proc.pid}
	if uid != os.Getuid() {
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	h, err := newHelper(own(leashName), j.Late, nil, attr, func(*child) { t.keeper.killGroup() }, t.keeper.killGroup)
	if err != nil {
		return nil, nil, err
	}
	run := h.give(&order{job: j, rehearsal: rehearsal, leash: true, scratchDir: t.scratch.dir, others: tasksOf(uid) + 3*j.Limits.Processes})
	if uid == 0 {
		of := run.verdict
		run.verdict = func() ([]string, error) {
			notes, err := of()
			return append(notes, onlyCounted), err
		}
	}
	return run, t.clean, nil
}

func (t *tether) clean() {
	t.keeper.dismiss()
	t.scratch.remove()
}

// leash is the helper's part of the driver.
func leash(o *order) *setupError {
	if err := o.receive(); err != nil {
		return err
	}
	// Orphans come back to the program, so that the count from outside finds
	// them. The filter keeps it that way.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return failed(stepSeal, "subreaper", err)
	}
	rules, err := newRuleset(landlockABI(), o.job.Network)
	if err != nil {
		return failed(stepLandlock, "", err)
	}
	for _, m := range o.job.Mounts {
		fd, err := openSource(m.Source)
		if err != nil {
			return err
		}
		rights := uint64(llRead)
		if m.Write {
			rights = rules.writable()
		}
		e := rules.allow(fd, rights)
		_ = unix.Close(fd)
		if e != nil {
			return failed(stepLandlock, m.Source, e)
		}
	}
	own := map[string]uint64{o.scratchDir: rules.writable()}
	for _, d := range devices {
		own["/dev/"+d] = llDevice
	}
	if o.job.Network {
		for _, f := range networkPaths() {
			own[f] = llRead
		}
	}
	for p, rights := range own {
		if err := rules.allowPath(p, rights); err != nil {
			return failed(stepLandlock, p, err)
		}
	}
	if err := rules.enforce(); err != nil {
		return failed(stepLandlock, "", err)
	}
	return nil
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
	proc, err := fork(own(keeperName), []*os.File{nil, nil, nil, r}, &syscall.SysProcAttr{Setpgid: true})
	if err != nil {
		_ = w.Close()
		return nil, failed(stepStart, "keeper", errnoOf(err)).classify()
	}
	return &keeper{proc: proc, life: w}, nil
}

// killGroup ends everything in the group. setsid and setpgid are refused in
// it, so everything is everyone; a fork that is under way fails.
func (k *keeper) killGroup() { _ = unix.Kill(-k.proc.pid, unix.SIGKILL) }

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

// keep is the keeper's whole life.
func keep() {
	// Whatever the caller's side forgot to keep to itself stays closed here.
	_ = unix.CloseRange(orderFD+1, math.MaxUint32, 0)
	var b [1]byte
	for {
		if n, err := unix.Read(orderFD, b[:]); n == 0 || (err != nil && err != unix.EINTR) {
			break
		}
	}
	// Group 0 is the own one: no number that could have become another's.
	// Started by hand, it may be somebody else's whole pipeline.
	if unix.Getpgrp() == unix.Getpid() {
		_ = unix.Kill(0, unix.SIGKILL)
	}
	syscall.Exit(0)
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
