package github

import (
	"context"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Changes lists what a pull request changes, with the modes and objects that
// its head has. headSHA is the commit that the caller judges; where the pull
// request has another by now, before or after the reading, the error is
// Findings, reason "head_moved".
//
// GitHub's list tells neither modes nor sizes, so the folders of the head are
// read, each alone: a whole tree would be cut where a registry is large. What
// GitHub cuts, and more than limits.PullFiles, is Findings, reason "truncated":
// a part of a pull request is never taken for it.
func (c *Client) Changes(ctx context.Context, repo Repo, number int, headSHA string) ([]Change, error) {
	doing, err := naming("list the files of", repo, number)
	if err != nil {
		return nil, err
	}
	if err := checkSHA(headSHA); err != nil {
		return nil, err
	}
	count, err := c.stillAt(ctx, repo, number, headSHA)
	if err != nil {
		return nil, err
	}
	if count > limits.PullFiles {
		return nil, fault.New(fault.Findings, "truncated", "%s: it changes %d files, and at most %d are looked at", doing, count, limits.PullFiles)
	}
	out, err := c.changes(ctx, repo, number, headSHA)
	// The head first: what contradicts itself does so because somebody pushed.
	again, moved := c.stillAt(ctx, repo, number, headSHA)
	switch {
	case moved != nil:
		return nil, moved
	case err != nil:
		return nil, c.explain(err, doing)
	case len(out) != count || again != count:
		return nil, fault.New(fault.Findings, "truncated", "%s: GitHub lists %d of %d files", doing, len(out), again)
	}
	return out, nil
}

// changes reads the list and completes it from the folders of the head.
func (c *Client) changes(ctx context.Context, repo Repo, number int, headSHA string) ([]Change, error) {
	files, err := pages(shortEntries, func(at api.ListOptions) ([]*api.CommitFile, *api.Response, error) {
		return c.gh.PullRequests.ListFiles(ctx, repo.Owner, repo.Name, number, &at)
	})
	if err != nil {
		return nil, err
	}
	out, err := changes(files)
	if err != nil {
		return nil, err
	}
	return out, c.modes(ctx, repo, headSHA, out)
}

// stillAt holds the head of a pull request against a commit and returns the
// number of its files.
func (c *Client) stillAt(ctx context.Context, repo Repo, number int, headSHA string) (int, error) {
	p, err := c.pull(ctx, repo, number)
	if err != nil {
		return 0, err
	}
	if p.GetHead().GetSHA() != headSHA {
		return 0, fault.New(fault.Findings, "head_moved", "%s#%d has another head than %s by now", repo, number, headSHA)
	}
	if p.ChangedFiles == nil {
		return 0, incomplete("a pull request")
	}
	return *p.ChangedFiles, nil
}

// changes makes ours of GitHub's list. A path that is there twice, and a status
// that nobody knows, make the whole list worthless.
func changes(files []*api.CommitFile) ([]Change, error) {
	seen := map[string]bool{}
	out := make([]Change, 0, len(files))
	for _, f := range files {
		one := Change{Path: f.GetFilename(), SHA: f.GetSHA()}
		switch f.GetStatus() {
		case "added", "copied": // a copy changes nothing where it was taken
			one.Status = "added"
		case "modified", "changed": // changed: the mode alone
			one.Status = "modified"
		case "removed":
			one.Status, one.SHA = "removed", ""
		case "renamed":
			one.Status, one.Previous = "renamed", f.GetPreviousFilename()
			if one.Previous == "" {
				return nil, incomplete("a list of files")
			}
		default:
			return nil, fault.New(fault.Unavailable, "answer", "GitHub says of %s that it was %s", spec.Quote(one.Path), spec.Quote(f.GetStatus()))
		}
		if one.Path == "" || seen[one.Path] {
			return nil, incomplete("a list of files")
		}
		seen[one.Path] = true
		out = append(out, one)
	}
	return out, nil
}

// modes completes changes from the folders of the head.
func (c *Client) modes(ctx context.Context, repo Repo, headSHA string, all []Change) error {
	t, err := c.treeOf(ctx, repo, headSHA)
	if err != nil {
		return err
	}
	for i := range all {
		one := &all[i]
		got, ok, err := t.at(ctx, one.Path)
		switch {
		case err != nil:
			return err
		case one.Status == "removed" && ok && got.mode != modeFolder:
			return fault.New(fault.Unavailable, "answer", "GitHub says that %s was removed, and the head has it", spec.Quote(one.Path))
		case one.Status == "removed":
		case !ok || got.sha != one.SHA:
			return fault.New(fault.Unavailable, "answer", "GitHub says that %s was %s, and the head has something else there", spec.Quote(one.Path), one.Status)
		default:
			one.Mode, one.Size = got.mode, got.size
		}
	}
	return nil
}
