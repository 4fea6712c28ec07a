package sandbox

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Held is a file or folder of the host that is to be given to a program: it
// was opened once and judged by what was opened. A descriptor cannot be mounted
// in another process's mount namespace, so a [Mount] carries the Identity, and
// the process that becomes the program mounts what it opens itself only where
// that is the same.
type Held struct {
	file *os.File
	path string
	is   Identity
}

// Hold opens what a mount of path would show. A symbolic link anywhere in
// it is refused, and so is what is neither a file nor a folder, or the kernel's
// own. The errors are those of [Sandbox.Run].
func Hold(path string) (*Held, error) {
	fd, is, err := openSource(path, Identity{})
	if err != nil {
		return nil, err.classify()
	}
	return &Held{os.NewFile(uintptr(fd), path), path, is}, nil
}

// Path is where the source was found.
func (h *Held) Path() string { return h.path }

// Is is which file or folder it is. It is sure until Close.
func (h *Held) Is() Identity { return h.is }

// Dir tells whether it is a folder.
func (h *Held) Dir() bool { return h.is.Kind == unix.S_IFDIR }

// Read opens the file that the source is, whatever its path leads to meanwhile.
func (h *Held) Read() (*os.File, error) {
	return os.Open("/proc/self/fd/" + strconv.Itoa(int(h.file.Fd())))
}

// Open opens a file or folder below the one that the source is, "." for itself,
// to be read. It follows no link, and leaves the folder by no name.
func (h *Held) Open(rel string, folder bool) (*os.File, error) {
	flag := unix.O_NONBLOCK // opening a pipe would wait for a writer for ever
	if folder {
		flag = unix.O_DIRECTORY
	}
	fd, err := unix.Openat2(int(h.file.Fd()), rel, &unix.OpenHow{
		Flags:   uint64(unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC | flag),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return nil, &os.PathError{Op: "openat2", Path: h.path + "/" + rel, Err: err}
	}
	return os.NewFile(uintptr(fd), h.path+"/"+rel), nil
}

// Make makes an empty file in the folder that the source is, and opens it. It
// fails with fs.ErrExist where there is something of that name.
func (h *Held) Make(name string) (*Held, error) {
	fd, err := unix.Openat(int(h.file.Fd()), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: h.path + "/" + name, Err: err}
	}
	made := &Held{file: os.NewFile(uintptr(fd), name), path: h.path + "/" + name}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		_ = made.Close()
		return nil, &os.PathError{Op: "fstat", Path: made.path, Err: err}
	}
	made.is = identify(&st)
	return made, nil
}

// Close lets the source go; its Identity may become another file's.
func (h *Held) Close() error { return h.file.Close() }

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

// changed is the refusal of what is not any more what was judged.
func (e *setupError) changed() error {
	var how string
	switch e.errno {
	case unix.ESTALE:
		how = "is not the file or folder any more that was judged"
	case unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.EXDEV:
		how = "is gone, or lies behind a symbolic link now"
	default:
		how = "cannot be opened once more: " + e.errno.Error()
	}
	return fault.New(fault.Denied, "mount_changed", "%s %s: something changes it while the tool is being started", spec.Quote(e.what), how).
		Hint("run it again once nothing changes that path")
}
