package action

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/review"
)

// checkName is the check on the head of a pull request that rules of the branch
// should require.
const checkName = "patch-git"

// trialCheck is the job of trial.yml, by which its result is found.
const trialCheck = "trial"

// How long a report waits for the trial of what would be merged.
const (
	trialPoll  = 10 * time.Second
	trialShows = time.Minute // until there is any: a run that waits for somebody's approval has no check
	trialWait  = 15 * time.Minute
)

// report tells what the other jobs found, sets the conclusion and merges what is
// to be merged. It stops where the head has moved: another run is about that,
// and the conclusion of this commit stays whatever it is.
func (j *job) report(ctx context.Context, a *answer) error {
	if err := j.only("pull_request_target"); err != nil {
		return err
	}
	if err := j.connect(); err != nil {
		return err
	}
	p, err := j.hub.Pull(ctx, j.repo, j.event.Number)
	if err != nil {
		return err
	}
	switch {
	case p.Merged:
		// The run before may have ended between merging and publishing.
		a.Line = fmt.Sprintf("#%d was merged already; %s", p.Number, j.publishWords(j.republish(ctx)))
		return j.stopped(a)
	case p.State != "open":
		a.Line = fmt.Sprintf("#%d is closed; nothing is reported", p.Number)
		return j.stopped(a)
	case p.Base.Branch != mainBranch:
		a.Line = fmt.Sprintf("#%d is not for the branch %s by now; nothing is reported", p.Number, mainBranch)
		return j.stopped(a)
	case p.Head.SHA != j.event.Head:
		a.Line = fmt.Sprintf("#%d has the head %s by now, and this run is about %s; nothing is reported", p.Number, p.Head.SHA, j.event.Head)
		return j.stopped(a)
	}
	r := j.reviewed()
	if r == nil && j.overtaken(ctx, p) {
		a.Line = fmt.Sprintf("a newer run is about #%d; nothing is reported", p.Number)
		return j.stopped(a)
	}
	var h *heard
	if r != nil {
		h = j.judged(r)
		if err := j.insist(ctx, r, h); err != nil {
			return err
		}
		trial, err := j.trialOf(ctx, r, true)
		if err != nil {
			return err
		}
		r = r.With(h.outcome, trial, h.findings...)
	}
	return j.settle(ctx, p, r, h, a)
}

// overtaken tells whether a newer run is about the same pull request and commit.
// One that was to be cancelled for it may have come as far as its report; it has
// no review then, and must not say so over the newer one's head.
func (j *job) overtaken(ctx context.Context, p github.Pull) bool {
	self, err := strconv.ParseInt(j.host.Getenv("GITHUB_RUN_ID"), 10, 64)
	if err != nil {
		return false
	}
	runs, err := j.runs(ctx, p)
	if err != nil {
		j.say("whether there is a newer run is not known: " + err.Error())
		return false
	}
	return slices.ContainsFunc(runs, func(r github.Run) bool {
		return r.ID > self && r.Conclusion != "skipped"
	})
}

// stopped ends a report that says nothing of this commit.
func (j *job) stopped(a *answer) error {
	if err := j.summary("### Nothing to report\n\n" + a.Line + "\n"); err != nil {
		return err
	}
	return j.output("merged", "false")
}

// trialOf finds the result of the trial of a review's head. It waits only for
// the trial of what would be merged otherwise.
func (j *job) trialOf(ctx context.Context, r *review.Review, patient bool) (review.Outcome, error) {
	if r.Kind != review.KindRelease || !j.has(trialFile) {
		return review.OutcomeAbsent, nil
	}
	for waited := time.Duration(0); ; waited += trialPoll {
		checks, err := j.hub.Checks(ctx, j.repo, r.Head, trialCheck)
		if err != nil {
			return "", err
		}
		outcome := outcomeOf(checks)
		if outcome != review.OutcomePending || !patient || !r.Merge.Auto || waited >= trialWait || len(checks) == 0 && waited >= trialShows {
			return outcome, nil
		}
		if err := j.pause(ctx, trialPoll); err != nil {
			return "", err
		}
	}
}

