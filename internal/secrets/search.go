package secrets

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/patch-cat/patch-git/internal/limits"
)

// Found is what a search found.
type Found struct {
	Paths []string // what must not be given, relative to the folder, with slashes, sorted
	// Left are folders that were not searched, and More tells that there are
	// others which are not even known.
	Left []string
	More bool
	// Minded are the first few paths that Tree.Mind said yes to, relative too.
	Minded []string
}

// leftNames is how many folders that were not searched a search tells.
const leftNames = 3

// folder is one that is still to be searched.
type folder struct {
	rel    string // "." for the first
	depth  int
	minded bool // it is, or lies in, what the caller minds
}

// Tree is the folder that a search goes through.
type Tree struct {
	At string // its absolute path
	// Open opens a file or a folder below it, "." for itself, to be read. It
	// follows no link.
	Open func(rel string, folder bool) (*os.File, error)
	// Look is shown each folder that is entered. It may want it to be hidden as
	// a whole, or may end the search.
	Look func(*os.File) (hide bool, err error)
	// Mind is told the absolute path of each file and folder that is no secret; nil
	// minds none. What it says yes to is not searched for more of that, and is not hidden.
	Mind func(path string) bool
}

// Search looks for secrets in a tree. It stops, and says what it left, at the
// numbers of package limits, and when ctx ends. What the caller may not read is
// skipped, for nobody else may read it on its behalf.
func (k *Known) Search(ctx context.Context, t Tree) (Found, error) {
	var f Found
	s := search{known: k, tree: t, at: plain(t.At), found: &f}
	queue := []folder{{".", 0, false}}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if s.seen >= limits.GrantEntries || ctx.Err() != nil || next.depth > limits.GrantDepth {
			if len(f.Left) < leftNames {
				f.Left = append(f.Left, next.rel)
			} else {
				f.More = true
			}
			continue
		}
		below, err := s.folder(ctx, next)
		if err != nil {
			return f, err
		}
		queue = append(queue, below...)
	}
	slices.Sort(f.Paths)
	return f, nil
}

type search struct {
	known *Known
	tree  Tree
	at    string // in lower case
	found *Found
	seen  int
}

// folder looks at what lies in one folder and returns the folders in it.
func (s *search) folder(ctx context.Context, dir folder) ([]folder, error) {
	f, err := s.tree.Open(dir.rel, true)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if hide, err := s.tree.Look(f); hide || err != nil {
		s.found.Paths = append(s.found.Paths, dir.rel)
		return nil, err
	}
	var below []folder
	for {
		entries, err := f.ReadDir(256)
		for _, e := range entries {
			s.seen++
			rel := path.Join(dir.rel, e.Name())
			switch secret := s.secret(rel, e); {
			case secret:
				s.found.Paths = append(s.found.Paths, rel)
				continue
			case e.IsDir():
				below = append(below, folder{rel, dir.depth + 1, dir.minded || s.minds(dir, rel)})
			case e.Type().IsRegular():
				s.minds(dir, rel)
			}
		}
		if errors.Is(err, io.EOF) {
			return below, nil
		}
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil || s.seen >= limits.GrantEntries {
			s.found.Left = append(s.found.Left, dir.rel)
			return below, nil
		}
	}
}

// minds notes what the caller minds, unless it lies in what is noted.
func (s *search) minds(in folder, rel string) bool {
	if s.tree.Mind == nil || in.minded || !s.tree.Mind(path.Join(s.tree.At, rel)) {
		return false
	}
	if len(s.found.Minded) < leftNames {
		s.found.Minded = append(s.found.Minded, rel)
	}
	return true
}

// secret tells whether an entry must not be given. Links are no danger: where
// they lead was not given.
func (s *search) secret(rel string, e fs.DirEntry) bool {
	if !e.IsDir() && !e.Type().IsRegular() {
		return false
	}
	whole := plain(path.Join(s.at, rel))
	if s.known.place(whole) {
		return true
	}
	return !e.IsDir() && s.known.file(path.Base(whole), func() ([]byte, error) { return s.head(rel) })
}

// head reads the beginning of a file.
func (s *search) head(rel string) ([]byte, error) {
	f, err := s.tree.Open(rel, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return Head(f)
}

// Head reads as much of a file as [Known.Of] wants.
func Head(r io.Reader) ([]byte, error) {
	b := make([]byte, headSize)
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return b[:n], err
}
