package sandbox_test

import (
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// probe is one attempt to get out. What it does is the Python function
// try_<name> of testdata/probes; here stands what it is after.
type probe struct {
	name  string
	tries string // in a few words, for the table
	want  effect // that the control must show
	how
}

// how says what an attempt needs around it.
type how struct {
	real   bool   // its control needs the machine's own capabilities; it can do no harm with them
	root   bool   // its control needs a cage of root's, which has more than one user
	maybe  bool   // the file that it is after may be missing
	none   string // why no control can show an effect, where none can
	alone  bool   // a run of its own: it changes the process that tries
	late   bool   // after all others: it would be in their way, where nothing stops it
	victim bool   // another process to try it on
	life   bool   // the question is whether something outlives the run
	limit  *limit
	help   func(*machine, *place) bool // the host's part, until it says true
}

// limit is what an attempt with a limit has, wants and may not get.
type limit struct {
	job     sandbox.Limits
	most    int     // of what it makes
	bytes   int     // of what it fills
	allowed float64 // more than this is an effect
	output  bool    // allowed counts what the run printed
}

// group is a part of the table.
type group struct {
	title  string
	probes []probe
}

var groups = []group{
	{"The network", networkProbes},
	{"Files without a grant", hiddenProbes},
	{"Granted files and directories", grantProbes},
	{"Devices and the machine's settings", machineProbes},
	{"Other processes", processProbes},
	{"What was left open, and the terminal", leftProbes},
	{"Rights", rightProbes},
	{"Namespaces and mounts", mountProbes},
	{"Keys, queues and memory without a name", queueProbes},
	{"Doors into the kernel", kernelProbes},
	{"Limits", limitProbes},
	{"Life", lifeProbes},
}

const mebi = 1 << 20

// The sizes of the attempts on limits: each wants several times what it has.
var (
	forks    = &limit{job: sandbox.Limits{Processes: 24}, most: 150, allowed: 26}
	memory   = &limit{job: sandbox.Limits{Memory: 64 * mebi}, bytes: 256 * mebi, allowed: 190 * mebi}
	scratch  = &limit{job: sandbox.Limits{Scratch: 8 * mebi}, bytes: 32 * mebi, allowed: 10 * mebi}
	fileSize = &limit{job: sandbox.Limits{FileSize: 4 * mebi}, bytes: 16 * mebi, allowed: 4 * mebi}
	inodes   = &limit{most: 12000, allowed: 9000}
	stdout   = &limit{job: sandbox.Limits{Stdout: mebi}, bytes: 24 * mebi, allowed: mebi, output: true}
	stderr   = &limit{job: sandbox.Limits{Stderr: mebi}, bytes: 24 * mebi, allowed: mebi, output: true}
	descrs   = &limit{job: sandbox.Limits{OpenFiles: 40}, most: 100, allowed: 40}
	seconds  = &limit{job: sandbox.Limits{CPU: time.Second}, allowed: 1.5}
)
