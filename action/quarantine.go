package action

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Documents between the jobs of a workflow.
const (
	reviewFile  = "review.json"
	judgeFile   = "judge.json"
	nightlyFile = "nightly.json"
)

// Workflows of a registry that the verbs know by name.
const (
	quarantineFile = "quarantine.yml"
	trialFile      = "trial.yml"
	publishFile    = "publish.yml"
)

// mainBranch is the branch that a registry is published from.
var mainBranch = strings.TrimPrefix(ledger.PublishRef, "refs/heads/")

// quarantine reviews the pull request of the event; at night, everything. It
// writes what it found and says nothing to anybody: whatever the verdict is,
// having one is success.
func (j *job) quarantine(ctx context.Context, a *answer) error {
	if err := j.only("pull_request_target", "schedule", "workflow_dispatch"); err != nil {
		return err
	}
	if err := j.connect(); err != nil {
		return err
	}
	if !j.event.ofPull() {
		return j.rescan(ctx, a)
	}
	p, err := j.hub.Pull(ctx, j.repo, j.event.Number)
	if err != nil {
		return err
	}
	if p.Head.SHA != j.event.Head {
		return fault.New(fault.Findings, "head_moved", "the pull request has another head by now, %s, and its own run", p.Head.SHA)
	}
	if p.Base.Branch != mainBranch {
		return fault.New(fault.Findings, "base", "the pull request is for the branch %s, and a registry is its branch %s", spec.Quote(p.Base.Branch), mainBranch)
	}
	r, err := j.review(ctx, p)
	if err != nil {
		return err
	}
	if err := j.keep(reviewFile, r); err != nil {
		return err
	}
	a.Verdict, a.Line = string(r.Verdict), fmt.Sprintf("#%d is reviewed: %s, %d findings", r.Pull, r.Verdict, len(r.Findings))
	return j.output("verdict", a.Verdict)
}

// review reads one pull request and lets the rules look at it.
func (j *job) review(ctx context.Context, p github.Pull) (*review.Review, error) {
	s, err := j.submission(ctx, p)
	if err != nil {
		return nil, err
	}
	return j.workshop.Review(ctx, j.in, *s)
}

// nightly is what the rescan hands to the job that may write.
type nightly struct {
	Schema  string             `json:"schema"`
	Rescan  *contribute.Rescan `json:"rescan"`
	Reviews []*review.Review   `json:"reviews"`
}

const nightlySchema = "patch-git/nightly/v1"

// rescan checks all published tools by the rules of today, and reviews again
// what waits for its time.
func (j *job) rescan(ctx context.Context, a *answer) error {
	found, err := j.workshop.Rescan(ctx, j.in)
	if err != nil {
		return err
	}
	doc := nightly{Schema: nightlySchema, Rescan: found, Reviews: []*review.Review{}}
	pulls, err := j.hub.Pulls(ctx, j.repo)
	if err != nil {
		return err
	}
	for _, p := range pulls {
		if !waits(p) || p.Base.Branch != mainBranch {
			continue
		}
		r, err := j.review(ctx, p)
		if fault.KindOf(err) == fault.Interrupted && err != nil {
			return err
		}
		if err != nil { // one that cannot be read must not keep the others waiting
			j.say(fmt.Sprintf("#%d could not be reviewed again: %s", p.Number, err))
			continue
		}
		doc.Reviews = append(doc.Reviews, r)
	}
	a.Line = fmt.Sprintf("%d versions are checked again, %d of them would be refused; %d pull requests waited", found.Versions, len(found.Bad), len(doc.Reviews))
	return j.keep(nightlyFile, doc)
}

// waits tells whether a pull request may have waited for its time. Who may label
// can make it look so; it is reviewed again, and that is all.
func waits(p github.Pull) bool { return !p.Draft && slices.Contains(p.Labels, waitingLabel) }
