package sandbox

import (
	"os"
	"path"
)

// reachable tells whether a user who owns nothing can use all mounts and can
// execute this program. It reads mode bits alone: an access list that says
// more costs the sandbox its unprivileged user and nothing else.
func reachable(mounts []Mount) bool {
	exe, err := os.Stat(self)
	if err != nil || exe.Mode()&1 == 0 {
		return false
	}
	passable := map[string]bool{}
	for _, m := range mounts {
		info, err := os.Lstat(m.Source)
		if err != nil {
			continue // the helper will say what is wrong with it
		}
		need := os.FileMode(4)
		if info.IsDir() {
			need |= 1
		}
		if m.Write {
			need |= 2
		}
		if info.Mode()&need != need {
			return false
		}
		for dir := path.Dir(m.Source); dir != "/"; dir = path.Dir(dir) {
			ok, seen := passable[dir]
			if !seen {
				d, err := os.Lstat(dir)
				ok = err == nil && d.Mode()&1 != 0
				passable[dir] = ok
			}
			if !ok {
				return false
			}
		}
	}
	return true
}
