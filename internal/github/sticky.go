package github

import (
	"context"
	"strings"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// actionsBot writes what the token of a workflow's job writes. GitHub does not
// tell such a token who it is.
var actionsBot = User{Login: "github-actions[bot]", ID: 41898282}

// Sticky keeps one comment of this token's in a pull request: it makes it, or
// gives the one that it made before another body, and returns its address. The
// marker is a word of ours that goes, hidden, into the first line.
//
// A comment of anybody else is never edited, whatever it holds: a stranger who
// writes the marker first gets a comment below his own. Of several that are
// ours the oldest is edited.
func (c *Client) Sticky(ctx context.Context, repo Repo, number int, marker, body string) (string, error) {
	doing, err := naming("comment", repo, number)
	if err != nil {
		return "", err
	}
	body, err = marked(marker, body)
	if err != nil {
		return "", err
	}
	self, err := c.self(ctx)
	if err != nil {
		return "", err
	}
	mine, err := c.ownComment(ctx, repo, number, self, marker)
	if err != nil {
		return "", c.explain(err, doing)
	}
	if mine == nil {
		err := c.settle(ctx, func() (err error) {
			mine, _, err = c.gh.Issues.CreateComment(ctx, repo.Owner, repo.Name, number, &api.IssueComment{Body: &body})
			return c.explain(err, doing)
		}, func() (done bool, err error) {
			mine, err = c.ownComment(ctx, repo, number, self, marker)
			return mine != nil, c.explain(err, doing)
		})
		return mine.GetHTMLURL(), err
	}
	if same(mine.GetBody(), body) {
		return mine.GetHTMLURL(), nil
	}
	if _, _, err = c.gh.Issues.EditComment(again(ctx), repo.Owner, repo.Name, mine.GetID(), &api.IssueComment{Body: &body}); err != nil {
		return "", c.explain(err, doing)
	}
	return mine.GetHTMLURL(), nil
}

// ownComment finds the oldest comment of self with the marker, nil where there
// is none.
func (c *Client) ownComment(ctx context.Context, repo Repo, number int, self User, marker string) (*api.IssueComment, error) {
	all, err := pages(longEntries, func(at api.ListOptions) ([]*api.IssueComment, *api.Response, error) {
		return c.gh.Issues.ListComments(ctx, repo.Owner, repo.Name, number, &api.IssueListCommentsOptions{ListOptions: at})
	})
	if err != nil {
		return nil, err
	}
	for _, one := range all { // the oldest first
		if isOwn(self, one.GetUser(), marker, one.GetBody()) && one.GetID() != 0 {
			return one, nil
		}
	}
	return nil, nil
}

// Issue keeps one open issue of this token's with the marker: it opens it, or
// gives the one that it opened before this title and body, and returns its
// address. Labels that the repository lacks are made by GitHub.
func (c *Client) Issue(ctx context.Context, repo Repo, marker, title, body string, labels []string) (string, error) {
	if err := repo.check(); err != nil {
		return "", err
	}
	if err := (NewPull{Title: title}).check(); err != nil {
		return "", err
	}
	for _, l := range labels {
		if err := checkLabel(l); err != nil {
			return "", err
		}
	}
	body, err := marked(marker, body)
	if err != nil {
		return "", err
	}
	self, err := c.self(ctx)
	if err != nil {
		return "", err
	}
	doing := "keep an issue in " + repo.String()
	mine, err := c.ownIssue(ctx, repo, self, marker)
	if err != nil {
		return "", c.explain(err, doing)
	}
	ask := &api.IssueRequest{Title: &title, Body: &body}
	if len(labels) > 0 {
		ask.Labels = &labels
	}
	if mine == nil {
		err := c.settle(ctx, func() (err error) {
			mine, _, err = c.gh.Issues.Create(ctx, repo.Owner, repo.Name, ask)
			return c.explain(err, doing)
		}, func() (done bool, err error) {
			mine, err = c.ownIssue(ctx, repo, self, marker)
			return mine != nil, c.explain(err, doing)
		})
		return mine.GetHTMLURL(), err
	}
	// The labels are left as people changed them.
	ask.Labels = nil
	if mine.GetTitle() == title && same(mine.GetBody(), body) {
		return mine.GetHTMLURL(), nil
	}
	if _, _, err = c.gh.Issues.Edit(again(ctx), repo.Owner, repo.Name, mine.GetNumber(), ask); err != nil {
		return "", c.explain(err, doing)
	}
	return mine.GetHTMLURL(), nil
}

func (c *Client) ownIssue(ctx context.Context, repo Repo, self User, marker string) (*api.Issue, error) {
	all, err := pages(longEntries, func(at api.ListOptions) ([]*api.Issue, *api.Response, error) {
		return c.gh.Issues.ListByRepo(ctx, repo.Owner, repo.Name, &api.IssueListByRepoOptions{State: "open", Sort: "created", Direction: "asc", ListOptions: at})
	})
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if !one.IsPullRequest() && isOwn(self, one.GetUser(), marker, one.GetBody()) && one.GetNumber() > 0 {
			return one, nil
		}
	}
	return nil, nil
}

// self is who this token writes as.
func (c *Client) self(ctx context.Context) (User, error) {
	u, err := c.Viewer(ctx)
	if fault.KindOf(err) == fault.Denied && c.wire.token != "" {
		return actionsBot, nil // no person's: the token of a job
	}
	return u, err
}

// isOwn tells whether self wrote a text with the marker. The number decides and
// not the login, which somebody else may have by now; only a bot is the bot.
func isOwn(self User, by *api.User, marker, body string) bool {
	if by.GetID() != self.ID || self.ID == 0 || self == actionsBot && by.GetType() != "Bot" {
		return false
	}
	first, _, _ := strings.Cut(body, "\n")
	return strings.TrimSuffix(first, "\r") == hidden(marker)
}

// hidden is the marker as Markdown does not show it.
func hidden(marker string) string { return "<!-- " + marker + " -->" }

// marked puts the marker before a body.
func marked(marker, body string) (string, error) {
	if !plain(marker, 100, "-_.:/") || strings.Contains(marker, "--") {
		return "", fault.New(fault.Internal, "marker", "the marker of a comment has letters, digits and -_.:/ alone")
	}
	body = hidden(marker) + "\n" + body
	return body, checkText(body)
}

// same compares texts as GitHub keeps them: with its own line ends, and without
// blanks around.
func same(a, b string) bool {
	return strings.TrimSpace(strings.ReplaceAll(a, "\r\n", "\n")) == strings.TrimSpace(strings.ReplaceAll(b, "\r\n", "\n"))
}

// checkText refuses a text that GitHub takes nowhere.
func checkText(s string) error {
	if len(s) > limits.GitHubComment {
		return fault.New(fault.Internal, "too_large", "a text for GitHub has %d bytes, at most %d are taken", len(s), limits.GitHubComment)
	}
	return nil
}
