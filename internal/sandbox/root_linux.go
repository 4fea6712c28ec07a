package sandbox

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Room in the root's file system besides the scratch.
const (
	rootBytes  = 1 << 20
	rootInodes = 8192
)

// devices are all that /dev holds, besides shm and the links to descriptors.
var devices = []string{"null", "zero", "urandom", "random"}

// at is where the new root is built, in the helper's own mount namespace. No
// source may lie below it, see [Mount], so it hides nothing that is needed.
const at = "/dev"

// root is the new root while it is built. One tmpfs holds everything: it is
// mounted a second and third time, writable, for the scratch and /dev/shm, so
// that one size bounds both.
type root struct {
	o     *order
	trees []int // cloned mounts of the job, in the order of its mounts
	fd    int
	dev   uint64
}

// cage builds the namespaces' inside: a root that holds what the job lists,
// entered by pivot_root, with Landlock behind it. The process is alone in new
// namespaces and has all capabilities over them. What is the same for every
// job is done before the order comes.
func cage(o *order) *setupError {
	if err := becomeInner(); err != nil {
		return err
	}
	// Started by hand, as root, the rest would mount over the host's /dev.
	if unix.Getpid() != 1 || unix.Getuid() != innerID {
		return failed(stepStart, "the helper has no namespaces of its own", unix.EPERM)
	}
	// Nothing that is mounted from here on may reach the host, nor the
	// other way round.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return failed(stepPrivate, "", err)
	}
	r := &root{o: o}
	for _, build := range []func() *setupError{
		r.base, r.proc, r.stubs, o.receive,
		r.fit, r.collect, r.place, r.files, r.enter, r.wall,
	} {
		if err := build(); err != nil {
			return err
		}
	}
	return nil
}

// becomeInner waits until the user namespace has its one user, and becomes it
// where it is not. All this concerns this thread, which is the one that
// executes.
func becomeInner() *setupError {
	var word [1]byte
	if err := readFull(word[:]); err != nil {
		return failed(stepOrder, "", err)
	}
	switch word[0] {
	case orderNamed:
		return nil
	case orderChange:
	default:
		return failed(stepOrder, "", unix.EBADMSG)
	}
	for _, change := range []struct{ call, n uintptr }{{unix.SYS_SETGROUPS, 0}, {unix.SYS_SETRESGID, innerID}, {unix.SYS_SETRESUID, innerID}} {
		a, b, c := change.n, change.n, change.n
		if _, _, errno := unix.RawSyscall(change.call, a, b, c); errno != 0 {
			return failed(stepNames, "", errno)
		}
	}
	// A change of the user takes the wish back.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return failed(stepParent, "", err)
	}
	return nil
}

// collect clones the mounts out of the host's tree.
func (r *root) collect() *setupError {
	slices.SortFunc(r.o.job.Mounts, func(a, b Mount) int { return strings.Compare(a.Target, b.Target) })
	for _, m := range r.o.job.Mounts {
		src, err := openSource(m.Source)
		if err != nil {
			return err
		}
		// All below comes along: a kernel refuses less to those who are not
		// root, and reading a directory includes what is mounted in it.
		tree, e := unix.OpenTree(src, "", unix.AT_EMPTY_PATH|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		_ = unix.Close(src)
		if e != nil {
			return failed(stepClone, m.Source, e)
		}
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV, Propagation: unix.MS_PRIVATE}
		if !m.Write {
			attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
		}
		if e := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); e != nil {
			return failed(stepClone, m.Source, e)
		}
		r.trees = append(r.trees, tree)
	}
	return nil
}

// openSource opens a mount's source without following a single link, and
// refuses the kernel's own file systems under whatever name.
func openSource(path string) (int, *setupError) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return -1, failed(stepSource, path, err)
	}
	var st unix.Stat_t
	var fs unix.Statfs_t
	if err = unix.Fstat(fd, &st); err == nil {
		err = unix.Fstatfs(fd, &fs)
	}
	kind := st.Mode & unix.S_IFMT
	switch {
	case err != nil:
	case kind != unix.S_IFDIR && kind != unix.S_IFREG:
		// A socket, a pipe or a device would be a door to another process.
		err = unix.EINVAL
	case fs.Type == unix.PROC_SUPER_MAGIC || fs.Type == unix.SYSFS_MAGIC || fs.Type == unix.DEVPTS_SUPER_MAGIC ||
		fs.Type == unix.CGROUP_SUPER_MAGIC || fs.Type == unix.CGROUP2_SUPER_MAGIC || fs.Type == unix.NSFS_MAGIC ||
		fs.Type == unix.DEBUGFS_MAGIC || fs.Type == unix.TRACEFS_MAGIC || fs.Type == unix.SECURITYFS_MAGIC || fs.Type == unix.BPF_FS_MAGIC:
		err = unix.EINVAL
	default:
		return fd, nil
	}
	_ = unix.Close(fd)
	return -1, failed(stepSource, path, err)
}

// size is the option that bounds the root's tmpfs.
func size(bytes int64, files int) string {
	return "mode=755,size=" + strconv.FormatInt(bytes, 10) + ",nr_inodes=" + strconv.Itoa(rootInodes+files)
}

