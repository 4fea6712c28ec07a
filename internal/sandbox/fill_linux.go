package sandbox

import "strconv"

// The user that the program is, inside: nobody's name, no rights, and a home
// that is the scratch.
const (
	innerID  = 1000
	userName = "tool"
)

// stubs are the files that libraries look up to name users and hosts. The
// order's own files come after them, so that a job with network can bring the
// host's resolver.
func stubFiles(uid int) []File {
	id := strconv.Itoa(uid)
	return []File{
		{Target: "/etc/passwd", Data: []byte(userName + ":x:" + id + ":" + id + "::" + ScratchDir + ":/bin/false\n")},
		{Target: "/etc/group", Data: []byte(userName + ":x:" + id + ":\n")},
		{Target: "/etc/hosts", Data: []byte("127.0.0.1 localhost\n::1 localhost\n")},
		{Target: "/etc/nsswitch.conf", Data: []byte("passwd: files\ngroup: files\nhosts: files dns\n")},
	}
}

// scopedSignals is the Landlock ABI from which a domain keeps signals to itself.
const scopedSignals = 6
