package github

import (
	"context"
	"time"

	api "github.com/google/go-github/v62/github"
)

// Merged counts the pull requests of an author that were merged into a branch
// since a time. The author is who has the number, whatever the login is now.
func (c *Client) Merged(ctx context.Context, repo Repo, base string, by User, since time.Time) (int, error) {
	if err := repo.check(); err != nil {
		return 0, err
	}
	if err := checkBranch(base); err != nil {
		return 0, err
	}
	count := 0
	// What was merged since was changed since, so the list, the newest change
	// first, is read until it is older.
	_, err := pages(longEntries, func(at api.ListOptions) ([]*api.PullRequest, *api.Response, error) {
		some, resp, err := c.gh.PullRequests.List(ctx, repo.Owner, repo.Name, &api.PullRequestListOptions{
			State: "closed", Base: base, Sort: "updated", Direction: "desc", ListOptions: at,
		})
		if err != nil {
			return nil, nil, err
		}
		for _, p := range some {
			if p.GetUpdatedAt().Before(since) {
				resp.NextPage = 0
				break
			}
			if p.GetUser().GetID() == by.ID && by.ID != 0 && p.MergedAt != nil && !p.GetMergedAt().Before(since) {
				count++
			}
		}
		return nil, resp, nil
	})
	return count, c.explain(err, "count what was merged in "+repo.String())
}
