package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Pull reads a pull request.
func (c *Client) Pull(ctx context.Context, repo Repo, number int) (Pull, error) {
	p, err := c.pull(ctx, repo, number)
	if err != nil {
		return Pull{}, err
	}
	return pull(p)
}

// pull is also for what only GitHub's own form tells: the number of files.
func (c *Client) pull(ctx context.Context, repo Repo, number int) (*api.PullRequest, error) {
	doing, err := naming("read", repo, number)
	if err != nil {
		return nil, err
	}
	p, _, err := c.gh.PullRequests.Get(ctx, repo.Owner, repo.Name, number)
	if err != nil {
		return nil, c.explain(err, doing)
	}
	if p.GetNumber() != number {
		return nil, c.explain(incomplete("this pull request"), doing)
	}
	return p, nil
}

// naming checks what a request about a pull request or an issue is made of, and
// names it for errors.
func naming(verb string, repo Repo, number int) (string, error) {
	if err := repo.check(); err != nil {
		return "", err
	}
	if number <= 0 {
		return "", fault.New(fault.Usage, "number", "%d is no number of a pull request", number)
	}
	return fmt.Sprintf("%s %s#%d", verb, repo, number), nil
}

// PullOf finds the open pull request whose head is "owner:branch".
func (c *Client) PullOf(ctx context.Context, repo Repo, head string) (Pull, bool, error) {
	if err := checkHead(head); err != nil {
		return Pull{}, false, err
	}
	all, err := c.pulls(ctx, repo, &api.PullRequestListOptions{State: "open", Head: head})
	if err != nil {
		return Pull{}, false, err
	}
	for _, p := range all {
		// A head that GitHub does not understand selects everything.
		if strings.EqualFold(p.GetHead().GetLabel(), head) {
			out, err := pull(p)
			return out, err == nil, err
		}
	}
	return Pull{}, false, nil
}

// checkHead refuses what is not "owner:branch".
func checkHead(head string) error {
	owner, branch, _ := strings.Cut(head, ":")
	if err := checkLogin(owner); err != nil {
		return err
	}
	return checkBranch(branch)
}

// Pulls lists the open pull requests.
func (c *Client) Pulls(ctx context.Context, repo Repo) ([]Pull, error) {
	all, err := c.pulls(ctx, repo, &api.PullRequestListOptions{State: "open", Sort: "created", Direction: "asc"})
	if err != nil {
		return nil, err
	}
	return pulls(all)
}

// Merged counts the pull requests of somebody that were merged into a branch
// since a time.
func (c *Client) Merged(ctx context.Context, repo Repo, base string, by User, since time.Time) (int, error) {
	if err := checkBranch(base); err != nil {
		return 0, err
	}
	// Merging changes a pull request, so those that count are among those that
	// were changed last: reading ends with the first that was not since.
	o := &api.PullRequestListOptions{State: "closed", Base: base, Sort: "updated", Direction: "desc"}
	all, err := c.pullsUntil(ctx, repo, o, func(p *api.PullRequest) bool { return p.GetUpdatedAt().Before(since) })
	if err != nil {
		return 0, err
	}
	n := 0
	seen := map[int]bool{} // one that is changed meanwhile is on two pages
	for _, p := range all {
		if p.MergedAt != nil && !p.GetMergedAt().Before(since) && by.ID != 0 && p.GetUser().GetID() == by.ID && !seen[p.GetNumber()] {
			seen[p.GetNumber()] = true
			n++
		}
	}
	return n, nil
}

func (c *Client) pulls(ctx context.Context, repo Repo, o *api.PullRequestListOptions) ([]*api.PullRequest, error) {
	return c.pullsUntil(ctx, repo, o, func(*api.PullRequest) bool { return false })
}

// pullsUntil lists pull requests up to the first page that ends with one for
// which enough holds.
func (c *Client) pullsUntil(ctx context.Context, repo Repo, o *api.PullRequestListOptions, enough func(*api.PullRequest) bool) ([]*api.PullRequest, error) {
	if err := repo.check(); err != nil {
		return nil, err
	}
	all, err := pages(longEntries, func(at api.ListOptions) ([]*api.PullRequest, *api.Response, error) {
		o.ListOptions = at
		some, resp, err := c.gh.PullRequests.List(ctx, repo.Owner, repo.Name, o)
		if err == nil && len(some) > 0 && enough(some[len(some)-1]) {
			resp.NextPage = 0
		}
		return some, resp, err
	})
	return all, c.explain(err, "list the pull requests of "+repo.String())
}

// PullsOfCommit lists the pull requests that brought a commit to the default
// branch, or that have it, as far as they are not merged.
func (c *Client) PullsOfCommit(ctx context.Context, repo Repo, sha string) ([]Pull, error) {
	if err := repo.check(); err != nil {
		return nil, err
	}
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	all, err := pages(longEntries, func(at api.ListOptions) ([]*api.PullRequest, *api.Response, error) {
		return c.gh.PullRequests.ListPullRequestsWithCommit(ctx, repo.Owner, repo.Name, sha, &at)
	})
	if err != nil {
		return nil, c.explain(err, "list the pull requests of the commit "+sha)
	}
	return pulls(all)
}

