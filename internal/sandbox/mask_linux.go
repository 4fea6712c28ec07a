package sandbox

import (
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maskDir holds, in the new root, the empty files and folders that are mounted
// over what is hidden. They stay, because a folder without a name cannot be
// listed; nobody can look in here.
const maskDir = ".hidden"

// mask is an empty file or folder over a path below a mount.
type mask struct {
	over  string // as the program sees it
	empty string // in the root's tmpfs, relative
}

// hide mounts the masks of a mount that was just put in its place. The program,
// which has no capability, can neither take one off nor move what is under it;
// where that is moved on the host, the mask goes along.
func (c *cage) hide(s source) {
	for _, h := range s.Hide {
		m := mask{h.Path, maskDir + "/" + strconv.Itoa(len(c.masks))}
		c.masks = append(c.masks, m)
		c.dir(maskDir, 0o700)
		if h.Is.Kind == unix.S_IFDIR {
			c.dir(m.empty, 0o755)
		} else {
			c.empty(m.empty)
		}
		c.open(stepSame, h.Path[1:], unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0, regDir)
		c.same(stepSame, h.Path, regDir, &unix.Stat_t{}, h.Is.Dev, h.Is.Ino)
		c.call(stepRoot, h.Path, unix.SYS_OPEN_TREE, reg(regRoot), c.text(m.empty), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC).to(regTree)
		c.call(stepSame, h.Path, unix.SYS_MOVE_MOUNT, reg(regTree), c.text(""), reg(regDir), c.text(""), unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
		c.close(regDir)
		c.close(regTree)
	}
}

// place is where a mount's target is made, so that there is something to mount
// on: in the root's own tmpfs, or, below what is hidden, in the folder that is
// seen there instead. It is "" in a directory of the host, where nothing is.
func (c *cage) place(target string, inside bool) string {
	for _, m := range slices.Backward(c.masks) {
		if target != m.over && below(target, m.over) {
			return m.empty + target[len(m.over):]
		}
	}
	if inside {
		return ""
	}
	return target[1:]
}

// sealMasks makes the masks read-only once all mounts are in their places: one
// of them may lie below a mask, because it was named.
func (c *cage) sealMasks() {
	for _, m := range c.masks {
		attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC}
		c.open(stepSame, m.over[1:], unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0, regDir)
		c.call(stepSame, m.over, unix.SYS_MOUNT_SETATTR, reg(regDir), c.text(""), unix.AT_EMPTY_PATH, c.at(unsafe.Pointer(attr)), unsafe.Sizeof(*attr))
		c.close(regDir)
	}
	if len(c.masks) > 0 {
		c.call(stepRoot, maskDir, unix.SYS_FCHMODAT, reg(regRoot), c.text(maskDir), 0)
	}
}
