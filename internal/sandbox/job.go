package sandbox

import (
	"cmp"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ScratchDir is the private directory of every job, as the job sees it.
const ScratchDir = "/tmp"

// Job is one program to run and all that it may touch. Paths are absolute,
// clean and as the program sees them, but for Mount.Source.
//
// A driver without a root of its own rewrites them: ScratchDir and every
// Target become the real place wherever they begin Argv[n], Dir, a File, Stdin
// or one of the colon-separated parts of an Env value. Text inside files and
// inside longer arguments is left alone, so a job that must run everywhere
// keeps Source and Target alike.
type Job struct {
	Argv []string // Argv[0] is the absolute path of an executable
	Env  []string // NAME=value; the whole environment
	Dir  string   // "" is ScratchDir

	// Standard input: the bytes, or the Target of one of Files. Neither is
	// an empty input.
	Stdin     []byte
	StdinFile string
	// Late makes the standard input a pipe, which Stdin is written to once
	// the gate has opened. Until then the program runs already and waits, so
	// it must be one that does nothing of a stranger's before it has read.
	Late bool
	// Early is how many first bytes of a late Stdin a program that waits gets before
	// its gate was asked, or by [Pool.Ready] or [PoolOptions].Ahead before it is known
	// whether the job will come, so that it reads meanwhile. They are not all of Stdin, and
	// the program must be one that does nothing of a stranger's before it has read more.
	Early int
	// Wake is what a program that has read the early part may be told by [Pool.Ready],
	// any number of times and before the rest: that a call may be on its way. It tells
	// nothing of the call. nil is never told.
	Wake []byte
	// Talk, where it is not nil, has a conversation with the program of a late job
	// instead of giving it Stdin: in is its standard input, out what it writes to its
	// standard output, which the outcome has too. It begins when the gate has opened,
	// and must return once out ends. When it does, the input ends, and a program that
	// does not end within moments is killed.
	Talk func(in io.Writer, out io.Reader)

	Mounts  []Mount
	Files   []File
	Network bool // internet sockets; false is no route at all
	// Uplink is where they lead; nil is the host's own routes.
	Uplink Uplink
	Limits Limits

	// Gate is asked while the sandbox is being built and before the program
	// may start, or with Late before it gets its input, but for what is Early, so
	// that what must have happened by then can happen meanwhile. Its error ends
	// the run and is what Run returns. nil lets it start. A program that was started ahead is
	// stopped by nothing while its gate is asked, which so should not wait for long.
	Gate func() error
	// Heard, where it is not nil, is given the beginning of the standard output as soon
	// as that ends with a line, once, for whoever can use the time that the program takes
	// to end. More may follow, so what counts is the outcome. Run returns after it.
	Heard func(stdout []byte)
}

// Mount shows one host file or directory to the job, with all below it.
// Source must be a real path: a symbolic link anywhere in it is refused, and
// so is another file or directory than the one it Is, unless that is zero.
type Mount struct {
	Source, Target string
	Write          bool
	Optional       bool // the program does without it, so no user is kept for it
	Is             Identity
	Hide           []Hidden // what the program finds empty instead
}

// File is put below ScratchDir before the program starts, owned by the
// program's user. Mode 0 is 0444.
type File struct {
	Target string
	Data   []byte
	Mode   fs.FileMode
}

// Limits bound one run. A zero field takes the number of package limits.
type Limits struct {
	Wall      time.Duration // from the call to the end
	CPU       time.Duration // of each process, rounded up to seconds; zero never ends a run before Wall does
	Memory    int64         // bytes: address space of each process, and resident sum over all
	Processes int           // threads count as processes
	OpenFiles int           // descriptors of each process
	FileSize  int64         // bytes of one file
	Scratch   int64         // bytes below ScratchDir and /dev/shm, beyond what Files holds
	Stdout    int64         // bytes; one more ends the run
	Stderr    int64         // bytes; the last ones are kept
}

// maxWake is what a pipe takes whole or not at all, on every system.
const maxWake = 512

// open asks the gate.
func (j Job) open() error {
	if j.Gate == nil {
		return nil
	}
	return j.Gate()
}

func (l Limits) withDefaults() Limits {
	l.Wall = cmp.Or(l.Wall, limits.RunTime)
	l.CPU = cmp.Or(l.CPU, l.Wall*time.Duration(runtime.NumCPU()))
	l.Memory = cmp.Or(l.Memory, limits.RunMemory)
	l.Processes = cmp.Or(l.Processes, limits.RunProcesses)
	l.OpenFiles = cmp.Or(l.OpenFiles, limits.RunFiles)
	l.FileSize = cmp.Or(l.FileSize, limits.RunFileSize)
	l.Scratch = cmp.Or(l.Scratch, limits.RunScratch)
	l.Stdout = cmp.Or(l.Stdout, limits.Stdout)
	l.Stderr = cmp.Or(l.Stderr, limits.Stderr)
	return l
}

func (l Limits) negative() bool {
	return l.Wall < 0 || l.CPU < 0 || l.Memory < 0 || l.Processes < 0 || l.OpenFiles < 0 ||
		l.FileSize < 0 || l.Scratch < 0 || l.Stdout < 0 || l.Stderr < 0
}

// bad is the error of a job that no driver would run.
func bad(format string, args ...any) error {
	return fault.New(fault.Usage, "bad_job", format, args...)
}

// checked returns the job with its defaults filled in, or what is wrong with
// it. It looks at the words only; the host's files are looked at when they are
// opened, once.
func (j Job) checked() (Job, error) {
	if len(j.Argv) == 0 || !cleanAbsolute(j.Argv[0]) {
		return j, bad("program path is not absolute and clean")
	}
	for _, a := range j.Argv {
		if strings.IndexByte(a, 0) >= 0 {
			return j, bad("argument %s holds a zero byte", spec.Quote(a))
		}
	}
	for _, e := range j.Env {
		if i := strings.IndexByte(e, '='); i < 1 || strings.IndexByte(e, 0) >= 0 {
			return j, bad("environment entry %s is not NAME=value", spec.Quote(e))
		}
	}
	j.Dir = cmp.Or(j.Dir, ScratchDir)
	if !cleanAbsolute(j.Dir) {
		return j, bad("working directory %s is not absolute and clean", spec.Quote(j.Dir))
	}
	targets := map[string]bool{}
	for _, m := range j.Mounts {
		if err := m.check(); err != nil {
			return j, err
		}
		if targets[m.Target] {
			return j, bad("two mounts on %s", spec.Quote(m.Target))
		}
		targets[m.Target] = true
	}
	if err := j.checkHidden(targets); err != nil {
		return j, err
	}
	input := j.StdinFile == ""
	for _, f := range j.Files {
		if !cleanAbsolute(f.Target) || !below(f.Target, ScratchDir) || f.Target == ScratchDir {
			return j, bad("file %s is not below %s", spec.Quote(f.Target), ScratchDir)
		}
		if targets[f.Target] {
			return j, bad("two contents for %s", spec.Quote(f.Target))
		}
		for _, m := range j.Mounts {
			// Writing it would change the host's directory.
			if below(f.Target, m.Target) {
				return j, bad("file %s lies in the mount on %s", spec.Quote(f.Target), spec.Quote(m.Target))
			}
		}
		targets[f.Target] = true
		input = input || f.Target == j.StdinFile
	}
	switch {
	case !input:
		return j, bad("standard input %s is none of the job's files", spec.Quote(j.StdinFile))
	case j.StdinFile != "" && (j.Stdin != nil || j.Late):
		return j, bad("standard input is given twice")
	case j.Early < 0 || j.Early > 0 && (!j.Late || j.Early >= len(j.Stdin)):
		return j, bad("nothing of the standard input is left for behind the gate")
	case len(j.Wake) > maxWake || j.Wake != nil && j.Early == 0:
		return j, bad("a program is woken by a few bytes behind an early part, or not at all")
	case j.Talk != nil && (!j.Late || j.Stdin != nil):
		return j, bad("a conversation needs a late input of its own")
	case j.Uplink != nil && !j.Network:
		return j, bad("an uplink is given to a job without network")
	case j.Limits.negative():
		return j, bad("a limit is negative")
	}
	j.Limits = j.Limits.withDefaults()
	return j, nil
}

// check refuses what would make a mount reach further than its words say:
// the kernel's own file systems as a source, and targets that would cover the
// private ones or the whole root.
func (m Mount) check() error {
	if !cleanAbsolute(m.Source) || !cleanAbsolute(m.Target) {
		return bad("mount %s on %s: a path is not absolute and clean", spec.Quote(m.Source), spec.Quote(m.Target))
	}
	if m.Source == "/" {
		return bad("the whole host cannot be mounted")
	}
	for _, own := range []string{"/proc", "/sys", "/dev"} {
		if below(m.Source, own) {
			return bad("mount of %s: nothing below %s can be mounted", spec.Quote(m.Source), own)
		}
	}
	if Own(m.Target) {
		return bad("mount on %s would hide the sandbox's own files", spec.Quote(m.Target))
	}
	return m.checkHidden()
}

// Own tells whether a sandbox has something of its own at a clean path, so that
// nothing can be mounted there.
func Own(p string) bool {
	if p == "/" || p == ScratchDir {
		return true
	}
	return slices.ContainsFunc([]string{"/proc", "/sys", "/dev", "/etc"}, func(own string) bool { return below(p, own) })
}

// cleanAbsolute tells whether p is spelled in the one way that has no "..",
// no double slash and no zero byte.
func cleanAbsolute(p string) bool {
	return path.IsAbs(p) && path.Clean(p) == p && strings.IndexByte(p, 0) < 0
}

// below tells whether p is dir or lies in it; both are clean.
func below(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/' || dir == "/")
}
