package action

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
)

// siteFolder is where the pages lie for the job that deploys them.
const siteFolder = "site"

// publish publishes what is at the tip of main. What was found in pull requests
// counts for nothing here: everything is checked again from the tree.
func (j *job) publish(ctx context.Context, a *answer) error {
	if err := j.only("push"); err != nil {
		return err
	}
	if err := j.connect(); err != nil {
		return err
	}
	done, err := j.workshop.PublishBranch(ctx, contribute.BranchOptions{
		Dir: j.in, Token: j.host.Getenv("GITHUB_TOKEN"), Site: filepath.Join(j.work, siteFolder),
		Origin: j.origin, RefreshAfter: limits.RefreshAfter, BehindMirrors: j.host.Getenv("PATCH_GIT_BEHIND_MIRRORS") == "true",
	})
	site := done != nil && done.Site != nil
	if outErr := j.output("site", yesNo(site)); outErr != nil && err == nil {
		err = outErr
	}
	if done == nil || done.Published == nil {
		return err
	}
	a.Line = fmt.Sprintf("head %d of %s: %d accepted, %d withdrawn, %d refused", done.Head.Seq, done.Registry, len(done.Accepted), len(done.Withdrawn), len(done.Reports))
	if sumErr := j.summary(published(done)); sumErr != nil && err == nil {
		err = sumErr
	}
	return err
}

// origin finds the pull request that brought a commit, and who proposed it.
//
// GitHub lists every pull request that has the commit, and anybody can open one
// that does: only one that was merged into the branch from which is published
// counts. Of several, the one whose merge made the commit is meant. Where none
// is left, or more than one, nobody is: a version that nobody is known to have
// proposed is signed without a contributor.
func (j *job) origin(ctx context.Context, commit string) (contribute.Origin, error) {
	pulls, err := j.hub.PullsOfCommit(ctx, j.repo, commit)
	if err != nil {
		return contribute.Origin{}, err
	}
	pulls = slices.DeleteFunc(pulls, func(p github.Pull) bool {
		return !p.Merged || p.Base.Branch != strings.TrimPrefix(ledger.PublishRef, "refs/heads/") || !strings.EqualFold(p.Base.Repo.String(), j.repo.String())
	})
	made := slices.DeleteFunc(slices.Clone(pulls), func(p github.Pull) bool { return p.MergeCommit != commit })
	if len(made) > 0 {
		pulls = made
	}
	if len(pulls) != 1 {
		j.say(fmt.Sprintf("%d merged pull requests brought the commit %s: its versions are signed without a contributor", len(pulls), commit))
		return contribute.Origin{}, nil
	}
	p := pulls[0]
	return contribute.Origin{PullRequest: p.URL, Author: ledger.Owner{Login: p.Author.Login, ID: p.Author.ID}}, nil
}

// published tells what a publication did. Findings repeat what a manifest says.
func published(done *contribute.BranchPublished) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Head %d of %s\n\n", done.Head.Seq, span(string(done.Registry)))
	if !done.New {
		b.WriteString("Nothing is new.\n")
	}
	var lines []string
	for _, r := range done.Accepted {
		lines = append(lines, "accepted "+r)
	}
	lines = append(lines, done.Withdrawn...)
	if len(lines) > 0 {
		b.WriteString(fitted("", "text", lines, summaryBytes/2, ""))
	}
	for _, r := range done.Reports {
		lines = []string{r.File + " was refused:"}
		for _, f := range r.Findings {
			lines = append(lines, wrap("  ", f.String())...)
		}
		b.WriteString("\n" + fitted("", "text", lines, summaryBytes/32, ""))
	}
	return b.String()
}

// yesNo is a truth value as a workflow compares it.
func yesNo(b bool) string { return fmt.Sprint(b) }
