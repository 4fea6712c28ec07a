package action

import (
	"context"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/review"
)

// judgement is judge.json: what a model says of a pull request.
type judgement struct {
	Schema  string  `json:"schema"`
	Pull    int     `json:"pull"`
	Head    string  `json:"head"`
	Outcome judging `json:"outcome"`
}

const judgeSchema = "patch-git/judge/v1"

// judging is the outcome of a judgement.
type judging string

// judgeNone says that no model is configured, so none has looked.
const judgeNone judging = "none"

// model looks at the texts and the code of a pull request. What it is given was
// written by a stranger, and what it says can only make the verdict worse.
type model interface {
	// Judge returns what the model says; an error is that nobody knows.
	Judge(ctx context.Context, r *review.Review) (judging, error)
}

// unconfigured is the model of a registry that has none.
type unconfigured struct{}

// Judge implements model.
func (unconfigured) Judge(context.Context, *review.Review) (judging, error) { return judgeNone, nil }

// judge asks the model about the review of this run, and writes down what it says.
func (j *job) judge(ctx context.Context, a *answer) error {
	if err := j.only("pull_request_target"); err != nil {
		return err
	}
	r := j.reviewed()
	if r == nil {
		return fault.New(fault.Unavailable, "no_review", "there is no review of this commit to judge")
	}
	var m model = unconfigured{}
	outcome, err := m.Judge(ctx, r)
	if err != nil {
		return err
	}
	a.Line = "the model says: " + string(outcome)
	return j.keep(judgeFile, judgement{judgeSchema, r.Pull, r.Head, outcome})
}

// judged is what the judge of this run said. What is missing, about another
// commit or not to be read is nobody's word, which is worse than that there is
// no judge.
func (j *job) judged() review.Outcome {
	var d judgement
	if !j.take(judgeFile, &d) || d.Schema != judgeSchema || d.Pull != j.event.Number || d.Head != j.event.Head || d.Outcome != judgeNone {
		return ""
	}
	return review.OutcomeAbsent
}

// reviewed is the review that an earlier job of this run made, nil where there
// is none of this very pull request and commit.
func (j *job) reviewed() *review.Review {
	var r review.Review
	if !j.take(reviewFile, &r) {
		return nil
	}
	if r.Schema != review.Schema || r.Pull != j.event.Number || r.Head != j.event.Head {
		j.say(reviewFile + " is not about this commit")
		return nil
	}
	return &r
}
