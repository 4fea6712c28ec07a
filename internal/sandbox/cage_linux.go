package sandbox

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Room in the root's file system besides the scratch.
const (
	rootBytes  = 1 << 20
	rootInodes = 8192
)

// devices are all that /dev holds, besides shm and the links to descriptors.
var devices = [...]string{"null", "zero", "urandom", "random"}

// deviceLinks are the names of the own descriptors.
var deviceLinks = [...]link{
	{"dev/fd", "/proc/self/fd"}, {"dev/stdin", "/proc/self/fd/0"}, {"dev/stdout", "/proc/self/fd/1"}, {"dev/stderr", "/proc/self/fd/2"},
}

// at is where the new root is built, in the process's own mount namespace. No
// source may lie below it, see [Mount], so it hides nothing that is needed.
const at = "/dev"

// cage is the plan of a process that is alone in new namespaces and has all
// capabilities over them: it builds a root that holds what the job lists,
// enters it by pivot_root, puts Landlock behind it, and becomes the program.
// One tmpfs holds all of the root; it is mounted a second and third time,
// writable, for the scratch and /dev/shm, so that one size bounds both.
type cage struct {
	*plan
	job   *Job
	made  map[string]bool // what the root's tmpfs has, by path below it
	files []File          // stubs and the job's own, the last of each name
	masks []mask
	// making is what directories are made for: the root itself, or what the job
	// wants in it, which may be impossible.
	making step
}

// cageOf makes the plan. The sources of all mounts are opened here, and stay
// open with the plan: what the process mounts are the files that were looked at.
func cageOf(o *order, sources []source, q *pipes) *plan {
	c := &cage{plan: newPlan(), job: &o.job, made: map[string]bool{}, making: stepRoot}
	c.streams(q.theirs())
	c.dieWithParent()
	if q.plug != nil {
		c.openTun()
	}
	c.begin(o.change)
	if q.plug != nil {
		c.network(q.plug.doors)
	}
	c.base()
	if o.pidMax > 0 {
		c.numberProcesses(o.pidMax)
	}
	for _, l := range o.links {
		c.link(l)
	}
	c.making = stepTarget
	for _, s := range sources {
		c.mount(s, sources)
		c.hide(s)
	}
	c.sealMasks()
	c.making = stepFile
	for _, f := range c.files {
		c.file(f)
	}
	c.enter()
	c.wall(sources)
	c.seal(o)
	return c.plan
}

