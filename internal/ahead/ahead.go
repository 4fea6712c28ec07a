package ahead

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// maxGuess is far beyond the job of a tool: a runner and some paths.
const maxGuess = 256 << 10

// begun will hold the sandbox in which a program was started ahead, or nothing
// when there was no guess. It is nil in a process that runs no tool.
var begun chan *sandbox.Sandbox

// Options are how this program opens the sandbox of one user.
func Options(p paths.Paths, now func() time.Time) sandbox.Options {
	return sandbox.Options{Now: now, Cache: p.Driver()}
}

// toolOf reads the tool's name out of a command line such as
// "patch-git run NAME[@VERSION] ...".
func toolOf(argv []string) (spec.Name, bool) {
	if len(argv) < 3 || argv[1] != "run" || slices.ContainsFunc(argv, chooses) {
		return "", false
	}
	text, _, _ := strings.Cut(argv[2], "@")
	name, err := spec.ParseName(text)
	return name, err == nil
}

// chooses tells whether an argument may ask for another sandbox than the usual.
func chooses(arg string) bool {
	return arg == "--unsafe-no-sandbox" || strings.HasPrefix(arg, "--sandbox")
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

// harmless tells whether a job may be started on the strength of a guess.
func harmless(j sandbox.Job) bool {
	return j.Late && !j.Network && !slices.ContainsFunc(j.Mounts, func(m sandbox.Mount) bool { return m.Write })
}

// Learn keeps the job of a run that just took place, without its late input, for
// the next run of the same tool. A tool whose job cannot be guessed, because
// it has the network or was given paths, is forgotten. Failing costs only time.
// write is durable.Replace, which this package cannot import: it would come
// too late.
func Learn(p paths.Paths, name spec.Name, job sandbox.Job, guessable bool, write func(path string, b []byte, perm fs.FileMode) error) {
	path := p.Guess(name)
	if b, err := job.MarshalBinary(); err == nil && guessable && harmless(job) && len(b) <= maxGuess {
		_ = write(path, b, 0o600)
		return
	}
	_ = os.Remove(path)
}
