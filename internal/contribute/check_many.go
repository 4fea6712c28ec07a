package contribute

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/spec"
)

// Look is the answer about one of several files.
type Look struct {
	Path    string
	Checked *Checked
	Review  *review.Review // what a registry would make of it; nil without one, and where the file says too little
	Err     error
}

// CheckMany checks files and folders, as [Workshop.CheckFile] does or, with the
// folder of a registry, as [Workshop.CheckIn]. As many are checked at a time as
// there are cores, and the answers come in the order of the paths; no more of
// them wait than are checked.
func (w *Workshop) CheckMany(ctx context.Context, paths []string, in string) iter.Seq[Look] {
	return func(yield func(Look) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer cancel()
		workers := max(1, min(runtime.GOMAXPROCS(0), len(paths)))
		queue, free := make(chan chan Look, workers), make(chan struct{}, workers)
		group.Go(func() {
			defer close(queue)
			for i, path := range paths {
				answer := make(chan Look, 1)
				select {
				case queue <- answer:
				case <-ctx.Done():
					return
				}
				if len(paths) > 1 {
					w.progress("checking "+path, int64(i), int64(len(paths)))
				}
				free <- struct{}{}
				group.Go(func() {
					answer <- w.look(ctx, path, in)
					<-free
				})
			}
		})
		for answer := range queue {
			if !yield(<-answer) {
				return
			}
		}
	}
}

func (w *Workshop) look(ctx context.Context, path, in string) (l Look) {
	l.Path = path
	if in == "" {
		l.Checked, l.Err = w.CheckFile(ctx, path)
	} else {
		l.Checked, l.Review, l.Err = w.CheckIn(ctx, path, in)
	}
	return l
}

// Proposals are the tools at a path: itself, or, where it is a folder without a
// main file, all version directories below it. Links are not followed, and
// folders that begin with a dot are passed by.
func Proposals(path string) ([]string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, nil //nolint:nilerr // who reads it says what is wrong
	}
	var out []string
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return durable.Classify("read", p, err)
		case d.IsDir() && p != path && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() && hasMain(p):
			out = append(out, p)
			return fs.SkipDir // what is below belongs to it
		}
		return nil
	})
	if err == nil && out == nil {
		out = []string{path} // a check of it says what is missing
	}
	return out, err
}

// hasMain tells whether a folder has a main file of any format.
func hasMain(dir string) bool {
	return slices.ContainsFunc(spec.Formats(), func(f spec.Format) bool {
		_, err := os.Lstat(filepath.Join(dir, f.MainFile()))
		return err == nil
	})
}

// Untold tells whether nothing speaks against the release but that somebody
// could not tell: no interpreter, no sandbox, a limit that was hit.
func (c *Checked) Untold() bool {
	judged := slices.DeleteFunc(slices.Clone(c.Findings), unjudged)
	return !spec.Blocking(judged) && spec.Blocking(c.Findings)
}

// refused is the error of a release that is not OK: the given no, or that nobody
// here could tell, with what can be done about that.
func (c *Checked) refused(no error) error {
	if !c.Untold() {
		return no
	}
	err := fault.New(fault.Unavailable, "untold", "nobody could tell whether the registry would take this; nothing of it was sent or published")
	for _, h := range c.Hints {
		err = err.Hint("%s", h)
	}
	return err.Hint("patch-git doctor")
}
