package sandbox

import "os"

// TasksOfTools is how many threads the user has as whom a tool runs.
func TasksOfTools() int {
	if os.Getuid() == 0 {
		return tasksOf(nobody)
	}
	return tasksOf(os.Getuid())
}

// Reachable tells whether a user who owns nothing can use all mounts.
func Reachable(mounts []Mount) bool { return reachable(mounts) }
