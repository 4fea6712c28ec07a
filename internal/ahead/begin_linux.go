package ahead

import (
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// init begins when the command line is that of a run or of a check. It is not left to main,
// because by then a third of the time is gone that it saves: packages are
// initialised in the order of their import paths as soon as what they import
// is ready, and this one comes before the slow ones. So it cannot be handed
// what it needs of the machine, and looks for itself, with little of the
// standard library: nothing that is itself initialised late. It is here alone
// because no other system has a sandbox.
func init() {
	name, runs := toolOf(os.Args)
	file, checks := sourceOf(os.Args)
	if !runs && !checks {
		return
	}
	begun = make(chan *sandbox.Sandbox, 1)
	go func() {
		defer close(begun)
		home, _ := os.UserHomeDir()
		own := paths.Default(runtime.GOOS, home, os.Getenv)
		var job sandbox.Job
		var ok bool
		if runs {
			job, ok = guess(own, name)
		} else {
			job, ok = guessCheck(own, file)
		}
		if !ok {
			return
		}
		if box := sandbox.Remembered(Options(own, time.Now)); box != nil {
			box.Warm(job)
			begun <- box
		}
	}()
}

// guess reads the job that a tool had last time.
func guess(p paths.Paths, name spec.Name) (job sandbox.Job, ok bool) {
	b := read(p.Guess(name), maxGuess)
	if b == nil || job.UnmarshalBinary(b) != nil {
		return sandbox.Job{}, false
	}
	return job, harmless(job)
}

// read returns what a plain file holds, or nil for whatever else is there.
func read(file string, most int64) []byte {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil || int64(len(b)) > most {
		return nil
	}
	return b
}
