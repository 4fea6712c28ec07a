package github

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// Linear tells whether each commit of a pull request has exactly one parent. The
// list of its files is that against one merge base, and a merge takes all there
// are: a head that merges both sides of an old merge lists one file and takes
// back what a whole side brought. Where each commit has one parent there is one
// merge base alone, and the list is what a merge does. More commits than
// limits.PullCommits are not looked at, and are not linear.
//
// The commits are read from the head on, as many as GitHub counts: those are
// reachable from the head and not from the base, so that many single parents
// leave none of them out.
func (c *Client) Linear(ctx context.Context, repo Repo, number int, headSHA string) (bool, error) {
	doing, err := naming("read the commits of", repo, number)
	if err != nil {
		return false, err
	}
	if err := checkSHA(headSHA); err != nil {
		return false, err
	}
	p, err := c.pull(ctx, repo, number)
	if err != nil {
		return false, err
	}
	if p.GetHead().GetSHA() != headSHA {
		return false, fault.New(fault.Findings, "head_moved", "%s#%d has another head than %s by now", repo, number, headSHA)
	}
	count := p.GetCommits()
	if count < 1 {
		return false, c.explain(incomplete("a pull request"), doing)
	}
	if count > limits.PullCommits {
		return false, nil
	}
	for at := headSHA; count > 0; count-- {
		commit, _, err := c.gh.Git.GetCommit(ctx, repo.Owner, repo.Name, at)
		if err == nil && commit.GetSHA() != at {
			err = incomplete("a commit")
		}
		if err != nil {
			return false, c.explain(err, doing)
		}
		if len(commit.Parents) != 1 {
			return false, nil
		}
		if at = commit.Parents[0].GetSHA(); checkSHA(at) != nil {
			return false, c.explain(incomplete("a commit"), doing)
		}
	}
	return true, nil
}

// Tip is the commit that a branch is at.
func (c *Client) Tip(ctx context.Context, repo Repo, branch string) (string, error) {
	if err := repo.check(); err != nil {
		return "", err
	}
	if err := checkBranch(branch); err != nil {
		return "", err
	}
	got, _, err := c.gh.Git.GetRef(ctx, repo.Owner, repo.Name, "heads/"+branch)
	if err == nil && (got.GetRef() != "refs/heads/"+branch || checkSHA(got.GetObject().GetSHA()) != nil) {
		err = incomplete("a branch")
	}
	if err != nil {
		return "", c.explain(err, "read the branch "+branch+" of "+repo.String())
	}
	return got.GetObject().GetSHA(), nil
}

// Moved lists the paths at which two commits differ. Below the folder dir they
// have so many parts, and one outside of it: what differs further down is told
// by the folder that it is in. More than limits.PullFolders folders to compare
// are Findings, reason "truncated".
func (c *Client) Moved(ctx context.Context, repo Repo, from, to, dir string, parts int) ([]string, error) {
	if err := repo.check(); err != nil {
		return nil, err
	}
	doing := "compare two commits of " + repo.String()
	var sides [2]*tree
	for i, sha := range []string{from, to} {
		if err := checkSHA(sha); err != nil {
			return nil, err
		}
		t, err := c.treeOf(ctx, repo, sha)
		if err != nil {
			return nil, c.explain(err, doing)
		}
		sides[i] = t
	}
	var out []string
	var walk func(at string, left int) error
	walk = func(at string, left int) error {
		was, err := sides[0].folder(ctx, at)
		if err != nil {
			return err
		}
		is, err := sides[1].folder(ctx, at)
		if err != nil {
			return err
		}
		all := maps.Clone(was)
		if all == nil {
			all = folder{}
		}
		maps.Copy(all, is)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if was[name] == is[name] {
				continue
			}
			p := strings.TrimPrefix(at+"/"+name, "/")
			folders := was[name].mode == modeFolder || is[name].mode == modeFolder
			if !folders || left == 1 || p != dir && at == "" {
				out = append(out, p)
				continue
			}
			if err := walk(p, left-1); err != nil {
				return err
			}
		}
		return nil
	}
	return out, c.explain(walk("", parts), doing)
}
