package sandbox

import (
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// source is a mount whose source was opened and looked at. The descriptor
// stays open, so the numbers that name the file stay its own.
type source struct {
	Mount
	fd       int
	dev, ino uint64
	dir      bool
}

// openSources opens what the mounts name, in the order of their targets, so
// that one inside another comes after it.
func openSources(mounts []Mount) (all []source, err error) {
	mounts = slices.Clone(mounts)
	slices.SortFunc(mounts, func(a, b Mount) int { return strings.Compare(a.Target, b.Target) })
	for _, m := range mounts {
		s := source{Mount: m}
		var failure *setupError
		if s.fd, failure = openSource(m.Source); failure == nil {
			var st unix.Stat_t
			err := unix.Fstat(s.fd, &st)
			s.dev, s.ino, s.dir = uint64(st.Dev), st.Ino, st.Mode&unix.S_IFMT == unix.S_IFDIR
			all = append(all, s)
			if err == nil {
				continue
			}
			failure = failed(stepSource, m.Source, err)
		}
		closeSources(all)
		return nil, failure.classify()
	}
	return all, nil
}

func closeSources(all []source) {
	for _, s := range all {
		_ = unix.Close(s.fd)
	}
}

// reopen opens a source in the process, which alone can clone its mounts, and
// sees that it is the file that was looked at. The line that opens is returned.
func (p *plan) reopen(s source, to uint8) *op {
	how := &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	st := &unix.Stat_t{}
	line := len(p.ops)
	p.call(stepSource, s.Source, unix.SYS_OPENAT2, num(unix.AT_FDCWD), p.text(s.Source), p.at(unsafe.Pointer(how)), unsafe.Sizeof(*how)).to(to)
	p.call(stepSource, s.Source, unix.SYS_FSTAT, reg(to), p.at(unsafe.Pointer(st)))
	p.check(stepSource, s.Source, (*uint64)(unsafe.Pointer(&st.Dev)), ^uint64(0), s.dev, unix.ESTALE)
	p.check(stepSource, s.Source, &st.Ino, ^uint64(0), s.ino, unix.ESTALE)
	return &p.ops[line]
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
