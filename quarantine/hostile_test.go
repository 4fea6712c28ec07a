package quarantine

import "os"

// hostilePart is what the sizes of sources that want to be expensive are divided
// by: the whole of them is for the lane that has the time, make test-hostile.
func hostilePart() int {
	if os.Getenv("PATCH_GIT_HOSTILE_TOOLS") != "" {
		return 1
	}
	return 8
}
