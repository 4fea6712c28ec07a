package action

import (
	"context"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/ledger"
)

// listing is a GitHub that lists some pull requests for every commit.
type listing struct {
	hub
	pulls []github.Pull
}

func (l listing) PullsOfCommit(context.Context, github.Repo, string) ([]github.Pull, error) {
	return l.pulls, nil
}

// TestOrigin: what is signed about a version names who proposed it, and never
// somebody who has only opened a pull request that has the same commit.
func TestOrigin(t *testing.T) {
	const commit, another = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	repo := github.Repo{Owner: "acme", Name: "tools"}
	merged := func(login string, id int64, change ...func(*github.Pull)) github.Pull {
		p := github.Pull{
			URL: "https://github.com/acme/tools/pull/" + login, State: "closed", Merged: true, MergeCommit: commit,
			Author: github.User{Login: login, ID: id}, Base: github.Side{Repo: repo, Branch: "main"},
		}
		for _, c := range change {
			c(&p)
		}
		return p
	}
	open := func(p *github.Pull) { p.State, p.Merged = "open", false }
	elsewhere := func(p *github.Pull) { p.Base.Branch = "next" }
	inFork := func(p *github.Pull) { p.Base.Repo.Owner = "eve" }
	carried := func(p *github.Pull) { p.MergeCommit = another }
	ann := contribute.Origin{PullRequest: "https://github.com/acme/tools/pull/ann", Author: ledger.Owner{Login: "ann", ID: 7}}
	for _, c := range []struct {
		what  string
		pulls []github.Pull
		want  contribute.Origin
	}{
		{"an open one alone", []github.Pull{merged("eve", 9, open)}, contribute.Origin{}},
		{"one into another branch", []github.Pull{merged("eve", 9, elsewhere)}, contribute.Origin{}},
		{"one into a fork", []github.Pull{merged("eve", 9, inFork)}, contribute.Origin{}},
		{"two that merged it", []github.Pull{merged("eve", 9), merged("ann", 7)}, contribute.Origin{}},
		{"two that carried it", []github.Pull{merged("eve", 9, carried), merged("ann", 7, carried)}, contribute.Origin{}},
		{"none", nil, contribute.Origin{}},
		{"the one", []github.Pull{merged("ann", 7)}, ann},
		{"the one beside open ones", []github.Pull{merged("eve", 9, open), merged("ann", 7), merged("eve", 9, elsewhere)}, ann},
		{"the one beside one that carried it", []github.Pull{merged("eve", 9, carried), merged("ann", 7)}, ann},
		{"one that carried it", []github.Pull{merged("ann", 7, carried)}, ann}, // merged by a rebase, which has several commits
	} {
		var said strings.Builder
		j := &job{hub: listing{pulls: c.pulls}, repo: repo, host: &host.Host{Stderr: &said}}
		got, err := j.origin(t.Context(), commit)
		if err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v", c.what, got, err)
		}
		if quiet := said.Len() == 0; quiet != (got == ann) {
			t.Errorf("%s: said %q", c.what, said.String())
		}
	}
}
