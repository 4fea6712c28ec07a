package consume

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/obeyed"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/secrets"
	"github.com/patch-cat/patch-git/spec"
)

// judge says which of the user's files a tool may be given at all.
type judge struct {
	known *secrets.Known
	dir   string // the working directory
	home  string
	state string // where patch-git keeps what it knows, its real path
	own   fs.FileInfo
}

// newJudge is the judge for a user with that home and state.
func newJudge(dir, home, state string) *judge {
	j := &judge{known: secrets.New(home), dir: dir, home: home, state: state}
	if real, err := filepath.EvalSymlinks(state); err == nil {
		j.state = real // else it is not there yet; who can write around it could make it
	}
	if info, err := os.Stat(j.state); err == nil {
		j.own = info
	}
	return j
}

// open finds the real path that a person meant, opens it, and judges what was
// opened and where.
func (j *judge) open(w wish) (*granted, error) {
	if w.path == "" {
		// It would be the whole working directory, and is what is left of a
		// variable of the shell that is not set.
		return nil, fault.New(fault.Usage, "path", "a path that is to be given is empty").Hint("name the file or the folder; . is the folder you are in")
	}
	if strings.IndexByte(w.path, 0) >= 0 {
		return nil, fault.New(fault.Usage, "path", "path %s has a zero byte", spec.Quote(w.path))
	}
	named := w.path
	if !filepath.IsAbs(named) {
		named = filepath.Join(j.dir, named)
	}
	named = filepath.Clean(named)
	real, err := filepath.EvalSymlinks(named)
	folder, name := real, ""
	if errors.Is(err, fs.ErrNotExist) {
		folder, err = filepath.EvalSymlinks(filepath.Dir(named))
		if err != nil || !w.create {
			return nil, j.missing(w)
		}
		name = filepath.Base(named)
		real = filepath.Join(folder, name)
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "path", "path %s cannot be resolved: %w", spec.Quote(w.path), err)
	}
	if err := j.notSystem(real); err != nil {
		return nil, err
	}
	src, err := sandbox.Hold(folder)
	if err != nil {
		return nil, fault.New(fault.KindOf(err), "path", "%s cannot be given to a tool: %w", spec.Quote(real), err)
	}
	d := &granted{Grant: audit.Grant{Path: real, Write: w.write, From: w.from}, src: src, name: name}
	if d.Secret, err = j.judge(d, named); err != nil {
		d.close()
		return nil, err
	}
	if w.write && (obeyed.Of(real) != "" || obeyed.Of(named) != "") {
		d.obeyed = []string{real}
	}
	return d, nil
}

// missing is the error of a path that is not there.
func (j *judge) missing(w wish) error {
	err := fault.New(fault.NotFound, "path", "there is no file %s", spec.Quote(w.path))
	if at := config.Expand(w.path, j.home); at != w.path {
		// No shell has replaced it in an argument.
		return err.Hint("~ is not the home folder here; the path in full is %s", spec.Quote(at))
	}
	return err
}

// judge refuses what no tool is given, and tells whether what was opened is a
// secret. A secret must have been named as what it is: a link with another name
// may be somebody else's doing.
func (j *judge) judge(d *granted, named string) (secret bool, err error) {
	if d.name != "" && !d.src.Dir() {
		return false, fault.New(fault.NotFound, "path", "there is no folder %s", spec.Quote(d.src.Path()))
	}
	if err := j.spare(d.Path); err != nil {
		return false, err
	}
	var head func() ([]byte, error)
	switch {
	case d.name != "": // there is nothing in it yet
		head = nothing
	case !d.src.Dir():
		head = func() ([]byte, error) { return headOf(d.src) }
	}
	place := j.known.Of(d.Path, head)
	if place != "" && j.known.Of(named, head) == "" {
		return false, fault.New(fault.Denied, ReasonLinkToSecret, "%s leads to %s, where secrets lie", spec.Quote(named), spec.Quote(d.Path)).
			Hint("name it as what it is, if it is meant: %q", d.Path)
	}
	return place != "", nil
}

// nothing is the beginning of a file that nobody looks into.
func nothing() ([]byte, error) { return nil, nil }

// headOf reads the beginning of what was opened, and of nothing else.
func headOf(src *sandbox.Held) ([]byte, error) {
	f, err := src.Read()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return secrets.Head(f)
}

