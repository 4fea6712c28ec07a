package sandbox

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// boxName is this program in a root that another program built, which has no
// way to say what argv[0] is: it is the path.
const boxName = "/.patch-git"

// shape is what the caller's side saw of the host and wants to be found again
// in a root that another program built.
type shape struct {
	apart []string   // the host's namespaces, as links of /proc/self/ns: none may be the helper's
	seen  []Identity // of the job's mounts, one for each
	room  int64      // bytes of the scratch at most
}

// box is the helper's part where another program made the namespaces and the
// root. What that was asked for is looked at before anything starts: a program
// that does less than it was told must not make the sandbox weaker.
func box(o *order) *setupError {
	// Started by hand, the rest would write to the host's /tmp.
	if !sameFile(self, boxName) {
		return failed(stepStart, "the helper is in no root of its own", unix.EPERM)
	}
	if err := o.receive(); err != nil {
		return err
	}
	if err := o.shape.check(o.job.Mounts); err != nil {
		return err
	}
	// Orphans come back to the program, so that a count finds them.
	err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	if err != nil {
		return failed(stepSeal, "subreaper", err)
	}
	for _, f := range o.job.Files {
		if err := put(f); err != nil {
			return failed(stepFile, f.Target, err)
		}
	}
	return nil
}

// put puts a file into the scratch, which nobody else knows yet. It asks the
// kernel itself: what the library opens is watched by a part of the runtime
// that does not bear the closing of its descriptors.
func put(f File) error {
	for i, c := range f.Target {
		if c == '/' && i > len(ScratchDir) {
			if err := unix.Mkdir(f.Target[:i], 0o755); err != nil && err != unix.EEXIST {
				return err
			}
		}
	}
	mode := uint32(f.Mode.Perm())
	if mode == 0 {
		mode = 0o444
	}
	fd, err := unix.Open(f.Target, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return writeAll(fd, f.Data)
}

func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// wall is Landlock in the root. This program, which lies in it too, is no
// longer seen. A kernel without Landlock has the mounts alone.
func (o *order) wall(p *plan) {
	abi := landlockABI()
	if abi == 0 {
		return
	}
	attr := landlockAttrFor(abi, o.job.Network)
	writable := attr.fs &^ llNever
	var rules []rights
	for _, d := range []string{"/proc", "/etc", "/dev"} {
		rules = append(rules, rights{path: d, allowed: llRead, dir: true})
	}
	for _, d := range []string{ScratchDir, "/dev/shm"} {
		rules = append(rules, rights{path: d, allowed: writable, dir: true})
	}
	for _, m := range o.job.Mounts {
		var st unix.Stat_t
		r := rights{path: m.Target, allowed: llRead, dir: unix.Stat(m.Target, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR}
		if m.Write {
			r.allowed = writable
		}
		rules = append(rules, r)
	}
	for _, d := range devices {
		rules = append(rules, rights{path: "/dev/" + d, allowed: llDevice})
	}
	p.landlock(attr, rules)
}

func sameFile(a, b string) bool {
	x, err1 := fileAt(a)
	y, err2 := fileAt(b)
	return err1 == nil && err2 == nil && x == y
}

// fileAt tells which file a path leads to.
func fileAt(path string) (Identity, error) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	return identify(&st), err
}

// spaces are the namespaces that a boxed program has for itself, the net one
// only without network.
var spaces = [...]string{"mnt", "pid", "ipc", "uts", "net"}

// hostSpaces are this process's own.
func hostSpaces(network bool) ([]string, error) {
	var apart []string
	for _, n := range spaces {
		if n == "net" && network {
			continue
		}
		to, err := os.Readlink("/proc/self/ns/" + n)
		if err != nil {
			return nil, failed(stepStart, "namespaces of the caller", errnoOf(err)).classify()
		}
		apart = append(apart, to)
	}
	return apart, nil
}

// check holds the root against the shape.
func (s *shape) check(mounts []Mount) *setupError {
	wrong := func(what string) *setupError { return failed(stepShape, what, unix.EPERM) }
	for _, n := range spaces {
		if have, err := os.Readlink("/proc/self/ns/" + n); err != nil || slices.Contains(s.apart, have) {
			return wrong("the " + n + " namespace is the host's")
		}
	}
	if !readOnly("/") {
		return wrong("the root can be written")
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(ScratchDir, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC || int64(fs.Blocks)*int64(fs.Bsize) > s.room {
		return wrong("the scratch has no bound")
	}
	if len(s.seen) != len(mounts) {
		return wrong("the mounts are not those of the job")
	}
	for i, m := range mounts {
		// A link that was put in the way after the caller looked leads here.
		if id, err := fileAt(m.Target); err != nil || id != s.seen[i] {
			if m.Is != (Identity{}) {
				return failed(stepSame, m.Source, unix.ESTALE)
			}
			return failed(stepSource, m.Source, unix.EXDEV)
		}
		if !m.Write && !readOnly(m.Target) {
			return wrong(m.Target + " can be written")
		}
	}
	return nil
}

func readOnly(path string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(path, &fs) == nil && fs.Flags&unix.ST_RDONLY != 0
}

// scratchRoom is how many bytes the scratch of a job takes at most.
func scratchRoom(j Job) int64 {
	bytes := j.Limits.Scratch + rootBytes + int64(len(j.Stdin))
	for _, f := range j.Files {
		bytes += int64(len(f.Data)) + 4096
	}
	page := int64(os.Getpagesize())
	return (bytes + page - 1) / page * page
}
