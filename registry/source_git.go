package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// gitBranch is the branch that has the published tree below v1/.
const gitBranch = "published"

// gitSource reads blobs of one commit. Nothing is checked out: no hook, no
// filter and no attribute of the repository has any effect.
type gitSource struct {
	repo     gitRepository
	location string
	want     gitWant

	turn   turn // also guards the snapshot: go-git's storage is not safe for concurrent use
	snap   *gitSnapshot
	healed bool
}

// turn is a lock that is waited for no longer than a context lasts.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) give() { <-t }

func newGit(repo gitRepository, location string, want gitWant) *gitSource {
	return &gitSource{repo: repo, location: location, want: want, turn: newTurn()}
}

// gitRepository finds the commit to read.
type gitRepository interface {
	open(ctx context.Context, want gitWant) (*gitSnapshot, error)
}

// gitWant says how much of what is already here will do.
type gitWant int

const (
	gitRecent gitWant = iota // a copy that is young enough
	gitFresh                 // the remote's present tip
	gitClean                 // the same, and nothing of the old copy, which is damaged
)

func (s *gitSource) Location() string { return s.location }

// Refresh returns a source that asks the remote for its tip at its first read.
func (s *gitSource) Refresh() Source {
	return newGit(s.repo, s.location, gitFresh)
}

func (s *gitSource) Read(ctx context.Context, path string, max int64) ([]byte, error) {
	if err := checkRead(ctx, path); err != nil {
		return nil, err
	}
	if err := s.turn.take(ctx); err != nil {
		return nil, err
	}
	defer s.turn.give()
	if err := s.ensure(ctx, s.want); err != nil {
		return nil, err
	}
	data, err := s.snap.read(ledger.Root+"/"+path, max)
	// A copy can lack objects because somebody packed the repository in the
	// meantime or the power went while it was written: get it once more.
	if fault.ReasonOf(err) == reasonGitObject && !s.healed {
		s.healed, s.snap = true, nil
		if err := s.ensure(ctx, gitClean); err != nil {
			return nil, err
		}
		data, err = s.snap.read(ledger.Root+"/"+path, max)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, absent(path)
	}
	return data, err
}

func (s *gitSource) ensure(ctx context.Context, want gitWant) error {
	if s.snap != nil {
		return nil
	}
	snap, err := s.repo.open(ctx, want)
	if err != nil {
		return err
	}
	s.snap = snap
	return nil
}

// reasonGitObject says that a repository lacks an object or has a broken one,
// which tells nothing about whether the file exists.
const reasonGitObject = "git_object"

// gitSnapshot is the tree of one commit.
type gitSnapshot struct {
	store storer.EncodedObjectStorer
	root  plumbing.Hash
	trees map[plumbing.Hash]*object.Tree
}

// Bounds of tree objects: one folder's listing, and how many are kept decoded.
const (
	maxGitTree  = 16 * limits.MiB
	maxGitTrees = 4096
)

// openSnapshot reads the commit and its root.
func openSnapshot(store storer.EncodedObjectStorer, tip plumbing.Hash) (*gitSnapshot, error) {
	size, err := store.EncodedObjectSize(tip)
	if err != nil || size > limits.MiB {
		return nil, gitObjectFault(tip, err)
	}
	commit, err := object.GetCommit(store, tip)
	if err != nil {
		return nil, gitObjectFault(tip, err)
	}
	s := &gitSnapshot{store: store, root: commit.TreeHash, trees: map[plumbing.Hash]*object.Tree{}}
	_, err = s.tree(s.root)
	return s, err
}

// read returns the blob at a path of the commit's tree.
func (s *gitSnapshot) read(path string, max int64) ([]byte, error) {
	at, mode := s.root, filemode.Dir
	walked := 0
	for name, rest := range splitPath(path) {
		if mode != filemode.Dir {
			return nil, notRegular(path[:walked])
		}
		tree, err := s.tree(at)
		if err != nil {
			return nil, err
		}
		entry := findEntry(tree, name)
		if entry == nil {
			return nil, absent(path)
		}
		at, mode, walked = entry.Hash, entry.Mode, len(path)-rest
	}
	// Links and submodules are entries too; following one leaves the tree.
	if mode != filemode.Regular && mode != filemode.Executable && mode != filemode.Deprecated {
		return nil, notRegular(path)
	}
	size, err := s.store.EncodedObjectSize(at)
	if err != nil {
		return nil, gitObjectFault(at, err)
	}
	if size > max {
		return nil, tooLarge(path, max)
	}
	blob, err := object.GetBlob(s.store, at)
	if err != nil {
		return nil, gitObjectFault(at, err)
	}
	r, err := blob.Reader()
	if err != nil {
		return nil, gitObjectFault(at, err)
	}
	defer r.Close()
	data, err := readCapped(r, make([]byte, 0, size+1), size)
	if err != nil {
		return nil, gitObjectFault(at, err)
	}
	return data, nil
}

func (s *gitSnapshot) tree(h plumbing.Hash) (*object.Tree, error) {
	if t := s.trees[h]; t != nil {
		return t, nil
	}
	size, err := s.store.EncodedObjectSize(h)
	if err == nil && size > maxGitTree {
		err = fmt.Errorf("the folder has a listing of %d bytes", size)
	}
	if err != nil {
		return nil, gitObjectFault(h, err)
	}
	t, err := object.GetTree(s.store, h)
	if err != nil {
		return nil, gitObjectFault(h, err)
	}
	if len(s.trees) >= maxGitTrees {
		clear(s.trees)
	}
	s.trees[h] = t
	return t, nil
}

// findEntry looks at every entry: a stranger's tree need not be sorted.
func findEntry(t *object.Tree, name string) *object.TreeEntry {
	for i := range t.Entries {
		if t.Entries[i].Name == name {
			return &t.Entries[i]
		}
	}
	return nil
}

// splitPath yields each part with the number of bytes that follow it.
func splitPath(path string) func(yield func(string, int) bool) {
	return func(yield func(string, int) bool) {
		from := 0
		for i := range len(path) + 1 {
			if i < len(path) && path[i] != '/' {
				continue
			}
			if !yield(path[from:i], len(path)-i) {
				return
			}
			from = i + 1
		}
	}
}

func gitObjectFault(h plumbing.Hash, err error) error {
	text := "too large"
	if err != nil {
		text = plain(err.Error())
	}
	return fault.New(fault.Unavailable, reasonGitObject, "git object %s cannot be read: %s", spec.Quote(h.String()), text)
}
