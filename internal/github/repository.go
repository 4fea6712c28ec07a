package github

import (
	"context"
	"net/http"
	"slices"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Repository reads a repository. Its Repo is the name that GitHub has for it
// now, which is another where it was renamed.
func (c *Client) Repository(ctx context.Context, repo Repo) (Repository, error) {
	if err := repo.check(); err != nil {
		return Repository{}, err
	}
	doing := "read the repository " + repo.String()
	r, _, err := c.gh.Repositories.Get(ctx, repo.Owner, repo.Name)
	if err != nil {
		return Repository{}, c.explain(err, doing)
	}
	out, err := repository(r)
	return out, c.explain(err, doing)
}

func repository(r *api.Repository) (Repository, error) {
	out := Repository{
		Repo:    repoOf(r),
		ID:      r.GetID(),
		Owner:   user(r.GetOwner()),
		Default: r.GetDefaultBranch(),
		Push:    r.GetPermissions()["push"],
	}
	if r.GetFork() {
		out.Parent = repoOf(r.GetParent())
	}
	if out.ID == 0 || out.Owner.ID == 0 || out.Repo.check() != nil || checkBranch(out.Default) != nil {
		return Repository{}, incomplete("a repository")
	}
	return out, nil
}

// repoOf names a repository of an answer; zero where there is none.
func repoOf(r *api.Repository) Repo {
	return Repo{Owner: r.GetOwner().GetLogin(), Name: r.GetName()}
}

func user(u *api.User) User { return User{Login: u.GetLogin(), ID: u.GetID()} }

// incomplete is for an answer that lacks what is always there: whoever went on
// with a zero would decide about nobody, or about anybody.
func incomplete(what string) error {
	return fault.New(fault.Unavailable, "answer", "GitHub's answer is not that of %s", what)
}

// levels are the rights in a repository, from most to least.
var levels = []string{"admin", "maintain", "write", "triage", "read", "none"}

// Permission tells what a person may do in a repository: admin, maintain,
// write, triage, read or none. A role that an organisation made itself is what
// it was made from.
func (c *Client) Permission(ctx context.Context, repo Repo, login string) (string, error) {
	if err := repo.check(); err != nil {
		return "", err
	}
	if err := checkLogin(login); err != nil {
		return "", err
	}
	doing := "read what " + login + " may do in " + repo.String()
	req, err := c.gh.NewRequest(http.MethodGet, "repos/"+repo.String()+"/collaborators/"+login+"/permission", nil)
	if err != nil {
		return "", c.explain(err, doing)
	}
	// go-github does not read role_name, without which maintain is write.
	var got struct {
		Permission string    `json:"permission"`
		Role       string    `json:"role_name"`
		User       *api.User `json:"user"`
	}
	if _, err := c.gh.Do(ctx, req, &got); err != nil {
		if statusOf(err) == http.StatusNotFound {
			return "none", nil // there is no such person
		}
		return "", c.explain(err, doing)
	}
	for _, level := range []string{got.Role, got.Permission} {
		if slices.Contains(levels, level) {
			return level, nil
		}
	}
	return "", c.explain(incomplete("a permission"), doing)
}

// Viewer is the person whose token it is. The token of a workflow's job is
// nobody's: Denied, reason "token".
func (c *Client) Viewer(ctx context.Context) (User, error) { return c.user(ctx, "") }

// User reads an account.
func (c *Client) User(ctx context.Context, login string) (User, error) {
	if err := checkLogin(login); err != nil {
		return User{}, err
	}
	return c.user(ctx, login)
}

func (c *Client) user(ctx context.Context, login string) (User, error) {
	doing := "read the account " + login
	if login == "" {
		doing = "read whose token it is"
	}
	u, _, err := c.gh.Users.Get(ctx, login)
	if err != nil {
		return User{}, c.explain(err, doing)
	}
	if u.GetID() == 0 || checkLogin(u.GetLogin()) != nil {
		return User{}, c.explain(incomplete("an account"), doing)
	}
	return user(u), nil
}
