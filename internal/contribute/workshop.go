package contribute

import (
	"context"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// Workshop acts for one contributor or maintainer.
type Workshop struct {
	host    *host.Host
	checker string                          // what statements name as the checker
	pause   func(attempt int) time.Duration // between attempts to sign as a workflow; nil leaves it to package keyless
	stop    func(step string) error         // ends a publication on a branch as a kill would; nil but in tests
	learned sync.Once                       // the first source that is asked about tells what to start ahead

	// Packages are resolved out of what was uploaded before this time; zero is
	// now. AnyAge is for an index that does not tell when.
	UploadedBefore time.Time
	AnyAge         bool

	// Format is that of the single files which are checked; "" tells it by their
	// name and, of JSON, by their members. AssertFormats makes "format" in a JSON
	// Schema count.
	Format        spec.Format
	AssertFormats bool

	// Progress hears of long work; nil is silence.
	Progress func(what string, done, total int64)
	// Warn hears of what a person should know but what stops nothing.
	Warn func(text string)
}

// New returns a workshop. checker names the program in signed statements.
func New(h *host.Host, checker string) (*Workshop, error) {
	if h.Paths.Root == "" {
		return nil, fault.New(fault.Unavailable, "no_home", "there is no home directory to keep keys in").
			Hint("set PATCH_GIT_HOME to an absolute path")
	}
	return &Workshop{host: h, checker: checker}, nil
}

func (w *Workshop) progress(what string, done, total int64) {
	if w.Progress != nil {
		w.Progress(what, done, total)
	}
}

func (w *Workshop) warn(text string) {
	if w.Warn != nil {
		w.Warn(text)
	}
}

// pythons opens the sandbox and what runs in it. In the first a program may wait.
func (w *Workshop) pythons(ctx context.Context) (*pyenv.Pythons, *sandbox.Sandbox, error) {
	if box := ahead.Take(); box != nil {
		return pyenv.New(w.host, box), box, nil
	}
	box, err := sandbox.Open(ctx, ahead.Options(w.host.Paths, w.host.Now))
	if err != nil {
		return nil, nil, err
	}
	return pyenv.New(w.host, box), box, nil
}
