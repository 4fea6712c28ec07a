package action

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/judge"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// matter is material.json: the texts of a pull request that a model is shown. The
// job that reads them has no key, and the one that has the key reads nothing else.
type matter struct {
	Schema   string          `json:"schema"`
	Pull     int             `json:"pull"`
	Head     string          `json:"head"`
	Material *judge.Material `json:"material"`
}

// judgement is judge.json: what a model says of a pull request, by codes and
// places. It has no word of the model and none of the pull request; the report
// takes lines from material.json.
type judgement struct {
	Schema    string           `json:"schema"`
	Pull      int              `json:"pull"`
	Head      string           `json:"head"`
	Judgement *judge.Judgement `json:"judgement"` // null: the policy asks for none here
}

const (
	matterSchema = "patch-git/material/v1"
	judgeSchema  = "patch-git/judge/v2"
)

// judgeCheck is the check by which the night knows that a model passed a head.
const judgeCheck = "patch-git-judge"

// judgePassed is its title where the model passed the head. Checks that are jobs of a
// workflow have no title, so that a job of that name is no pass.
const judgePassed = "The model has nothing against it"

// wantsModel tells whether a model is asked about a review. What is refused
// already costs nobody a request.
func wantsModel(r *review.Review) bool {
	return r.JudgeRequired && r.NeedsModel && r.Verdict != review.Fail
}

// material gathers what the model is shown, in the job that reads the sources.
func (j *job) material(ctx context.Context, r *review.Review, s *review.Submission) error {
	m := judge.Collect(nil, nil, nil)
	if wantsModel(r) {
		var err error
		if m, err = j.workshop.Material(ctx, *s); err != nil {
			return err
		}
	}
	return j.keep(materialFile, matter{matterSchema, r.Pull, r.Head, m})
}

// judge asks the model about the material of this run, and writes down what it
// says. That it could not tell is written down, too, and is no error of the job;
// a configuration that is wrong is.
func (j *job) judge(ctx context.Context, a *answer) error {
	if err := j.only("pull_request_target"); err != nil {
		return err
	}
	r := j.reviewed()
	if r == nil {
		return fault.New(fault.Unavailable, "no_review", "there is no review of this commit to judge")
	}
	if !wantsModel(r) {
		a.Line = "no model is asked: the policy of the registry wants none for this"
		return j.keep(judgeFile, judgement{judgeSchema, r.Pull, r.Head, nil})
	}
	m := j.matter(r)
	if m == nil {
		return fault.New(fault.Unavailable, "no_material", "there is no material of this commit to judge")
	}
	out, err := j.workshop.Judge(ctx, m)
	if err != nil {
		return err
	}
	a.Line = fmt.Sprintf("the model says: %s, %d findings, %d requests", out.Outcome, len(out.Findings), out.Requests)
	for _, f := range out.Failures {
		a.Line += "; " + f.Words()
	}
	return j.keep(judgeFile, judgement{judgeSchema, r.Pull, r.Head, out})
}

// matter is the material of a review, nil where there is none of this commit.
func (j *job) matter(r *review.Review) *judge.Material {
	var d matter
	if !j.take(materialFile, &d) || d.Schema != matterSchema || d.Pull != r.Pull || d.Head != r.Head {
		return nil
	}
	return d.Material
}

// heard is what a report knows of the judge.
type heard struct {
	wanted   bool // a model was to be asked
	outcome  review.Outcome
	findings []spec.Finding
	objects  bool             // to this head, today or before, whoever waived that
	by       *judge.Judgement // nil where none was asked, or none is believed
}

