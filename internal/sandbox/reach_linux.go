package sandbox

import (
	"os"
	"path"
	"slices"
)

// modest is the job without the mounts that its program does without, where root would
// have to stay root for them.
func modest(j Job) Job {
	optional := func(m Mount) bool { return m.Optional }
	if os.Getuid() != 0 || !slices.ContainsFunc(j.Mounts, optional) || reachable(j.Mounts) {
		return j
	}
	if needed := slices.DeleteFunc(slices.Clone(j.Mounts), optional); reachable(needed) {
		j.Mounts = needed
	}
	return j
}

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
