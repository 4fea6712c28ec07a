package sandbox

import "github.com/patch-cat/patch-git/internal/fault"

// OpenUnsafe makes a Sandbox that protects nothing: the program has all rights
// of the caller. It exists for --unsafe-no-sandbox alone. What still holds are
// the time, the output and, where the system knows process groups, the end of
// everything that stayed in the program's group.
func OpenUnsafe(opts Options) (*Sandbox, error) {
	if opts.Now == nil {
		return nil, fault.New(fault.Internal, "no_clock", "sandbox options have no clock")
	}
	return &Sandbox{opts: opts, driver: none{temp: opts.Temp}}, nil
}

// none is the driver that only starts and ends programs. It is in no list, so
// nothing chooses it.
type none struct{ temp string }

func (none) name() string { return "none" }

func (none) open(bool) []string {
	return []string{
		"files: every file of the user can be read and written, whatever the mounts say",
		"network: everything that the user can reach can be reached",
		"processes: not limited, and one that leaves its group outlives the run",
		"memory: not limited",
		"file size: not limited",
		"system calls: not filtered",
	}
}
