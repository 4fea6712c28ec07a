package action

import (
	"context"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/review"
)

// people asks who stands behind a pull request and who against it. An approval
// counts for the very commit that was looked at; a label of ours that says the
// same, for the commit of the event that brought it, and only by whom GitHub
// lets write to the repository.
//
// So many strangers may review that not all are asked about. Those who look like
// somebody of the repository come first. Of the rest a yes is worth nothing, and
// a no is taken for that of a maintainer: it keeps a person in the loop.
func (j *job) people(ctx context.Context, p github.Pull, s *review.Submission) error {
	asked := map[string]bool{}
	maintains := func(login string) (is, known bool, err error) {
		if is, ok := asked[login]; ok {
			return is, true, nil
		}
		if len(asked) >= limits.Reviewers {
			return false, false, nil
		}
		permission, err := j.hub.Permission(ctx, j.repo, login)
		if fault.KindOf(err) == fault.NotFound && err != nil {
			permission, err = "none", nil // an account that is gone
		}
		asked[login] = writes(permission)
		return asked[login], true, err
	}
	var err error
	if s.Maintainer, _, err = maintains(p.Author.Login); err != nil {
		return err
	}
	if err := j.accepted(ctx, p, s, maintains); err != nil {
		return err
	}
	reviews, err := j.hub.Reviews(ctx, j.repo, p.Number)
	if err != nil {
		return err
	}
	slices.SortStableFunc(reviews, func(a, b github.Approval) int { return rank(a) - rank(b) })
	for _, r := range reviews {
		if r.User.ID == p.Author.ID {
			continue // nobody approves his own
		}
		approves := r.State == "APPROVED" && r.Commit == p.Head.SHA
		if !approves && r.State != "CHANGES_REQUESTED" {
			continue
		}
		a := review.Approval{By: owner(r.User)}
		is, known, err := maintains(r.User.Login)
		if err != nil {
			return err
		}
		a.Maintainer = is || !known && !approves
		if approves {
			s.Approvals = append(s.Approvals, a)
		} else {
			s.Objections = append(s.Objections, a)
		}
	}
	return nil
}

// rank orders reviewers: those of the repository, then who objects, then the rest.
func rank(r github.Approval) int {
	switch {
	case r.Insider:
		return 0
	case r.State == "CHANGES_REQUESTED":
		return 1
	}
	return 2
}

// accepted adds the approval of who put [acceptLabel] on the pull request, where
// that is what this workflow was started for. The label counts for the head that
// the event names, which may be pushed a moment before somebody clicks: only one
// of which our check had said something can have been looked at.
func (j *job) accepted(ctx context.Context, p github.Pull, s *review.Submission, maintains func(string) (is, known bool, err error)) error {
	e := j.event
	if e.Label != acceptLabel || e.Number != p.Number || e.Head != p.Head.SHA {
		return nil
	}
	is, _, err := maintains(e.Sender)
	if err != nil {
		return err
	}
	if !is {
		j.say("the label " + acceptLabel + " is by somebody who may not write to this repository, and counts for nothing")
		return nil
	}
	checks, err := j.hub.Checks(ctx, j.repo, p.Head.SHA, checkName)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(checks, func(c github.Check) bool { return c.App == "github-actions" && c.Status == "completed" }) {
		j.say("the label " + acceptLabel + " came before this commit had a result, and counts for nothing: take it off and put it on again")
		return nil
	}
	u, err := j.hub.User(ctx, e.Sender)
	if err != nil {
		return err
	}
	s.Approvals = append(s.Approvals, review.Approval{By: owner(u), Maintainer: true})
	return nil
}

// history asks since when the registry has looked at the head, and how much of
// the author was merged in a day.
//
// The newest run counts and not the first: a pull request that was closed for
// days and opened again was not open to objections meanwhile.
func (j *job) history(ctx context.Context, p github.Pull, s *review.Submission) error {
	runs, err := j.runs(ctx, p)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Created.After(s.HeadSince) {
			s.HeadSince = r.Created
		}
	}
	return j.counted(ctx, p, s)
}

// counted counts what was merged of the author in a day.
func (j *job) counted(ctx context.Context, p github.Pull, s *review.Submission) error {
	n, err := j.hub.Merged(ctx, j.repo, p.Base.Branch, p.Author, j.host.Now().Add(-24*time.Hour))
	if err != nil {
		return err
	}
	s.Merged = &n
	return nil
}