// notSystem refuses what the sandbox cannot show: the root, the kernel's own
// file systems, and where it has files of its own.
func (j *judge) notSystem(real string) error {
	for _, d := range []string{"/proc", "/sys", "/dev"} {
		if within(real, d) {
			return fault.New(fault.Denied, "path", "%s cannot be given to a tool", spec.Quote(real))
		}
	}
	if filepath.Dir(real) == real {
		return fault.New(fault.Denied, "path", "the whole file system cannot be given to a tool")
	}
	if sandbox.Own(real) || pyenv.Reserved(real) {
		if j.known.Of(real, nothing) != "" { // nobody is told to make a copy of it
			return fault.New(fault.Denied, "path", "%s, where secrets lie, cannot be given to a tool", spec.Quote(real))
		}
		return fault.New(fault.Denied, "path", "%s cannot be given to a tool, which finds files of the sandbox there", spec.Quote(real)).
			Hint("copy what the tool needs to another place, and name the copy")
	}
	return nil
}

// spare refuses a path that reaches patch-git's own state, or has it in it: the
// signing keys, the records of other runs, whom the user trusts and what the
// user agreed to. The state can have a second name, where it is mounted twice.
func (j *judge) spare(real string) error {
	if within(real, j.state) || within(j.state, real) {
		return j.spared(real)
	}
	for p := real; j.own != nil; p = filepath.Dir(p) {
		if info, err := os.Stat(p); err == nil && os.SameFile(info, j.own) {
			return j.spared(real)
		}
		if p == filepath.Dir(p) {
			break
		}
	}
	return nil
}

func (j *judge) spared(real string) error {
	return fault.New(fault.Denied, "path", "%s cannot be given to a tool: patch-git keeps there whom you trust", spec.Quote(real)).
		Hint("name the file or the folder that it needs, outside of %s", spec.Quote(j.state))
}

// search looks through the folders that are granted, and hides what must not be
// given along with them. What was granted by its own name is not hidden.
func (j *judge) search(ctx context.Context, g *grants) error {
	ctx, cancel := context.WithTimeout(ctx, limits.GrantTime)
	defer cancel()
	hidden := 0
	for _, d := range g.list {
		if !d.src.Dir() || d.name != "" {
			continue
		}
		tree := secrets.Tree{At: d.Path, Open: d.src.Open, Look: func(f *os.File) (bool, error) {
			if info, err := f.Stat(); err == nil && j.own != nil && os.SameFile(info, j.own) {
				return false, j.spared(d.Path)
			}
			return sandbox.OfKernel(f), nil
		}}
		if d.Write && d.From == audit.FromArgument && len(d.obeyed) == 0 {
			tree.Mind = obeyed.Is
		}
		found, err := j.known.Search(ctx, tree)
		if fault.KindOf(err) == fault.Denied && err != nil {
			return err
		}
		if err != nil {
			return fault.New(fault.Unavailable, "path", "folder %s cannot be searched for secrets: %w", spec.Quote(d.Path), err)
		}
		if hidden += len(found.Paths); hidden > limits.GrantHidden {
			return fault.New(fault.Denied, "secrets", "%s holds more than %d secrets, and they cannot all be hidden", spec.Quote(d.Path), limits.GrantHidden).
				Hint("name a smaller folder, or the files that the tool needs, one by one")
		}
		if err := g.hide(d, found.Paths); err != nil {
			return err
		}
		for _, rel := range found.Minded {
			d.obeyed = append(d.obeyed, filepath.Join(d.Path, filepath.FromSlash(rel)))
		}
		g.unsearched(d, found)
	}
	return nil
}

// hide notes what a grant hides, with which file it is.
func (g *grants) hide(d *granted, paths []string) error {
	for _, rel := range paths {
		path := filepath.Join(d.Path, filepath.FromSlash(rel))
		if g.has(path) {
			continue
		}
		is, err := sandbox.Identify(path)
		if err != nil {
			return fault.New(fault.Denied, "mount_changed", "%s was to be hidden from the tool, and changes meanwhile: %w", spec.Quote(path), err)
		}
		d.hide = append(d.hide, sandbox.Hidden{Path: path, Is: is})
	}
	return nil
}

// has tells whether a path was granted by its own name.
func (g *grants) has(path string) bool {
	for _, d := range g.list {
		if d.Path == path {
			return true
		}
	}
	return false
}

func (g *grants) unsearched(d *granted, f secrets.Found) {
	if len(f.Left) == 0 {
		return
	}
	var left []string
	for _, rel := range f.Left {
		left = append(left, spec.Quote(filepath.Join(d.Path, filepath.FromSlash(rel))))
	}
	if f.More {
		left = append(left, "and more folders")
	}
	g.notes = append(g.notes, "secrets: not searched for in "+strings.Join(left, ", ")+"; what lies there is given as it is")
}

func within(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