// judged is what the judge of this run said. What is missing, about another
// commit, not to be read or at odds with the material or the policy is nobody's
// word, which is worse than that there is no judge.
func (j *job) judged(r *review.Review) *heard {
	h := &heard{wanted: wantsModel(r)}
	data, ok := j.document(judgeFile)
	var d judgement
	if !ok || !j.take(judgeFile, &d) || !bytes.Equal(ledger.Encode(d), data) || d.Schema != judgeSchema || d.Pull != r.Pull || d.Head != r.Head {
		return h
	}
	if (d.Judgement != nil) != h.wanted {
		j.say(judgeFile + " is not about what the policy wants")
		return h
	}
	if d.Judgement == nil {
		h.outcome = review.OutcomeAbsent
		return h
	}
	m := j.matter(r)
	if m == nil {
		return h
	}
	out, err := judge.Parse(d.Judgement.Encode(), m)
	if err != nil {
		j.say(err.Error())
		return h
	}
	found, err := j.workshop.JudgeFindings(j.in, r, m, out)
	if err != nil {
		j.say(err.Error())
		return h
	}
	h.findings, h.by, h.objects = found, out, len(out.Findings) > 0
	switch {
	case slices.ContainsFunc(found, spec.Finding.Blocks):
		h.outcome = review.OutcomeFail
	case slices.ContainsFunc(found, func(f spec.Finding) bool { return f.Weight() != spec.SeverityNote }) && h.objects:
		h.outcome = review.OutcomeNeedsHuman
	case len(out.Failures) == 0: // it has nothing against it, or a maintainer waived what it has
		h.outcome = review.OutcomePass
	}
	return h // otherwise it could not tell, and that is nobody's word
}

// remember puts what a model said on the head, for the night.
func (j *job) remember(ctx context.Context, head string, h *heard) error {
	if h == nil || !h.wanted {
		return nil
	}
	summary := "Nobody knows what the model says.\n"
	if h.by != nil {
		summary = byModel(h.by)
	}
	verdict, title := review.NeedsHuman, "Somebody has to look"
	switch {
	case h.objects:
		verdict, title = review.Fail, "The model objects to it"
	case h.outcome == review.OutcomePass:
		verdict, title = review.Pass, judgePassed
	}
	_, err := j.hub.CreateCheck(ctx, j.repo, github.CheckRun{
		Name: judgeCheck, Head: head, Conclusion: conclusion(verdict), Title: title, Summary: summary,
	})
	return err
}

// insist keeps what a model said of this very head before: who closes a pull
// request and opens it again has it asked again, and an answer that is drawn often
// enough is a yes. What it objected to is for a maintainer to answer for.
func (j *job) insist(ctx context.Context, r *review.Review, h *heard) error {
	if !h.wanted {
		return nil
	}
	checks, err := j.hub.Checks(ctx, j.repo, r.Head, judgeCheck)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(checks, func(c github.Check) bool { return c.Conclusion == "failure" }) {
		h.objects = true
		if h.outcome == review.OutcomePass {
			h.outcome = review.OutcomeNeedsHuman
		}
	}
	return nil
}

// remembered is what a model said of a head before. It is not asked by night: it
// would say something else each time, and be paid for it.
func (j *job) remembered(ctx context.Context, r *review.Review) (review.Outcome, error) {
	if !wantsModel(r) {
		return review.OutcomeAbsent, nil
	}
	checks, err := j.hub.Checks(ctx, j.repo, r.Head, judgeCheck)
	if err != nil {
		return "", err
	}
	passed := func(c github.Check) bool {
		return c.App == "github-actions" && c.Status == "completed" && c.Conclusion == "success" && c.Title == judgePassed
	}
	if len(checks) == 0 || slices.ContainsFunc(checks, func(c github.Check) bool { return !passed(c) }) {
		return review.OutcomeAbsent, nil
	}
	return review.OutcomePass, nil
}

// byModel says by whom and by which questions a release was judged.
func byModel(by *judge.Judgement) string {
	if by.Model == "" {
		return "No model is configured.\n"
	}
	return fmt.Sprintf("Model: %s, %s, questions `%s`. What it says can only make the verdict worse, and none of its words is shown.\n",
		span(by.Model), many(by.Requests, "request"), by.Prompts.Short())
}

// reviewed is the review that an earlier job of this run made, nil where there
// is none of this very pull request and commit.
func (j *job) reviewed() *review.Review {
	data, ok := j.document(reviewFile)
	if !ok {
		return nil
	}
	r, err := review.Parse(data)
	if err != nil {
		j.say(err.Error())
		return nil
	}
	if r.Pull != j.event.Number || r.Head != j.event.Head {
		j.say(reviewFile + " is not about this commit")
		return nil
	}
	return r
}