// begin waits until the user namespace has its one user, and becomes it where
// it is not.
func (c *cage) begin(change bool) {
	// Without namespaces, should something have pretended to make them, the rest
	// would mount over the host's /dev.
	c.call(stepStart, "the process has no namespaces of its own", unix.SYS_GETPID).exactly(1)
	c.call(stepPrivate, "", unix.SYS_MOUNT, 0, c.text("/"), 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	c.wait(orderNamed)
	if change {
		c.become(innerID)
	}
}

// base mounts the tmpfs and fills in what every root has.
func (c *cage) base() {
	for i, d := range devices {
		c.call(stepDevice, d, unix.SYS_OPEN_TREE, num(unix.AT_FDCWD), c.text("/dev/"+d), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC).to(regDevice + uint8(i))
	}
	bytes := c.job.Limits.Scratch + rootBytes + int64(len(c.job.Stdin))
	c.files = lastOfEach(slices.Concat(stubFiles(innerID), c.job.Files))
	for _, f := range c.files {
		bytes += int64(len(f.Data)) + 4096
	}
	c.call(stepRoot, at, unix.SYS_MOUNT, c.text("tmpfs"), c.text(at), c.text("tmpfs"), unix.MS_NOSUID|unix.MS_NODEV, c.text(size(bytes, len(c.files))))
	c.call(stepRoot, at, unix.SYS_OPENAT, num(unix.AT_FDCWD), c.text(at), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0).to(regRoot)
	c.call(stepRoot, "", unix.SYS_UMASK, 0)
	c.dir("tmp", 0o1777)
	c.dir("dev", 0o755)
	c.dir("dev/shm", 0o1777)
	c.dir("proc", 0o555)
	for _, d := range []string{"/tmp", "/dev/shm"} {
		c.call(stepRoot, d, unix.SYS_MOUNT, c.text(at+d), c.text(at+d), 0, unix.MS_BIND, 0)
	}
	for i, d := range devices {
		c.empty("dev/" + d)
		c.call(stepDevice, d, unix.SYS_MOVE_MOUNT, reg(regDevice+uint8(i)), c.text(""), reg(regRoot), c.text("dev/"+d), unix.MOVE_MOUNT_F_EMPTY_PATH)
	}
	for _, l := range deviceLinks {
		c.link(l)
	}
	// The view of the own processes, read-only, without the files of the machine.
	c.call(stepProc, "", unix.SYS_MOUNT, c.text("proc"), c.text(at+"/proc"), c.text("proc"),
		unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, c.text("subset=pid"))
}

// size is the option that bounds the root's tmpfs.
func size(bytes int64, files int) string {
	return "mode=755,size=" + strconv.FormatInt(bytes, 10) + ",nr_inodes=" + strconv.Itoa(rootInodes+files)
}

// lastOfEach leaves, of files with one target, the last: a stub gives way to
// the host's own file.
func lastOfEach(files []File) []File {
	var out []File
	for i, f := range files {
		if !slices.ContainsFunc(files[i+1:], func(g File) bool { return g.Target == f.Target }) {
			out = append(out, f)
		}
	}
	return out
}

// dir makes a directory of the root's own, once, after those above it. p is
// relative.
func (c *cage) dir(p string, mode int) {
	if p == "." || c.made[p] {
		return
	}
	c.dir(path.Dir(p), 0o755)
	c.made[p] = true
	c.call(c.making, "/"+p, unix.SYS_MKDIRAT, reg(regRoot), c.text(p), num(mode))
}

// empty makes an empty file of the root's own, for something to be mounted on.
func (c *cage) empty(p string) {
	c.dir(path.Dir(p), 0o755)
	c.made[p] = true
	c.open(c.making, p, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o444, regFile)
	c.close(regFile)
}

// open opens a path below the root, following no link and never out of it.
func (c *cage) open(s step, p string, flags, mode uint64, to uint8) {
	how := &unix.OpenHow{Flags: flags, Mode: mode, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	c.call(s, "/"+p, unix.SYS_OPENAT2, reg(regRoot), c.text(p), c.at(unsafe.Pointer(how)), unsafe.Sizeof(*how)).to(to)
}

func (c *cage) link(l link) {
	c.call(stepRoot, l.at, unix.SYS_SYMLINKAT, c.text(l.to), reg(regRoot), c.text(l.at))
}

// file writes one of the job's files, before anything can look.
func (c *cage) file(f File) {
	p := f.Target[1:]
	c.dir(path.Dir(p), 0o755)
	mode := uint64(f.Mode.Perm())
	if mode == 0 {
		mode = 0o444
	}
	c.open(stepFile, p, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, mode, regFile)
	c.write(stepFile, f.Target, regFile, f.Data)
	c.close(regFile)
}

// mount clones a source out of the host's tree and puts it where the job wants
// it. What is missing of the target is made, but only in the root's own file
// system: nothing is ever created in a directory of the host, and no link
// leads out, for none is followed.
func (c *cage) mount(s source, all []source) {
	c.reopen(s, regSource)
	// All below comes along: a kernel refuses less to those who are not root,
	// and reading a directory includes what is mounted in it.
	c.call(stepClone, s.Source, unix.SYS_OPEN_TREE, reg(regSource), c.text(""), unix.AT_EMPTY_PATH|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE).to(regTree)
	attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV, Propagation: unix.MS_PRIVATE}
	if !s.Write {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	c.call(stepClone, s.Source, unix.SYS_MOUNT_SETATTR, reg(regTree), c.text(""), unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, c.at(unsafe.Pointer(attr)), unsafe.Sizeof(*attr))
	target := s.Target[1:]
	inside := slices.ContainsFunc(all, func(o source) bool { return o.Target != s.Target && below(s.Target, o.Target) })
	switch p := c.place(s.Target, inside); {
	case p == "" || c.made[p]:
	case s.dir:
		c.dir(p, 0o755)
	default:
		c.empty(p)
	}
	c.open(stepTarget, target, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0, regDir)
	c.call(stepTarget, s.Target, unix.SYS_MOVE_MOUNT, reg(regTree), c.text(""), reg(regDir), c.text(""), unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
	c.close(regDir)
	c.close(regTree)
	c.close(regSource)
}

// numberProcesses bounds the numbers of the pid namespace. The kernel looks the
// value up by the namespace of the process that writes, so the host's own /proc
// serves, which is in sight until the new root is entered.
func (c *cage) numberProcesses(most int) {
	value := []byte(strconv.Itoa(most))
	if !pidMaxPerNamespace() {
		c.note(statusNoPidMax)
		return
	}
	o := c.call(stepRoot, "", unix.SYS_OPENAT, num(unix.AT_FDCWD), c.text("/proc/sys/kernel/pid_max"), unix.O_WRONLY|unix.O_CLOEXEC, 0).to(regFile)
	o.note, o.skip = statusNoPidMax, 2
	c.write(stepRoot, "", regFile, value)
	c.ops[len(c.ops)-1].note = statusNoPidMax
	c.close(regFile)
}

// pidMaxPerNamespace tells whether the kernel has the value once for each pid
// namespace, as it has since Linux 6.14. Before that it is the machine's, and
// this process, which is the host's root by number, could write it: the whole
// machine would run out of processes.
func pidMaxPerNamespace() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	major, minor := kernelVersion(unix.ByteSliceToString(u.Release[:]))
	return major > 6 || major == 6 && minor >= 14
}

// kernelVersion reads the first two numbers of a release such as
// "6.14.2-amd64"; zeros for what has none.
func kernelVersion(release string) (major, minor int) {
	first, rest, _ := strings.Cut(release, ".")
	second := rest
	if i := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' }); i >= 0 {
		second = rest[:i]
	}
	major, err1 := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil {
		return 0, 0
	}
	return major, minor
}

// enter makes the new root the only one, and read-only.
func (c *cage) enter() {
	dot := c.text(".")
	c.call(stepPivot, at, unix.SYS_CHDIR, c.text(at))
	// The old root comes to lie on the new one, and is taken off.
	c.call(stepPivot, "", unix.SYS_PIVOT_ROOT, dot, dot)
	c.call(stepPivot, "", unix.SYS_UMOUNT2, dot, unix.MNT_DETACH)
	c.call(stepPivot, "/", unix.SYS_CHDIR, c.text("/"))
	// Only this mount: the scratch and the granted directories have their own flags.
	c.call(stepPivot, "", unix.SYS_MOUNT, 0, c.text("/"), 0, unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, 0)
	name := []byte("sandbox")
	c.call(stepPivot, "host name", unix.SYS_SETHOSTNAME, c.data(name), num(len(name)))
	c.call(stepPivot, "domain name", unix.SYS_SETDOMAINNAME, 0, 0)
}
