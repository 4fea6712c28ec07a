package github

import (
	"context"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Entry is one entry of a folder of a commit. Its name is as git has it and
// unchecked.
type Entry struct {
	Name string
	Mode string // of git: 040000 is a folder, 100644 a regular file
	SHA  string // of the blob or the tree
	Size int64  // of a blob
}

// Modes of git.
const (
	ModeFile   = modeFile   // regular, and not executable
	ModeFolder = modeFolder // a tree
)

// SameBlob tells whether sha is git's name of data.
func SameBlob(data []byte, sha string) bool { return blobSHA(data, len(sha)) == sha }

// Branch returns the commit that a branch points at; NotFound where there is no
// such branch.
func (c *Client) Branch(ctx context.Context, repo Repo, branch string) (string, error) {
	if err := repo.check(); err != nil {
		return "", err
	}
	if err := checkBranch(branch); err != nil {
		return "", err
	}
	doing := "read the branch " + branch + " of " + repo.String()
	ref, _, err := c.gh.Git.GetRef(ctx, repo.Owner, repo.Name, "heads/"+branch)
	if err == nil && (ref.GetRef() != "refs/heads/"+branch || ref.GetObject().GetType() != "commit" || checkSHA(ref.GetObject().GetSHA()) != nil) {
		err = incomplete("a branch")
	}
	if err != nil {
		return "", c.explain(err, doing)
	}
	return ref.GetObject().GetSHA(), nil
}

// Folder lists a folder of a commit, sorted by name; NotFound, reason "absent",
// where the commit has none. A list that GitHub cut is Findings.
func (c *Client) Folder(ctx context.Context, repo Repo, commit, path string) ([]Entry, error) {
	if err := repo.check(); err != nil {
		return nil, err
	}
	if err := checkSHA(commit); err != nil {
		return nil, err
	}
	doing := "read the folder " + path + " of " + repo.String()
	t, err := c.treeOf(ctx, repo, commit)
	if err != nil {
		return nil, c.explain(err, doing)
	}
	in, err := t.folder(ctx, path)
	if err != nil {
		return nil, c.explain(err, doing)
	}
	if in == nil {
		return nil, fault.New(fault.NotFound, "absent", "%s: there is none", doing)
	}
	out := make([]Entry, 0, len(in))
	for name, e := range in {
		out = append(out, Entry{name, e.mode, e.sha, e.size})
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}