// outcomeOf reads the trial's checks: one that failed is a failure whatever the
// others say, and one that did not succeed is none that did.
func outcomeOf(checks []github.Check) review.Outcome {
	outcome := review.OutcomePending
	for i, c := range checks {
		switch {
		case c.Conclusion == "failure" || c.Conclusion == "timed_out" || c.Conclusion == "startup_failure":
			return review.OutcomeFail
		case c.Status != "completed" || c.Conclusion != "success":
			outcome = review.OutcomePending
		case i == 0:
			outcome = review.OutcomePass
		}
	}
	return outcome
}

// settle says a review, and what was heard of a model today, to everybody: check,
// merge, comment, labels, in this order, so that a branch which requires the check lets the merge through. All
// of it can be done again; a run that broke off is finished by the next.
func (j *job) settle(ctx context.Context, p github.Pull, r *review.Review, h *heard, a *answer) error {
	other, err := j.sharedWith(ctx, p)
	if err != nil {
		return err
	}
	if other != 0 {
		return j.second(ctx, p, other, a)
	}
	if err := j.remember(ctx, p.Head.SHA, h); err != nil {
		return err
	}
	s := said{review: r, version: j.version}
	if h != nil {
		s.by = h.by
	}
	verdict := review.Fail
	if r != nil {
		verdict = r.Verdict
	}
	a.Verdict, a.Conclusion = string(verdict), conclusion(verdict)
	if _, err := j.hub.CreateCheck(ctx, j.repo, check(s, p.Head.SHA)); err != nil {
		return err
	}
	if r != nil && r.Verdict == review.Pass && r.Merge.Auto {
		if err := j.merge(ctx, p, &s); err != nil {
			return err
		}
		a.Merged = s.merged
	}
	if _, err := j.hub.Sticky(ctx, j.repo, p.Number, commentMarker, comment(s, commentBytes)); err != nil {
		return err
	}
	if err := j.hub.Labels(ctx, j.repo, p.Number, labelPrefix, labelsOf(s)); err != nil {
		return err
	}
	if err := j.summary(comment(s, summaryBytes)); err != nil {
		return err
	}
	a.Line = fmt.Sprintf("#%d: %s", p.Number, a.Conclusion)
	if s.merged != "" {
		a.Line += ", merged as " + s.merged
	}
	for _, o := range [][2]string{{"verdict", a.Verdict}, {"conclusion", a.Conclusion}, {"merged", fmt.Sprint(s.merged != "")}} {
		if err := j.output(o[0], o[1]); err != nil {
			return err
		}
	}
	return j.ending(p, verdict)
}

// ending makes the job end as its check does, so that who requires the job and
// not the check is not let down.
func (j *job) ending(p github.Pull, v review.Verdict) error {
	switch v {
	case review.Pass:
		return nil
	case review.NeedsHuman:
		return fault.New(fault.Denied, "needs_human", "#%d needs a maintainer", p.Number).
			Hint("put the label %s on the pull request, or approve the commit and run all jobs of this workflow again", acceptLabel)
	}
	return fault.New(fault.Findings, "findings", "#%d would be refused", p.Number).Hint("the comment in the pull request says why")
}

// republish runs the publication again, because a merge by this token starts no
// workflow, and says how that went.
func (j *job) republish(ctx context.Context) string {
	run, err := j.hub.Rerun(ctx, j.repo, publishFile)
	if err != nil {
		j.say("the workflow publish was not started: " + err.Error())
		return "by_hand"
	}
	j.say("the workflow publish runs again: " + run.URL)
	j.publishes = true
	return "again"
}

func (j *job) publishWords(how string) string {
	if how == "again" {
		return "it is published within minutes"
	}
	return "no run of the workflow publish could be started again, so push to main"
}
