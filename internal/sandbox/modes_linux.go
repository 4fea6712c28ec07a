package sandbox

import "golang.org/x/sys/unix"

// creator is a call that can give a file its mode: which argument is the mode
// and which has the flags that say whether a file is made, or -1.
type creator struct {
	call        uint32
	mode, flags int
}

// creators are those of all architectures.
var creators = []creator{
	{unix.SYS_FCHMOD, 1, -1},
	{unix.SYS_FCHMODAT, 2, -1},
	{unix.SYS_FCHMODAT2, 2, -1},
	{unix.SYS_MKNODAT, 2, -1},
	{unix.SYS_OPENAT, 3, 2},
}

// setID are the bits that make a program run as its owner or its group.
const setID = unix.S_ISUID | unix.S_ISGID

// modes keeps a tool from making such programs. In a granted directory they
// would stay on the host: there anybody could become who ran the tool, root
// included, by what a stranger wrote.
func (r rules) modes() {
	no := scErrno(unix.EPERM)
	argument := func(n int) unix.SockFilter { return load(offArg0 + 8*uint32(n)) }
	for _, list := range [][]creator{creators, archCreators} {
		for _, c := range list {
			look := program{argument(c.mode), jump(unix.BPF_JSET, setID, 0, 1), answer(no), answer(scAllow)}
			if c.flags >= 0 {
				// Where nothing is made, the mode is whatever was there.
				const makes = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
				look = join(program{argument(c.flags), jump(unix.BPF_JSET, makes, 1, 0), answer(scAllow)}, look)
			}
			r[c.call] = look
		}
	}
}
