package contribute

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/action/workflows"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ThisRepository is the action of a registry that is this program's own
// repository: it is built from the checkout.
const ThisRepository = "./"

// Workflows writes the workflows of a registry on GitHub into a folder that is to
// become one, and returns their paths. action is what they take this program from: a commit of a
// repository, "owner/name@<40 hex>", or [ThisRepository]. A tag or a branch is
// refused: whoever can move it could sign for the registry.
//
// A file that is there already and says something else is an error, and then
// nothing is written: what somebody changed there they meant.
func (w *Workshop) Workflows(dir, action string) ([]string, error) {
	if err := checkAction(action); err != nil {
		return nil, err
	}
	if err := vacant(dir); err != nil {
		return nil, err
	}
	pin := action
	if action == ThisRepository {
		pin = ""
	}
	files, err := workflows.Files(pin)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		there, err := durable.ReadFileNoFollow(path, limits.ManifestBytes)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case !bytes.Equal(there, f.Data):
			return nil, fault.New(fault.Usage, "exists", "there is another %s in %s", f.Path, spec.Quote(dir)).Hint("remove it, if it is not needed")
		}
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, durable.Classify("make folder", filepath.Dir(path), err)
		}
		if err := durable.WriteFile(path, f.Data, 0o644); err != nil {
			return nil, err
		}
		paths = append(paths, f.Path)
	}
	return paths, nil
}

// checkAction refuses what is not a commit of a repository.
func checkAction(action string) error {
	if action == ThisRepository {
		return nil
	}
	repository, commit, _ := strings.Cut(action, "@")
	if _, err := spec.ParseRepository(repository); err != nil || len(commit) != 40 || strings.Trim(commit, "0123456789abcdef") != "" {
		return fault.New(fault.Usage, "action", "the action %s is no commit of a repository", spec.Quote(action)).
			Hint("name it as patch-cat/patch-git@<commit, 40 hexadecimal digits>")
	}
	return nil
}
