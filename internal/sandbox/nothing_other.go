//go:build !linux

package sandbox

// HostLibraries are what programs need of the host, here nothing: no driver
// hides it.
func HostLibraries() []Mount { return nil }

// No driver here takes long to try, so nothing is remembered.
func remembered(string) (string, *groups) { return "", nil }
func remember(string, string, *groups)    {}
func forget(string)                       {}

// Control groups are of Linux.
type (
	groups struct{ dir string }
	group  struct{}
)

func findGroups(string) (*groups, error)    { return nil, nil }
func (*groups) make(Limits) (*group, error) { return nil, nil }
func (*group) tally() (memory, procs bool)  { return false, false }
func (*group) remove()                      {}
