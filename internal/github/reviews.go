package github

import (
	"context"

	api "github.com/google/go-github/v62/github"
)

// Reviews lists the last word of each reviewer, in the order in which they were
// first heard. A remark without a yes or a no takes back neither. Reviewers
// whose account is gone are left out.
func (c *Client) Reviews(ctx context.Context, repo Repo, number int) ([]Approval, error) {
	doing, err := naming("list the reviews of", repo, number)
	if err != nil {
		return nil, err
	}
	all, err := pages(longEntries, func(at api.ListOptions) ([]*api.PullRequestReview, *api.Response, error) {
		return c.gh.PullRequests.ListReviews(ctx, repo.Owner, repo.Name, number, &at)
	})
	if err != nil {
		return nil, c.explain(err, doing)
	}
	var out []Approval
	at := map[int64]int{}
	for _, r := range all { // the oldest first
		one := Approval{User: user(r.GetUser()), State: r.GetState(), Commit: r.GetCommitID()}
		switch one.State {
		case "APPROVED", "CHANGES_REQUESTED", "DISMISSED":
		default:
			continue
		}
		if one.User.ID == 0 {
			continue
		}
		if i, ok := at[one.User.ID]; ok {
			out[i] = one
			continue
		}
		at[one.User.ID] = len(out)
		out = append(out, one)
	}
	return out, nil
}
