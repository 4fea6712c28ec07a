package sandbox

import (
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// maskDir holds, in the new root, the empty files and folders that are mounted
// over what is hidden. They stay, because a folder without a name cannot be
// listed; nobody can look in here.
const maskDir = ".hidden"

// mask mounts an empty file or folder over a path below a mount. The program,
// which has no capability, can neither take it off nor move what is under it;
// where that is moved on the host, the mask goes along.
func (r *root) mask(h Hidden) *setupError {
	dir := r.fd
	for _, name := range append(parents(h.Path), path.Base(h.Path)) {
		next, err := unix.Openat2(dir, name, &unix.OpenHow{
			Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
		})
		if dir != r.fd {
			_ = unix.Close(dir)
		}
		if err != nil {
			return failed(stepSame, h.Path, err)
		}
		dir = next
	}
	defer func() { _ = unix.Close(dir) }()
	var st unix.Stat_t
	if err := unix.Fstat(dir, &st); err != nil {
		return failed(stepSame, h.Path, err)
	}
	if identify(&st) != h.Is {
		return failed(stepSame, h.Path, unix.ESTALE)
	}
	over, err := r.nothing(h.Is.Kind == unix.S_IFDIR)
	if err == nil {
		err = unix.MoveMount(over, "", dir, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
	}
	if err != nil {
		return failed(stepRoot, h.Path, err)
	}
	r.masks = append(r.masks, over)
	return nil
}

// nothing is a detached mount of a new empty file or folder. A mount below it
// makes what it needs in it, so each mask has its own.
func (r *root) nothing(dir bool) (tree int, err error) {
	if len(r.masks) == 0 {
		if err := unix.Mkdirat(r.fd, maskDir, 0o700); err != nil {
			return -1, err
		}
	}
	name := maskDir + "/" + strconv.Itoa(len(r.masks))
	if dir {
		err = unix.Mkdirat(r.fd, name, 0o755)
	} else {
		var fd int
		if fd, err = unix.Openat(r.fd, name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o444); err == nil {
			err = unix.Close(fd)
		}
	}
	if err != nil {
		return -1, err
	}
	return unix.OpenTree(r.fd, name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
}

// sealMasks makes the masks read-only once all mounts are in their places: one
// of them may lie below a mask, because it was named.
func (r *root) sealMasks() *setupError {
	if len(r.masks) == 0 {
		return nil
	}
	for _, tree := range r.masks {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC}
		if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &attr); err != nil {
			return failed(stepRoot, "hidden", err)
		}
		_ = unix.Close(tree)
	}
	if err := unix.Fchmodat(r.fd, maskDir, 0, 0); err != nil {
		return failed(stepRoot, maskDir, err)
	}
	return nil
}
