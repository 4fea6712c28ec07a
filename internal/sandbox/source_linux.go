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
		var is Identity
		if s.fd, is, failure = openSource(m.Source, m.Is); failure == nil {
			s.dev, s.ino, s.dir = is.Dev, is.Ino, is.Kind == unix.S_IFDIR
			all = append(all, s)
			continue
		}
		closeSources(all)
		return nil, failure.classify()
	}
	return all, nil
}

// identity says which file the source is.
func (s source) identity() Identity {
	kind := uint32(unix.S_IFREG)
	if s.dir {
		kind = unix.S_IFDIR
	}
	return Identity{Dev: s.dev, Ino: s.ino, Kind: kind}
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
	st, step := &unix.Stat_t{}, stepSource
	if s.Is != (Identity{}) {
		step = stepSame
	}
	line := len(p.ops)
	p.call(step, s.Source, unix.SYS_OPENAT2, num(unix.AT_FDCWD), p.text(s.Source), p.at(unsafe.Pointer(how)), unsafe.Sizeof(*how)).to(to)
	p.same(step, s.Source, to, st, s.dev, s.ino)
	return &p.ops[line]
}

// same sees that a register's descriptor leads to one file and no other.
func (p *plan) same(s step, what string, fd uint8, st *unix.Stat_t, dev, ino uint64) {
	p.call(s, what, unix.SYS_FSTAT, reg(fd), p.at(unsafe.Pointer(st)))
	p.check(s, what, (*uint64)(unsafe.Pointer(&st.Dev)), ^uint64(0), dev, unix.ESTALE)
	p.check(s, what, &st.Ino, ^uint64(0), ino, unix.ESTALE)
}

// errNoFile is said of a source that is there, and neither a file nor a folder.
const errNoFile = unix.ENOTSUP

// openSource opens a mount's source without following a single link, and
// refuses the kernel's own file systems under whatever name. Where it is known
// which file it must be, another one is refused. A driver that brings the
// source to another path calls it with that one, for the file stays the same.
func openSource(path string, want Identity) (int, Identity, *setupError) {
	known := want != Identity{}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if known && (err == unix.ENOENT || err == unix.ENOTDIR || err == unix.ELOOP || err == unix.EXDEV) {
		return -1, want, failed(stepSame, path, err) // it was there when it was judged
	}
	if err != nil {
		return -1, want, failed(stepSource, path, err)
	}
	var st unix.Stat_t
	var fs unix.Statfs_t
	if err = unix.Fstat(fd, &st); err == nil {
		err = unix.Fstatfs(fd, &fs)
	}
	is := identify(&st)
	switch {
	case err != nil:
	case known && is != want:
		_ = unix.Close(fd)
		return -1, is, failed(stepSame, path, unix.ESTALE)
	case is.Kind != unix.S_IFDIR && is.Kind != unix.S_IFREG:
		// A socket, a pipe or a device would be a door to another process.
		err = errNoFile
	case kernels(&fs):
		err = unix.EINVAL
	default:
		return fd, is, nil
	}
	_ = unix.Close(fd)
	return -1, is, failed(stepSource, path, err)
}
