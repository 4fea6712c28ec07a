package review

import (
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// harmless are the warnings that need no person: the author is told, and users
// are at no risk. Warnings of the manifest are of that kind, too; any other
// keeps an update from being merged by itself.
var harmless = []string{"CAP-002", "DEP-004", "MAIN-003", "MAIN-004", "MAIN-005"}

// needsPerson tells whether a finding is for a person to judge.
func needsPerson(f spec.Finding) bool {
	manifest := len(f.ID) == len("MAN-100") && strings.HasPrefix(f.ID, "MAN-")
	return weighty(f) && !manifest && !slices.Contains(harmless, f.ID)
}

// weighty tells whether a finding is more than a note, and nobody waived it.
func weighty(f spec.Finding) bool { return f.Weight() != spec.SeverityNote }

// merge ends a judgement: the verdict of what was found, and whether a person
// is needed.
func (j *judgement) merge() {
	r := j.out
	for i := range j.findings.found {
		if f := &j.findings.found[i]; f.Severity != spec.SeverityNote && f.Severity != spec.SeverityWarning {
			f.Severity = spec.SeverityError
		}
	}
	all := j.findings.found
	r.Findings = j.findings.finish()
	r.Verdict = Pass
	why := j.forPerson(all)
	if why != "" {
		r.worsen(NeedsHuman, why)
	}
	if spec.Blocking(all) {
		r.worsen(Fail, ReasonFindings)
		return
	}
	if m := j.decide(why); r.Verdict == Pass || m.Reason == why {
		r.Merge = m
	}
}

// forPerson is why a person has to look, "" where none has to.
func (j *judgement) forPerson(all []spec.Finding) Reason {
	has := func(id rule) bool {
		return slices.ContainsFunc(all, func(f spec.Finding) bool { return f.ID == rules[id].ID })
	}
	switch {
	case j.Kind == KindMeta && j.meta.transfer:
		return ReasonTransfer
	case has(grown):
		return ReasonGrown
	case has(takenName):
		return ReasonNearName
	case slices.ContainsFunc(all, needsPerson), j.Kind == KindMeta && slices.ContainsFunc(all, weighty):
		return ReasonWarnings
	case len(j.content.Unchecked) > 0:
		return ReasonUnchecked
	}
	return ""
}

// decide tells whether what passed is merged now. why is what a person had to
// look at, and did.
func (j *judgement) decide(why Reason) Merge {
	no := func(r Reason) Merge { return Merge{Reason: r} }
	author := j.s.Author
	switch {
	case j.s.Draft:
		return no(ReasonDraft)
	case held(j.s.Labels):
		return no(ReasonHeld)
	case slices.ContainsFunc(j.s.Objections, j.weighs):
		return no(ReasonObjection)
	case j.Kind == KindGovernance:
		return no(ReasonGovernance)
	case why == ReasonTransfer:
		// A maintainer may merge it at once, and had better wait.
		after := j.since().Add(limits.TransferWait).UTC()
		return Merge{After: &after, Reason: why}
	case why != "":
		return no(why)
	case j.Kind == KindMeta && j.meta.other:
		return no(ReasonMeta)
	case !j.policy.AutoMerge:
		return no(ReasonOff)
	case j.Kind == KindMeta:
		// Whoever could stop a version by hand may do so at once: a tool that
		// is withdrawn for nothing costs less than one that is not in time.
		if !owns(j.base.Meta.Owners, author) && !j.s.byMaintainer(j.policy) {
			return no(ReasonNotOwner)
		}
		return Merge{Auto: true, Reason: ReasonWithdrawal}
	case j.Kind != KindRelease:
		return no(ReasonGovernance)
	case !j.out.New && !owns(j.base.Meta.Owners, author):
		return no(ReasonNotOwner)
	case j.s.Merged == nil:
		return no(ReasonUncounted)
	case *j.s.Merged < 0 || *j.s.Merged >= j.policy.UpdatesPerDay:
		return no(ReasonTooMany)
	case !j.out.New:
		return Merge{Auto: true, Reason: ReasonUpdate}
	case j.policy.NewNameWait <= 0:
		return no(ReasonNewName)
	}
	after := j.since().Add(j.policy.NewNameWait).UTC()
	if j.now.Before(after) {
		return Merge{After: &after, Reason: ReasonWaits}
	}
	return Merge{Auto: true, After: &after, Reason: ReasonWaited}
}

// since is since when the head can be looked at.
func (j *judgement) since() time.Time {
	if j.s.HeadSince.IsZero() || j.s.HeadSince.After(j.now) {
		return j.now
	}
	return j.s.HeadSince
}

// weighs tells whether somebody's objection counts: that of who may merge, or
// of an owner. Anybody may write one, and strangers cannot hold a tool up.
func (j *judgement) weighs(a Approval) bool {
	return a.weighs(j.policy.Maintainers, j.base.Meta.Owners)
}

// order of verdicts; whatever is none of them is the worst.
func (v Verdict) order() int {
	switch v {
	case Pass:
		return 0
	case NeedsHuman:
		return 1
	}
	return 2
}

// worsen makes the verdict at least as bad as v. What needs a person passes
// where one who may merge stands behind this head, but then they merge it.
func (r *Review) worsen(v Verdict, why Reason) {
	r.Merge = Merge{Reason: why}
	if v == NeedsHuman && r.Cleared {
		v = Pass
	}
	if v.order() > r.Verdict.order() {
		r.Verdict = v
	}
}

// Outcome is how a later job ended. The zero value is that nobody knows.
type Outcome string

// Outcomes of the judge and of the trial.
const (
	OutcomePass       Outcome = "pass"
	OutcomeNeedsHuman Outcome = "needs_human"
	OutcomeFail       Outcome = "fail"
	OutcomeAbsent     Outcome = "absent"  // there is none: the judge is off, the trial does not run here
	OutcomePending    Outcome = "pending" // it has not ended
)

// With adds what the judge, a model, and the trial in the sandbox say, and
// returns the review. Neither can make it better: both read what a stranger
// wrote, and the trial runs a workflow that the stranger may have changed.
// A judge that the policy wants and that did not answer is one that is not
// sure; a trial that has not ended is waited for. found is what the judge found,
// which weighs at least as much as findings of rules do.
func (r *Review) With(judge, trial Outcome, found ...spec.Finding) *Review {
	wanted := r.JudgeRequired && r.NeedsModel
	judge = r.found(judge, found)
	switch judge {
	case OutcomePass:
	case OutcomeNeedsHuman:
		r.atLeast(NeedsHuman, ReasonJudge)
	case OutcomeFail:
		r.atLeast(Fail, ReasonJudge)
	case OutcomeAbsent:
		if wanted {
			r.atLeast(NeedsHuman, ReasonJudgeMissing)
		}
	default:
		r.atLeast(NeedsHuman, ReasonJudgeMissing)
	}
	switch trial {
	case OutcomePass, OutcomeAbsent:
	case OutcomeFail:
		r.atLeast(Fail, ReasonTrial)
	case OutcomeNeedsHuman:
		r.atLeast(NeedsHuman, ReasonTrial)
	default:
		if r.Merge.Auto {
			r.Merge = Merge{Reason: ReasonTrialPending}
		}
	}
	return r
}

// found adds findings of a judge, and makes its outcome no milder than they are.
func (r *Review) found(judge Outcome, found []spec.Finding) Outcome {
	if len(found) == 0 {
		return judge
	}
	r.Findings = append(slices.Clone(r.Findings), found...)
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity != spec.SeverityWarning && f.Severity != spec.SeverityNote {
			f.Severity = spec.SeverityError
		}
	}
	spec.SortFindings(r.Findings)
	switch {
	case slices.ContainsFunc(found, spec.Finding.Blocks):
		return OutcomeFail
	case slices.ContainsFunc(found, weighty) && (judge == OutcomePass || judge == OutcomeAbsent):
		return OutcomeNeedsHuman
	}
	return judge
}

// atLeast is worsen for a review that has its reason: one that was worse keeps
// the reason for that.
func (r *Review) atLeast(v Verdict, why Reason) {
	before, was := r.Verdict, r.Merge
	r.worsen(v, why)
	if before.order() >= v.order() {
		r.Merge = Merge{After: was.After, Reason: was.Reason}
	}
}
