package action

import (
	"context"
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Documents between the jobs of a workflow.
const (
	reviewFile   = "review.json"
	materialFile = "material.json"
	judgeFile    = "judge.json"
	nightlyFile  = "nightly.json"
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
	s, r, err := j.review(ctx, p)
	if err != nil {
		return err
	}
	if err := j.keep(reviewFile, r); err != nil {
		return err
	}
	if err := j.material(ctx, r, s); err != nil {
		return err
	}
	a.Verdict, a.Line = string(r.Verdict), fmt.Sprintf("#%d is reviewed: %s, %d findings", r.Pull, r.Verdict, len(r.Findings))
	return j.output("verdict", a.Verdict)
}

// review reads one pull request and lets the rules look at it.
func (j *job) review(ctx context.Context, p github.Pull) (*review.Submission, *review.Review, error) {
	s, err := j.submission(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	r, err := j.workshop.Review(ctx, j.in, nil, *s)
	return s, r, err
}
