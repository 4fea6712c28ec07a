//go:build !linux

package sandbox

// drivers is empty, so that Open refuses.
func drivers(Options) []driver { return nil }

// HostLibraries are what programs need of the host, here nothing: no driver
// hides it.
func HostLibraries() []Mount { return nil }

// Nothing was ever chosen here, so there is nothing to remember.
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
