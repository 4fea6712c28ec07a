package ahead

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// maxGuess is far beyond the job of a tool: a runner and some paths.
const maxGuess = 256 << 10

// begun will hold the sandbox in which a program was started ahead, or nothing
// when there was no guess. It is nil in a process that runs no tool.
var begun chan *sandbox.Sandbox

// init begins when the command line is that of a run. It is not left to main,
// because by then a third of the time is gone that it saves: packages are
// initialised in the order of their import paths as soon as what they import
// is ready, and this one comes before the slow ones. So it cannot be handed
// what it needs of the machine, and looks for itself.
func init() {
	name, ok := toolOf(os.Args)
	if !ok {
		return
	}
	begun = make(chan *sandbox.Sandbox, 1)
	go func() {
		defer close(begun)
		home, _ := os.UserHomeDir()
		own := paths.Default(runtime.GOOS, home, os.Getenv)
		job, ok := guess(own, name)
		if !ok {
			return
		}
		if box := sandbox.Remembered(Options(own, time.Now)); box != nil {
			box.Warm(job)
			begun <- box
		}
	}()
}

// Options are how this program opens the sandbox of one user.
func Options(p paths.Paths, now func() time.Time) sandbox.Options {
	return sandbox.Options{Now: now, Cache: filepath.Join(p.Cache(), "sandbox.json")}
}

// toolOf reads the tool's name out of a command line such as
// "patch-git run NAME[@VERSION] ...".
func toolOf(argv []string) (spec.Name, bool) {
	if len(argv) < 3 || argv[1] != "run" || slices.Contains(argv, "--unsafe-no-sandbox") {
		return "", false
	}
	text, _, _ := strings.Cut(argv[2], "@")
	name, err := spec.ParseName(text)
	return name, err == nil
}

// Take returns the sandbox in which a program may wait, the first time, and
// nil when nothing was begun.
func Take() *sandbox.Sandbox {
	if begun == nil {
		return nil
	}
	return <-begun
}

// Drop ends what was begun and not taken.
func Drop() {
	if box := Take(); box != nil {
		box.Close()
	}
}

func guessPath(p paths.Paths, name spec.Name) string {
	return filepath.Join(p.Cache(), "ahead", name.String()+".job")
}

// guess reads the job that a tool had last time.
func guess(p paths.Paths, name spec.Name) (job sandbox.Job, ok bool) {
	b, err := durable.ReadFileNoFollow(guessPath(p, name), maxGuess)
	if err != nil || job.UnmarshalBinary(b) != nil {
		return sandbox.Job{}, false
	}
	return job, harmless(job)
}

// harmless tells whether a job may be started on the strength of a guess.
func harmless(j sandbox.Job) bool {
	return j.Late && !j.Network && !slices.ContainsFunc(j.Mounts, func(m sandbox.Mount) bool { return m.Write })
}

// Learn keeps the job of a run that just took place, without its late input, for
// the next run of the same tool. A tool whose job cannot be guessed, because
// it has the network or was given paths, is forgotten. Failing costs only time.
func Learn(p paths.Paths, name spec.Name, job sandbox.Job, guessable bool) {
	path := guessPath(p, name)
	if b, err := job.MarshalBinary(); err == nil && guessable && harmless(job) && len(b) <= maxGuess {
		_ = durable.Replace(path, b, 0o600)
		return
	}
	_ = os.Remove(path)
}
