package registry

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	gitcache "github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// gitObjects bounds the objects that a storage keeps in memory.
const gitObjects = 16 * limits.MiB

// gitLocal reads a repository on this machine where it lies. Copying it would
// need git's own programs, which would run under that repository's
// configuration.
type gitLocal struct{ dir string }

// openStorage opens the storage of a repository, confined to its folder.
func openStorage(dir string) *filesystem.Storage {
	return filesystem.NewStorage(osfs.New(dir, osfs.WithBoundOS()), gitcache.NewObjectLRU(gitcache.FileSize(gitObjects)))
}

func (g gitLocal) open(_ context.Context, _ gitWant) (*gitSnapshot, error) {
	dir, err := g.gitDir()
	if err != nil {
		return nil, err
	}
	store := openStorage(dir)
	// The second is what a plain clone of a registry has.
	for _, name := range []plumbing.ReferenceName{
		plumbing.NewBranchReferenceName(gitBranch), plumbing.NewRemoteReferenceName("origin", gitBranch),
	} {
		ref, err := store.Reference(name)
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			continue
		}
		if err != nil {
			return nil, fault.New(fault.Unavailable, "git", "read branch %s of %s: %s", gitBranch, spec.Quote(g.dir), plain(err.Error()))
		}
		return openSnapshot(store, ref.Hash())
	}
	return nil, fault.New(fault.Unavailable, "no_registry", "%s has no branch %q", spec.Quote(g.dir), gitBranch)
}

// gitDir is the folder with the objects: that of a bare repository or its .git.
func (g gitLocal) gitDir() (string, error) {
	for _, dir := range []string{filepath.Join(g.dir, ".git"), g.dir} {
		info, err := os.Stat(filepath.Join(dir, "objects"))
		if err == nil && info.IsDir() {
			return dir, nil
		}
		// A linked work tree has a file for its .git.
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", fault.New(fault.Unavailable, "git", "open %s: %w", spec.Quote(g.dir), err)
		}
	}
	return "", fault.New(fault.Unavailable, "no_registry", "%s is not a git repository", spec.Quote(g.dir))
}