func pulls(all []*api.PullRequest) ([]Pull, error) {
	out := make([]Pull, 0, len(all))
	for _, p := range all {
		one, err := pull(p)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// pull refuses one without number, commits or base. One whose author deleted
// the account has the zero User, one whose fork is gone a Head without Repo.
func pull(p *api.PullRequest) (Pull, error) {
	out := Pull{
		Number:      p.GetNumber(),
		URL:         p.GetHTMLURL(),
		State:       p.GetState(),
		Merged:      p.MergedAt != nil, // lists do not tell "merged"
		Draft:       p.GetDraft(),
		Title:       p.GetTitle(),
		Author:      user(p.GetUser()),
		Head:        side(p.GetHead()),
		Base:        side(p.GetBase()),
		Created:     p.GetCreatedAt().Time,
		Updated:     p.GetUpdatedAt().Time,
		MergeCommit: p.GetMergeCommitSHA(),
	}
	for _, l := range p.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	if out.Number <= 0 || checkSHA(out.Head.SHA) != nil || checkSHA(out.Base.SHA) != nil || out.Base.RepoID == 0 || out.State != "open" && out.State != "closed" {
		return Pull{}, incomplete("a pull request")
	}
	return out, nil
}

func side(b *api.PullRequestBranch) Side {
	return Side{Repo: repoOf(b.GetRepo()), RepoID: b.GetRepo().GetID(), Branch: b.GetRef(), SHA: b.GetSHA()}
}

// OpenPull opens a pull request. Where an attempt broke off, the pull request
// that it may have opened is looked for before another is made.
func (c *Client) OpenPull(ctx context.Context, repo Repo, n NewPull) (Pull, error) {
	if err := repo.check(); err != nil {
		return Pull{}, err
	}
	if err := checkHead(n.Head); err != nil {
		return Pull{}, err
	}
	if err := n.check(); err != nil {
		return Pull{}, err
	}
	if err := checkBranch(n.Base); err != nil {
		return Pull{}, err
	}
	var out Pull
	err := c.settle(ctx, func() error {
		p, _, err := c.gh.PullRequests.Create(ctx, repo.Owner, repo.Name, &api.NewPullRequest{
			Title: &n.Title, Head: &n.Head, Base: &n.Base, Body: &n.Body,
		})
		if err != nil {
			return c.explain(err, "open a pull request in "+repo.String())
		}
		out, err = pull(p)
		return err
	}, func() (done bool, err error) {
		out, done, err = c.PullOf(ctx, repo, n.Head)
		return done, err
	})
	return out, err
}

// UpdatePull gives the pull request n.Number another title and body.
func (c *Client) UpdatePull(ctx context.Context, repo Repo, n NewPull) (Pull, error) {
	doing, err := naming("change", repo, n.Number)
	if err != nil {
		return Pull{}, err
	}
	if err := n.check(); err != nil {
		return Pull{}, err
	}
	p, _, err := c.gh.PullRequests.Edit(again(ctx), repo.Owner, repo.Name, n.Number, &api.PullRequest{Title: &n.Title, Body: &n.Body})
	if err != nil {
		return Pull{}, c.explain(err, doing)
	}
	return pull(p)
}

// check refuses what GitHub would, before anything is sent.
func (n NewPull) check() error {
	if n.Title == "" || len(n.Title) > 256 || strings.ContainsAny(n.Title, "\r\n") {
		return fault.New(fault.Usage, "title", "%s is no title of a pull request", spec.Quote(n.Title))
	}
	return checkText(n.Body)
}

// Close closes a pull request without merging it.
func (c *Client) Close(ctx context.Context, repo Repo, number int) error {
	doing, err := naming("close", repo, number)
	if err != nil {
		return err
	}
	closed := "closed"
	_, _, err = c.gh.PullRequests.Edit(again(ctx), repo.Owner, repo.Name, number, &api.PullRequest{State: &closed})
	return c.explain(err, doing)
}

// Merge merges a pull request as one commit with this title and no other text:
// what GitHub would write below are the messages of a stranger's commits, of
// which "[skip ci]" keeps the registry from being published. Where the head is
// not headSHA any more, the error is Findings, reason "head_moved"; where GitHub
// does not merge for another reason (a conflict, a rule of the branch),
// Findings, reason "not_mergeable".
func (c *Client) Merge(ctx context.Context, repo Repo, number int, headSHA, title string) (string, error) {
	doing, err := naming("merge", repo, number)
	if err != nil {
		return "", err
	}
	if err := checkSHA(headSHA); err != nil {
		return "", err
	}
	if err := (NewPull{Title: title}).check(); err != nil {
		return "", err
	}
	var sha string
	err = c.settle(ctx, func() error {
		got, _, err := c.gh.PullRequests.Merge(ctx, repo.Owner, repo.Name, number, "", &api.PullRequestOptions{
			CommitTitle: title, SHA: headSHA, MergeMethod: "squash", DontDefaultIfBlank: true,
		})
		switch statusOf(err) {
		case http.StatusConflict:
			return fault.New(fault.Findings, "head_moved", "%s: the pull request has another head by now", doing)
		case http.StatusMethodNotAllowed:
			return fault.New(fault.Findings, "not_mergeable", "%s: GitHub does not merge it: %s", doing, c.said(err))
		}
		if err != nil {
			return c.explain(err, doing)
		}
		if sha = got.GetSHA(); !got.GetMerged() || checkSHA(sha) != nil {
			return c.explain(incomplete("a merge"), doing)
		}
		return nil
	}, func() (bool, error) {
		p, err := c.Pull(ctx, repo, number)
		if err != nil || !p.Merged {
			return false, err
		}
		if p.Head.SHA != headSHA {
			return false, fault.New(fault.Findings, "head_moved", "%s: somebody merged another head", doing)
		}
		sha = p.MergeCommit
		return true, nil
	})
	return sha, err
}
