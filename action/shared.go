package action

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
)

// own tells whether a run of quarantine.yml was for a pull request. A run states
// a commit, and anybody can open a pull request with the commit of another.
func own(p github.Pull, r github.Run) bool {
	return r.Event == "pull_request_target" && r.Head == p.Head.SHA && p.Head.RepoID != 0 && r.HeadRepo == p.Head.RepoID && r.Branch == p.Head.Branch
}

// runs are those of quarantine.yml for a pull request and its head.
func (j *job) runs(ctx context.Context, p github.Pull) ([]github.Run, error) {
	all, err := j.hub.Runs(ctx, j.repo, quarantineFile, p.Head.SHA)
	if err != nil && fault.KindOf(err) != fault.NotFound { // a workflow that is as new as this run
		return nil, err
	}
	var out []github.Run
	for _, r := range all {
		if own(p, r) {
			out = append(out, r)
		}
	}
	return out, nil
}

// sharedWith finds the open pull request that has the same head and had it first;
// 0 where there is none. A check belongs to a commit and not to a pull request:
// whoever opened a second one with somebody else's commit, by an account that may
// not propose it, would set the check of the first to failure. First is whose
// head quarantine.yml ran for first, so that an old pull request which is moved
// to the commit of a newer one comes second.
func (j *job) sharedWith(ctx context.Context, p github.Pull) (int, error) {
	pulls, err := j.hub.Pulls(ctx, j.repo)
	if err != nil {
		return 0, err
	}
	first, since := p.Number, time.Time{}
	asked := false
	for _, other := range pulls {
		if other.Number == p.Number || other.Head.SHA != p.Head.SHA || other.Base.Branch != mainBranch {
			continue
		}
		if !asked {
			if since, err = j.firstRun(ctx, p); err != nil {
				return 0, err
			}
			asked = true
		}
		theirs, err := j.firstRun(ctx, other)
		if err != nil {
			return 0, err
		}
		if before(theirs, other.Number, since, first) {
			first, since = other.Number, theirs
		}
	}
	if first == p.Number {
		return 0, nil
	}
	return first, nil
}

// before orders pull requests by their first runs, those without any last, and
// by their numbers.
func before(a time.Time, n int, b time.Time, m int) bool {
	if a.Equal(b) {
		return n < m
	}
	return !a.IsZero() && (b.IsZero() || a.Before(b))
}

// firstRun is when quarantine.yml first ran for a pull request and its head; zero
// where it never did.
func (j *job) firstRun(ctx context.Context, p github.Pull) (time.Time, error) {
	runs, err := j.runs(ctx, p)
	var first time.Time
	for _, r := range runs {
		if first.IsZero() || r.Created.Before(first) {
			first = r.Created
		}
	}
	return first, err
}

// second tells that nothing is said of a commit that is another pull request's.
func (j *job) second(ctx context.Context, p github.Pull, other int, a *answer) error {
	body := fmt.Sprintf("### ✋ This is the commit of #%d\n\nChecks belong to commits, and #%d had this one first: what is said there is about it. Nothing is reported here and nothing is merged. "+
		"Close one of the two, or push another commit here.\n", other, other)
	if _, err := j.hub.Sticky(ctx, j.repo, p.Number, commentMarker, body); err != nil {
		return err
	}
	a.Line = fmt.Sprintf("#%d has the commit of #%d, which had it first; nothing is reported", p.Number, other)
	return j.stopped(a)
}

func number(n int) string { return strconv.Itoa(n) }