// base mounts the tmpfs and fills in what every root has.
func (r *root) base() *setupError {
	nodes := make([]int, len(devices))
	for i, d := range devices {
		var err error
		nodes[i], err = unix.OpenTree(unix.AT_FDCWD, "/dev/"+d, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err != nil {
			return failed(stepDevice, d, err)
		}
	}
	err := unix.Mount("tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, size(rootBytes, 0))
	if err == nil {
		r.fd, err = unix.Open(at, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	var st unix.Stat_t
	if err == nil {
		err = unix.Fstat(r.fd, &st)
	}
	if err != nil {
		return failed(stepRoot, at, err)
	}
	r.dev = st.Dev
	unix.Umask(0)
	for _, d := range []struct {
		path string
		mode uint32
	}{{"tmp", 0o1777}, {"dev", 0o755}, {"dev/shm", 0o1777}, {"proc", 0o555}, {"etc", 0o755}} {
		if err := unix.Mkdirat(r.fd, d.path, d.mode); err != nil {
			return failed(stepRoot, d.path, err)
		}
	}
	for _, d := range []string{"/tmp", "/dev/shm"} {
		if err := unix.Mount(at+d, at+d, "", unix.MS_BIND, ""); err != nil {
			return failed(stepRoot, d, err)
		}
	}
	for i, d := range devices {
		fd, err := unix.Openat(r.fd, "dev/"+d, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o444)
		if err == nil {
			_ = unix.Close(fd)
			err = unix.MoveMount(nodes[i], "", r.fd, "dev/"+d, unix.MOVE_MOUNT_F_EMPTY_PATH)
		}
		if err != nil {
			return failed(stepDevice, d, err)
		}
	}
	return r.link(deviceLinks())
}

// deviceLinks are the names of the own descriptors.
func deviceLinks() []link {
	return []link{
		{"dev/fd", "/proc/self/fd"},
		{"dev/stdin", "/proc/self/fd/0"},
		{"dev/stdout", "/proc/self/fd/1"},
		{"dev/stderr", "/proc/self/fd/2"},
	}
}

func (r *root) link(links []link) *setupError {
	for _, l := range links {
		if err := unix.Symlinkat(l.to, r.fd, l.at); err != nil {
			return failed(stepRoot, l.at, err)
		}
	}
	return nil
}

// fit gives the root the job's size and links, and its pid namespace a bound.
func (r *root) fit() *setupError {
	if err := unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_NOSUID|unix.MS_NODEV, size(scratchRoom(r.o.job), len(r.o.job.Files))); err != nil {
		return failed(stepRoot, "size", err)
	}
	if r.o.pidMax > 0 {
		r.numberProcesses()
	}
	return r.link(r.o.links)
}

// place puts the cloned mounts where the job wants them.
func (r *root) place() *setupError {
	for i, m := range r.o.job.Mounts {
		if err := r.mountAt(r.trees[i], m.Target); err != nil {
			return failed(stepTarget, m.Target, err)
		}
	}
	return nil
}

// mountAt attaches a detached mount below the new root. What is missing of the
// target is made, but only in the root's own file system: nothing is ever
// created in a directory of the host. No link leads out, for none is followed.
func (r *root) mountAt(tree int, target string) error {
	var st unix.Stat_t
	if err := unix.Fstat(tree, &st); err != nil {
		return err
	}
	names := strings.Split(target[1:], "/")
	dir := r.fd
	for i, name := range names {
		next, err := r.step(dir, name, i == len(names)-1 && st.Mode&unix.S_IFMT != unix.S_IFDIR)
		if dir != r.fd {
			_ = unix.Close(dir)
		}
		if err != nil {
			return err
		}
		dir = next
	}
	defer func() { _ = unix.Close(dir) }()
	return unix.MoveMount(tree, "", dir, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// step opens dir/name, after making it when it is missing and may be made.
func (r *root) step(dir int, name string, file bool) (int, error) {
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(dir, name, how)
	if err != unix.ENOENT {
		return fd, err
	}
	var st unix.Stat_t
	if err := unix.Fstatat(dir, "", &st, unix.AT_EMPTY_PATH); err != nil {
		return -1, err
	}
	if st.Dev != r.dev {
		return -1, unix.ENOENT
	}
	if !file {
		if err := unix.Mkdirat(dir, name, 0o755); err != nil {
			return -1, err
		}
	} else if fd, err = unix.Openat(dir, name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o444); err != nil {
		return -1, err
	} else {
		_ = unix.Close(fd)
	}
	return unix.Openat2(dir, name, how)
}

const procFlags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC

// proc mounts the view of the own processes, read-only, without the files of
// the machine.
func (r *root) proc() *setupError {
	if err := unix.Mount("proc", at+"/proc", "proc", procFlags|unix.MS_RDONLY, "subset=pid"); err != nil {
		return failed(stepProc, "", err)
	}
	return nil
}

// numberProcesses bounds the numbers of the pid namespace. The kernel looks the
// value up by the namespace of the process that writes, so the host's own /proc
// serves, which is in sight until the new root is entered.
func (r *root) numberProcesses() {
	if !pidMaxPerNamespace() || !writeSysctl("/proc/sys/kernel/pid_max", r.o.pidMax) {
		status([]byte{statusNoPidMax})
	}
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

// writeSysctl tells whether the value was taken.
func writeSysctl(path string, value int) bool {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	return writeAll(fd, strconv.AppendInt(nil, int64(value), 10)) == nil
}

// enter makes the new root the only one, and read-only.
func (r *root) enter() *setupError {
	if err := unix.Chdir(at); err != nil {
		return failed(stepPivot, at, err)
	}
	// The old root comes to lie on the new one, and is taken off.
	if err := unix.PivotRoot(".", "."); err != nil {
		return failed(stepPivot, "", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return failed(stepPivot, "", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return failed(stepPivot, "/", err)
	}
	// Only this mount: the scratch and the granted directories have their own flags.
	if err := unix.Mount("", "/", "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		return failed(stepPivot, "", err)
	}
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return failed(stepPivot, "host name", err)
	}
	if err := unix.Setdomainname(nil); err != nil {
		return failed(stepPivot, "domain name", err)
	}
	return nil
}
