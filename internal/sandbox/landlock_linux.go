package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// leastLandlock is what the landlock driver needs: 3 mediates truncation,
// without which a file granted for reading could be emptied (Linux 6.2).
const leastLandlock = 3

// What each ABI added, by the kernel's documentation of Landlock.
const (
	llBase = 1<<13 - 1 // everything of ABI 1
	llRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	llFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// llNever is given to nobody, not even where writing is allowed.
	llNever = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	llDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
)

// landlockABI is the version of the running kernel, 0 without Landlock.
func landlockABI() int {
	v, _, e := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0
	}
	return int(v)
}

// landlockAttr is struct landlock_ruleset_attr.
type landlockAttr struct{ fs, net, scoped uint64 }

// ruleset is a Landlock domain under construction. What is handled and not
// allowed by a rule is refused.
type ruleset struct {
	fd      int
	handled uint64
}

// landlockAttrFor is all that a kernel of this ABI can handle, for a job.
func landlockAttrFor(abi int, network bool) landlockAttr {
	a := landlockAttr{fs: llBase}
	if abi >= 2 {
		a.fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		a.fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 && !network {
		a.net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		a.fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		a.scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	if abi >= 9 {
		a.fs |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	if abi >= 10 && !network {
		a.net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	}
	return a
}

func newRuleset(abi int, network bool) (*ruleset, error) {
	a := landlockAttrFor(abi, network)
	// Older kernels take a longer struct whose unknown part is zero.
	fd, _, e := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a), 0)
	if e != 0 {
		return nil, e
	}
	return &ruleset{int(fd), a.fs}, nil
}

// allow gives rights to what fd points at and all below it.
func (r *ruleset) allow(fd int, rights uint64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= llFile
	}
	beneath := struct {
		allowed uint64
		fd      int32
	}{rights & r.handled, int32(fd)}
	_, _, e := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// allowPath is allow for a path that this package chose.
func (r *ruleset) allowPath(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return r.allow(fd, rights)
}

// writable is everything that a path granted for writing allows.
func (r *ruleset) writable() uint64 { return r.handled &^ llNever }

// enforce puts the calling thread into the domain, for good.
func (r *ruleset) enforce() error {
	// Landlock asks for it of everyone who is not the administrator.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, e := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); e != 0 {
		return e
	}
	return unix.Close(r.fd)
}
