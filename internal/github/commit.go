package github

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// modeFile is git's mode of a regular file that is not executable.
const modeFile = "100644"

// Commit puts files on top of the tree of a commit and makes the branch, or
// moves it, to the result; it returns the new commit. Nothing is cloned.
//
// The branch is moved with force: it belongs to one contribution, which is made
// anew from a newer parent and not on top of what was there. The default branch
// of a repository is never moved like that: Usage, reason "branch".
//
// Objects are named by their content, so that every step but the last can be
// made twice and changes nothing that anybody sees; after a crash there are
// objects that nothing points to.
func (c *Client) Commit(ctx context.Context, repo Repo, o Commit) (string, error) {
	if err := repo.check(); err != nil {
		return "", err
	}
	if err := o.check(); err != nil {
		return "", err
	}
	ctx = again(ctx)
	doing := "commit to " + repo.String()
	parent, err := c.parent(ctx, repo, o.Parent)
	if err != nil {
		return "", c.explain(err, doing)
	}
	entries := make([]*api.TreeEntry, 0, len(o.Files))
	for _, f := range o.Files {
		sha, err := c.blob(ctx, repo, f.Data)
		if err != nil {
			return "", c.explain(err, doing)
		}
		entries = append(entries, &api.TreeEntry{Path: &f.Path, Mode: new(modeFile), Type: new("blob"), SHA: &sha})
	}
	tree, _, err := c.gh.Git.CreateTree(ctx, repo.Owner, repo.Name, parent.GetTree().GetSHA(), entries)
	if err == nil && checkSHA(tree.GetSHA()) != nil {
		err = incomplete("a tree")
	}
	if err != nil {
		return "", c.explain(err, doing)
	}
	// Without an author, GitHub takes the person's own name, and signs.
	commit, _, err := c.gh.Git.CreateCommit(ctx, repo.Owner, repo.Name, &api.Commit{
		Message: &o.Message, Tree: &api.Tree{SHA: tree.SHA}, Parents: []*api.Commit{{SHA: &o.Parent}},
	}, nil)
	if err == nil && checkSHA(commit.GetSHA()) != nil {
		err = incomplete("a commit")
	}
	if err != nil {
		return "", c.explain(err, doing)
	}
	return commit.GetSHA(), c.explain(c.point(ctx, repo, o.Branch, commit.GetSHA()), doing)
}

// check refuses what is no commit of files below the folder.
func (o Commit) check() error {
	if err := checkBranch(o.Branch); err != nil {
		return err
	}
	if err := checkSHA(o.Parent); err != nil {
		return err
	}
	if strings.TrimSpace(o.Message) == "" || len(o.Files) == 0 {
		return fault.New(fault.Internal, "commit", "a commit needs a message and files")
	}
	seen := map[string]bool{}
	for _, f := range o.Files {
		for part := range strings.SplitSeq(f.Path, "/") {
			if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") || strings.ContainsAny(part, "\x00\\") {
				return fault.New(fault.Internal, "commit", "%s is no path of a file in a repository", spec.Quote(f.Path))
			}
		}
		if seen[f.Path] || len(f.Data) > limits.SourceScan {
			return fault.New(fault.Internal, "commit", "the file %s is there twice or too large", spec.Quote(f.Path))
		}
		seen[f.Path] = true
	}
	return nil
}

// parent reads the commit to build on. A fork has the objects of its origin,
// but GitHub may need to be told to look: bringing the fork's own default branch
// up to date does that.
func (c *Client) parent(ctx context.Context, repo Repo, sha string) (*api.Commit, error) {
	got, _, err := c.gh.Git.GetCommit(ctx, repo.Owner, repo.Name, sha)
	if s := statusOf(err); s == http.StatusNotFound || s == http.StatusConflict || s == http.StatusUnprocessableEntity {
		r, err := c.Repository(ctx, repo)
		if err != nil {
			return nil, err
		}
		if r.Parent == (Repo{}) {
			return nil, fault.New(fault.NotFound, "absent", "%s has no commit %s", repo, sha)
		}
		if _, _, err := c.gh.Repositories.MergeUpstream(ctx, repo.Owner, repo.Name, &api.RepoMergeUpstreamRequest{Branch: &r.Default}); err != nil {
			if s := statusOf(err); s == http.StatusConflict || s == http.StatusUnprocessableEntity {
				return nil, fault.New(fault.Findings, "fork", "the fork %s cannot be brought up to date: %s", repo, c.said(err)).
					Hint("bring its branch %s up to date, or delete the fork", r.Default)
			}
			return nil, err
		}
		if got, _, err = c.gh.Git.GetCommit(ctx, repo.Owner, repo.Name, sha); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	if got.GetSHA() != sha || checkSHA(got.GetTree().GetSHA()) != nil {
		return nil, incomplete("a commit")
	}
	return got, nil
}

// blob stores a file, and holds the name that GitHub gives it against the bytes.
func (c *Client) blob(ctx context.Context, repo Repo, data []byte) (string, error) {
	got, _, err := c.gh.Git.CreateBlob(ctx, repo.Owner, repo.Name, &api.Blob{
		Content: new(base64.StdEncoding.EncodeToString(data)), Encoding: new("base64"),
	})
	if err != nil {
		return "", err
	}
	if sha := got.GetSHA(); checkSHA(sha) != nil || blobSHA(data, len(sha)) != sha {
		return "", fault.New(fault.NotVerified, "digest", "GitHub stored other bytes than were sent")
	}
	return got.GetSHA(), nil
}

// point makes a branch, or moves it, to a commit.
func (c *Client) point(ctx context.Context, repo Repo, branch, sha string) error {
	ref := &api.Reference{Ref: new("refs/heads/" + branch), Object: &api.GitObject{SHA: &sha}}
	_, _, err := c.gh.Git.CreateRef(ctx, repo.Owner, repo.Name, ref)
	if statusOf(err) != http.StatusUnprocessableEntity {
		return err
	}
	// It is there, also where an attempt before made it and its answer was lost.
	r, err := c.Repository(ctx, repo)
	if err != nil {
		return err
	}
	if r.Default == branch {
		return fault.New(fault.Usage, "branch", "%s is the default branch of %s, and is not overwritten", branch, repo)
	}
	_, _, err = c.gh.Git.UpdateRef(ctx, repo.Owner, repo.Name, ref, true)
	return err
}
