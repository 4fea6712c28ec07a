package sandbox

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Source is a file or folder of the host that is to be given to a program: it
// was opened once and judged by what was opened. A descriptor cannot be mounted
// in another process's mount namespace, so a [Mount] carries the Identity, and
// the helper mounts what it opens itself only where that is the same.
type Source struct {
	file *os.File
	path string
	is   Identity
}

// OpenSource opens what a mount of path would show. A symbolic link anywhere in
// it is refused, and so is what is neither a file nor a folder, or the kernel's
// own. The errors are those of [Sandbox.Run].
func OpenSource(path string) (*Source, error) {
	fd, is, err := openSource(path, Identity{})
	if err != nil {
		return nil, err.classify()
	}
	return &Source{os.NewFile(uintptr(fd), path), path, is}, nil
}

// Path is where the source was found.
func (s *Source) Path() string { return s.path }

// Is is which file or folder it is. It is sure until Close.
func (s *Source) Is() Identity { return s.is }

// Dir tells whether it is a folder.
func (s *Source) Dir() bool { return s.is.Kind == unix.S_IFDIR }

// Read opens the file that the source is, whatever its path leads to meanwhile.
func (s *Source) Read() (*os.File, error) {
	return os.Open("/proc/self/fd/" + strconv.Itoa(int(s.file.Fd())))
}

// Open opens a file or folder below the one that the source is, "." for itself,
// to be read. It follows no link, and leaves the folder by no name.
func (s *Source) Open(rel string, folder bool) (*os.File, error) {
	flag := unix.O_NONBLOCK // opening a pipe would wait for a writer for ever
	if folder {
		flag = unix.O_DIRECTORY
	}
	fd, err := unix.Openat2(int(s.file.Fd()), rel, &unix.OpenHow{
		Flags:   uint64(unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC | flag),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return nil, &os.PathError{Op: "openat2", Path: s.path + "/" + rel, Err: err}
	}
	return os.NewFile(uintptr(fd), s.path+"/"+rel), nil
}

// Make makes an empty file in the folder that the source is, and opens it. It
// fails with fs.ErrExist where there is something of that name.
func (s *Source) Make(name string) (*Source, error) {
	fd, err := unix.Openat(int(s.file.Fd()), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: s.path + "/" + name, Err: err}
	}
	made := &Source{file: os.NewFile(uintptr(fd), name), path: s.path + "/" + name}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		_ = made.Close()
		return nil, &os.PathError{Op: "fstat", Path: made.path, Err: err}
	}
	made.is = identify(&st)
	return made, nil
}

// Close lets the source go; its Identity may become another file's.
func (s *Source) Close() error { return s.file.Close() }

func identify(st *unix.Stat_t) Identity {
	return Identity{Dev: st.Dev, Ino: st.Ino, Kind: st.Mode & unix.S_IFMT}
}

// Identify tells which file or folder lies at a path, whatever kind it is.
func Identify(path string) (Identity, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return Identity{}, failed(stepSame, path, err).classify()
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Identity{}, failed(stepSource, path, err).classify()
	}
	return identify(&st), nil
}

// OfKernel tells whether a folder is in one of the kernel's own file systems,
// which may be mounted anywhere: a mount of what is around it would show it.
func OfKernel(dir *os.File) bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(int(dir.Fd()), &fs) != nil || kernels(&fs)
}

func kernels(fs *unix.Statfs_t) bool {
	switch fs.Type {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEVPTS_SUPER_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC,
		unix.NSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC, unix.BPF_FS_MAGIC:
		return true
	}
	return false
}

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
		err = unix.EINVAL
	case kernels(&fs):
		err = unix.EINVAL
	default:
		return fd, is, nil
	}
	_ = unix.Close(fd)
	return -1, is, failed(stepSource, path, err)
}

// changed is the refusal of what is not any more what was judged.
func (e *setupError) changed() error {
	how := "is not the file or folder any more that was judged"
	if e.errno != unix.ESTALE {
		how = "is gone, or lies behind a symbolic link now"
	}
	return fault.New(fault.Denied, "mount_changed", "%s %s: something changes it while the tool is being started", spec.Quote(e.what), how).
		Hint("run it again once nothing changes that path")
}
