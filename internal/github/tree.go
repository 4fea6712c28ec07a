package github

import (
	"context"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// modeFolder is git's mode of a folder, as GitHub writes it.
const modeFolder = "040000"

// tree is the files of one commit, of which only the folders that are asked for
// are read, each once.
type tree struct {
	c       *Client
	repo    Repo
	root    string            // SHA
	folders map[string]folder // by path
}

// folder is what lies in one folder, by name.
type folder map[string]entry

type entry struct {
	mode, sha string
	size      int64
}

// treeOf starts at a commit.
func (c *Client) treeOf(ctx context.Context, repo Repo, commitSHA string) (*tree, error) {
	commit, _, err := c.gh.Git.GetCommit(ctx, repo.Owner, repo.Name, commitSHA)
	if err != nil {
		return nil, err
	}
	root := commit.GetTree().GetSHA()
	if commit.GetSHA() != commitSHA || checkSHA(root) != nil {
		return nil, incomplete("a commit")
	}
	return &tree{c: c, repo: repo, root: root, folders: map[string]folder{}}, nil
}

// at finds what lies at a path; false where nothing does.
func (t *tree) at(ctx context.Context, path string) (entry, bool, error) {
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	in, err := t.folder(ctx, dir)
	if err != nil {
		return entry{}, false, err
	}
	got, ok := in[name]
	return got, ok, nil
}

// folder reads a folder, and those above it before; nil where there is none.
func (t *tree) folder(ctx context.Context, path string) (folder, error) {
	if in, ok := t.folders[path]; ok {
		return in, nil
	}
	sha := t.root
	if path != "" {
		above, ok, err := t.at(ctx, path)
		if err != nil {
			return nil, err
		}
		if !ok || above.mode != modeFolder {
			t.folders[path] = nil
			return nil, nil
		}
		sha = above.sha
	}
	if len(t.folders) >= limits.PullFolders {
		return nil, fault.New(fault.Findings, "truncated", "the files lie in more than %d folders", limits.PullFolders)
	}
	in, err := t.read(ctx, sha)
	if err != nil {
		return nil, err
	}
	t.folders[path] = in
	return in, nil
}

func (t *tree) read(ctx context.Context, sha string) (folder, error) {
	got, _, err := t.c.gh.Git.GetTree(ctx, t.repo.Owner, t.repo.Name, sha, false)
	if err != nil {
		return nil, err
	}
	if got.GetTruncated() {
		return nil, fault.New(fault.Findings, "truncated", "GitHub lists only a part of a folder of the head")
	}
	if got.GetSHA() != sha {
		return nil, incomplete("this folder")
	}
	in := make(folder, len(got.Entries))
	for _, e := range got.Entries {
		name := e.GetPath()
		if _, twice := in[name]; twice || name == "" || strings.Contains(name, "/") || checkSHA(e.GetSHA()) != nil {
			return nil, fault.New(fault.Unavailable, "answer", "GitHub lists %s in a folder of the head", spec.Quote(name))
		}
		in[name] = entry{mode: e.GetMode(), sha: e.GetSHA(), size: int64(e.GetSize())}
	}
	return in, nil
}
