package sandbox

import "time"

// Outcome is what became of a program that did start. The Outcome of a failed
// call has Exit -1 and nothing else.
type Outcome struct {
	// Exit is 0 to 255; -1 when a signal ended it. The bubblewrap driver hears
	// of a signal as of an exit code above 128, and takes each such for one.
	Exit   int
	Signal string // "SIGKILL", "SIGSEGV", …; "" when it exited

	Stdout    []byte // the first bytes, up to the limit
	Stderr    []byte // the last bytes, up to the limit
	StdoutCut bool   // more was written, so the run was ended
	StderrCut bool   // earlier bytes are gone

	TimedOut         bool // the wall or the processor time was used up
	OutOfMemory      bool // the tree as a whole held too much; one process alone gets ENOMEM instead
	TooManyProcesses bool // the tree was seen at its limit

	Duration    time.Duration // of a warm program, from its input on
	Warm        bool          // the program was running before it was asked for
	Driver      string        // one of DriverNames, or "none"
	NotEnforced []string      // one sentence for each thing asked for and not done
}

// DriverReport is one line of patch-git doctor.
type DriverReport struct {
	Name        string
	Works       bool
	Reason      string   // why not, when it does not
	Hints       []string // what a person can do about it
	NotEnforced []string // what it leaves open when it does
	NoUplink    string   // why a job cannot have an Uplink, "" when it can
	Group       string   // where its runs get control groups with limits, "" when they get none
	NoGroup     string   // why they get none
}
