package github

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// forkLook is how often a new fork is looked for.
const forkLook = 3 * time.Second

// Fork finds the fork that the token's person has of a repository, or makes it
// and waits until git can be asked there. Of one's own repository there is no
// fork: it is returned itself.
func (c *Client) Fork(ctx context.Context, repo Repo) (Repository, error) {
	if err := repo.check(); err != nil {
		return Repository{}, err
	}
	self, err := c.Viewer(ctx)
	if err != nil {
		return Repository{}, err
	}
	origin, err := c.Repository(ctx, repo)
	if err != nil {
		return Repository{}, err
	}
	if origin.Owner.ID == self.ID {
		return origin, nil
	}
	// Under the same name it is nearly always. Something else may bear that name:
	// only what says whose fork it is, is one.
	likely, err := c.Repository(ctx, Repo{Owner: self.Login, Name: origin.Repo.Name})
	switch {
	case err == nil && likely.isFork(origin.Repo, self):
		return c.ready(ctx, likely.Repo, origin.Repo, self)
	case err != nil && fault.KindOf(err) != fault.NotFound:
		return Repository{}, err
	}
	// GitHub returns the fork that is there, whatever its name, or makes one.
	doing := "fork " + repo.String()
	made, _, err := c.gh.Repositories.CreateFork(again(ctx), origin.Repo.Owner, origin.Repo.Name, &api.RepositoryCreateForkOptions{DefaultBranchOnly: true})
	if _, accepted := errors.AsType[*api.AcceptedError](err); err != nil && !accepted {
		return Repository{}, c.explain(err, doing)
	}
	name := repoOf(made)
	if name.check() != nil || made.GetOwner().GetID() != self.ID {
		return Repository{}, c.explain(incomplete("a fork"), doing)
	}
	return c.ready(ctx, name, origin.Repo, self)
}

// isFork is a fork of origin that belongs to owner.
func (r Repository) isFork(origin Repo, owner User) bool {
	return r.Owner.ID == owner.ID && strings.EqualFold(r.Parent.String(), origin.String())
}

// ready waits until a fork answers, also for its commits: GitHub shows the
// repository before it has copied what is in it.
func (c *Client) ready(ctx context.Context, name, origin Repo, self User) (Repository, error) {
	for end := c.now().Add(limits.GitHubFork); ; {
		r, err := c.Repository(ctx, name)
		switch {
		case err == nil && !r.isFork(origin, self):
			return Repository{}, fault.New(fault.Unavailable, "answer", "%s is no fork of %s", name, origin)
		case err == nil:
			_, _, err := c.gh.Git.GetRef(ctx, r.Repo.Owner, r.Repo.Name, "heads/"+r.Default)
			if err == nil {
				return r, nil
			}
			if s := statusOf(err); s != http.StatusNotFound && s != http.StatusConflict { // 409: the repository is empty
				return Repository{}, c.explain(err, "look for the fork "+name.String())
			}
		case fault.KindOf(err) != fault.NotFound:
			return Repository{}, err
		}
		if !c.now().Add(forkLook).Before(end) {
			return Repository{}, fault.New(fault.Unavailable, "fork", "the fork %s is not there after %v", name, limits.GitHubFork).Hint("try again later")
		}
		c.wire.wait("fork", forkLook)
		if err := c.sleep(ctx, forkLook); err != nil {
			return Repository{}, err
		}
	}
}
