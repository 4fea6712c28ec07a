package sandbox

import (
	"math"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dieWithParent asks for the kernel's signal when the thread that started the
// process ends.
func (p *plan) dieWithParent() {
	p.call(stepParent, "", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}

// wait reads one byte of the order's pipe, which must be the word.
func (p *plan) wait(word byte) {
	got := new(uint64)
	p.call(stepParent, "", unix.SYS_READ, reg(regOrder), p.at(unsafe.Pointer(got)), 1).exactly(1)
	p.check(stepParent, "", got, 0xff, uint64(word), unix.ECANCELED)
}

// ends are the descriptors that a process begins with, by the register that
// they come to; -1 is none.
type ends [regLink + 1]int

// streams brings the process's own ends of the pipes out of the way of the
// numbers that they will have, and closes everything else that it was cloned
// with: the caller's ends, for who waits for a word must not hold the pipe open
// itself, and the ends of other runs, which wait for the end of theirs.
//
// The numbers that they go to are low whatever the caller has open, for it may
// be near its limit. A file of the caller's that is there goes, as all do.
func (p *plan) streams(own ends) {
	p.run.regs[regStatus] = num(own[regStatus]) // so that the first failure is heard
	to, gap := 3, 0
	var between [][2]int
	for r, fd := range own {
		if fd < 0 {
			continue
		}
		for slices.Contains(own[:], to) {
			to++
		}
		p.call(stepSeal, "descriptor", unix.SYS_DUP3, num(fd), num(to), unix.O_CLOEXEC).to(uint8(r))
		if gap < to {
			between = append(between, [2]int{gap, to - 1})
		}
		to++
		gap = to
	}
	for _, g := range append(between, [2]int{gap, math.MaxUint32}) {
		p.call(stepSeal, "descriptors", unix.SYS_CLOSE_RANGE, num(g[0]), num(g[1]), 0)
	}
}

// note says a word that is no failure.
func (p *plan) note(b byte) {
	p.write(stepSeal, "", regStatus, []byte{b})
}

// rights are one rule of Landlock: what is allowed at a path and below it. The
// source of a mount has to be the file that was looked at.
type rights struct {
	path    string
	allowed uint64
	dir     bool
	same    *source
}

// wall is Landlock behind the mounts: were one of them wrong, it would still
// be read-only. A kernel without it has the mounts alone.
func (c *cage) wall(sources []source) {
	abi := landlockABI()
	if abi == 0 {
		return
	}
	attr := landlockAttrFor(abi, c.job.Network)
	writable := attr.fs &^ llNever
	rules := []rights{
		{path: "/", allowed: llRead, dir: true},
		{path: ScratchDir, allowed: writable, dir: true},
		{path: "/dev/shm", allowed: writable, dir: true},
	}
	for _, s := range sources {
		if s.Write {
			rules = append(rules, rights{path: s.Target, allowed: writable, dir: s.dir})
		}
	}
	for _, d := range devices {
		rules = append(rules, rights{path: "/dev/" + d, allowed: llDevice})
	}
	c.landlock(attr, rules)
}

// landlock puts the process into a domain of these rules, for good.
func (p *plan) landlock(attr landlockAttr, rules []rights) {
	// Older kernels take a longer struct whose unknown part is zero.
	p.call(stepLandlock, "", unix.SYS_LANDLOCK_CREATE_RULESET, p.at(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0).to(regRules)
	for _, r := range rules {
		if !r.dir {
			r.allowed &= llFile
		}
		beneath := &struct {
			allowed uint64
			fd      int32
		}{allowed: r.allowed & attr.fs}
		var open *op
		if r.same != nil {
			open = p.reopen(*r.same, regFile)
		} else {
			open = p.call(stepLandlock, r.path, unix.SYS_OPENAT, num(unix.AT_FDCWD), p.text(r.path), unix.O_PATH|unix.O_CLOEXEC, 0).to(regFile)
		}
		open.store = &beneath.fd
		p.call(stepLandlock, r.path, unix.SYS_LANDLOCK_ADD_RULE, reg(regRules), unix.LANDLOCK_RULE_PATH_BENEATH, p.at(unsafe.Pointer(beneath)), 0)
		p.close(regFile)
	}
	p.noNewPrivileges()
	p.call(stepLandlock, "", unix.SYS_LANDLOCK_RESTRICT_SELF, reg(regRules), 0)
}

func (p *plan) noNewPrivileges() {
	p.call(stepSeal, "no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// seal takes away what is left to take and becomes the program. The order is:
// input and directory while they can be opened, limits, privileges,
// descriptors, and last the filter, which refuses some of the calls before it.
func (p *plan) seal(o *order) {
	p.input(&o.job, o.scratch())
	p.call(stepSeal, "descriptor", unix.SYS_DUP3, reg(regOut), 1, 0)
	p.call(stepSeal, "descriptor", unix.SYS_DUP3, reg(regErr), 2, 0)
	p.call(stepDir, o.job.Dir, unix.SYS_CHDIR, p.text(o.job.Dir))
	p.call(stepSeal, "", unix.SYS_UMASK, 0o022)
	p.limits(o)
	p.dropCapabilities(o)
	p.noNewPrivileges()
	p.call(stepSeal, "descriptors", unix.SYS_CLOSE_RANGE, 3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	// All is built; the caller says when, or has changed its mind. The program
	// of a late input waits for that instead, once its uplink serves.
	if !o.job.Late || o.job.Uplink != nil {
		p.wait(orderGo)
	}
	p.limit("memory", unix.RLIMIT_AS, uint64(o.job.Limits.Memory))
	p.forgetHandlers()
	none := new(uint64)
	p.call(stepSeal, "signals", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, p.at(unsafe.Pointer(none)), 0, unsafe.Sizeof(*none))
	rules := p.filter(o)
	p.call(stepFilter, "", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0,
		p.at(unsafe.Pointer(&unix.SockFprog{Len: uint16(len(rules)), Filter: &rules[0]})))
	p.note(statusStarted)
	if !o.rehearsal {
		p.call(stepExec, o.job.Argv[0], unix.SYS_EXECVE, p.text(o.job.Argv[0]), p.texts(o.job.Argv), p.texts(o.job.Env))
	}
}

// forgetHandlers takes away the handlers of the program that the process was
// cloned from. What is ignored stays so.
func (p *plan) forgetHandlers() {
	type action struct{ handler, flags, restorer, mask uintptr }
	usual := p.at(unsafe.Pointer(&action{}))
	for sig := range uintptr(64) {
		var have action
		_, _, e := unix.RawSyscall6(unix.SYS_RT_SIGACTION, sig+1, 0, uintptr(unsafe.Pointer(&have)), unsafe.Sizeof(have.mask), 0, 0)
		if e == 0 && have.handler != sigIgnored && sig+1 != uintptr(unix.SIGKILL) && sig+1 != uintptr(unix.SIGSTOP) {
			p.call(stepSeal, "signals", unix.SYS_RT_SIGACTION, sig+1, usual, 0, unsafe.Sizeof(have.mask))
		}
	}
}

// sigIgnored is SIG_IGN.
const sigIgnored = 1

// someProcess is a number that no process has, in place of one that is not
// known yet.
const someProcess = math.MaxInt32

// filter is the program for the last line but one. Where Landlock does not
// keep signals to itself, it names the process that will have it.
func (p *plan) filter(o *order) program {
	var self uint32
	if o.leash && landlockABI() < scopedSignals {
		self = someProcess
	}
	rules := filter(o.job.Network, o.leash, self)
	for i := range rules {
		if self != 0 && rules[i].K == self && rules[i].Code&unix.BPF_JMP != 0 {
			p.call(stepFilter, "", unix.SYS_GETPID).store = (*int32)(unsafe.Pointer(&rules[i].K))
		}
	}
	return rules
}

// become changes the process's user, and leaves its groups.
func (p *plan) become(uid int) {
	p.call(stepNames, "", unix.SYS_SETGROUPS, 0, 0)
	p.call(stepNames, "", unix.SYS_SETRESGID, num(uid), num(uid), num(uid))
	p.call(stepNames, "", unix.SYS_SETRESUID, num(uid), num(uid), num(uid))
	// Nobody of that user may look into the memory, which is the caller's. The
	// kernel sees to it by itself, but where it was told not to.
	p.call(stepNames, "", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	// A change of the user takes the wish back.
	p.dieWithParent()
}

// input puts the job's standard input on descriptor 0.
func (p *plan) input(j *Job, scratch string) {
	const name = "standard input"
	from := regFile
	open := func(path string, flags, mode uintptr) {
		p.call(stepFile, name, unix.SYS_OPENAT, num(unix.AT_FDCWD), p.text(path), flags|unix.O_CLOEXEC, mode).to(regFile)
	}
	switch {
	case j.Late:
		from = regIn
	case j.StdinFile != "":
		open(j.StdinFile, unix.O_RDONLY|unix.O_NOFOLLOW, 0)
	case len(j.Stdin) == 0:
		open("/dev/null", unix.O_RDONLY, 0)
	default:
		// A file without a name, so that nothing but descriptor 0 leads to it.
		open(scratch, unix.O_TMPFILE|unix.O_RDWR, 0o600)
		p.write(stepFile, name, regFile, j.Stdin)
		p.call(stepFile, name, unix.SYS_LSEEK, reg(regFile), 0, unix.SEEK_SET)
	}
	p.call(stepFile, name, unix.SYS_DUP3, reg(from), 0, 0)
}

func (p *plan) limits(o *order) {
	l := &o.job.Limits
	p.limit("core", unix.RLIMIT_CORE, 0)
	p.limit("processor time", unix.RLIMIT_CPU, max(uint64((l.CPU+time.Second-1)/time.Second), 1))
	p.limit("open files", unix.RLIMIT_NOFILE, uint64(l.OpenFiles))
	p.limit("file size", unix.RLIMIT_FSIZE, uint64(l.FileSize))
	p.limit("locked memory", unix.RLIMIT_MEMLOCK, 0)
	p.limit("message queues", unix.RLIMIT_MSGQUEUE, 0)
	p.limit("processes", unix.RLIMIT_NPROC, uint64(l.Processes+o.others))
}

// limit fixes a limit. The caller itself may have less, which is the stricter.
func (p *plan) limit(name string, what int, most uint64) {
	var have unix.Rlimit
	if unix.Prlimit(0, what, nil, &have) == nil {
		most = min(most, have.Max)
	}
	p.call(stepLimit, name, unix.SYS_PRLIMIT64, 0, num(what), p.at(unsafe.Pointer(&unix.Rlimit{Cur: most, Max: most})), 0)
}

// dropCapabilities leaves nothing in any set, so that no file and no execution
// can give anything back. Ordinary users cannot empty the bounding set, and
// who changed into one did so before; no_new_privs keeps both from gaining
// anything through it.
func (p *plan) dropCapabilities(o *order) {
	p.call(stepCaps, "", unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	boxed := len(o.shape.apart) > 0 // by a program that emptied them
	if !o.leash && !boxed || !o.change && !powerless() {
		p.emptyBounds()
	}
	head, none := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &[2]unix.CapUserData{}
	p.call(stepCaps, "", unix.SYS_CAPSET, p.at(unsafe.Pointer(head)), p.at(unsafe.Pointer(none)))
}

func (p *plan) emptyBounds() {
	// The sets have room for 64; the kernel knows fewer.
	for n := range 64 {
		p.call(stepCaps, "", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, num(n), 0, 0, 0).excuse(unix.EINVAL)
	}
}

// powerless tells that the process has no capability to begin with. What it
// could inherit is nothing without a program that has it too, and is emptied.
func powerless() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	return unix.Capget(&head, &have[0]) == nil &&
		have[0].Effective|have[0].Permitted|have[1].Effective|have[1].Permitted == 0
}
