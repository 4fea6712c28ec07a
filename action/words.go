package action

import (
	"fmt"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/review"
)

// conclusion is the conclusion of the check on the head: never neutral and
// never skipped, because both let a pull request pass. What is no verdict, the
// zero value too, is a failure.
func conclusion(v review.Verdict) string {
	switch v {
	case review.Pass:
		return "success"
	case review.NeedsHuman:
		return "action_required"
	}
	return "failure"
}

// headline says a verdict in a few words.
func headline(v review.Verdict) string {
	switch v {
	case review.Pass:
		return "✅ The rules have nothing against it"
	case review.NeedsHuman:
		return "✋ A maintainer has to look at it"
	}
	return "❌ It cannot be accepted like this"
}

// kindWords says what a pull request is about.
func kindWords(k review.Kind) string {
	switch k {
	case review.KindRelease:
		return "a version of a tool"
	case review.KindMeta:
		return "what is said about a tool"
	case review.KindGovernance:
		return "how the registry works"
	case review.KindMixed:
		return "several things at once"
	case review.KindEmpty:
		return "nothing"
	}
	return "something unknown"
}

// mergeWords says why something is merged by itself, or is not. A reason that
// this program has no words for is one of another edition of the rules, and is
// said to be that.
func mergeWords(m review.Merge) string {
	switch m.Reason {
	case review.ReasonUpdate:
		return "an owner proposes it, and it asks for no more than the version before"
	case review.ReasonWithdrawal:
		return "an owner or a maintainer withdraws a version"
	case review.ReasonWaited:
		return "it is a new name, and nobody objected in time"
	case review.ReasonFindings:
		return "there are errors"
	case review.ReasonDraft:
		return "it is a draft"
	case review.ReasonHeld:
		return "it has the label `" + review.HoldLabel + "`"
	case review.ReasonObjection:
		return "somebody asks for changes"
	case review.ReasonGovernance:
		return "it changes how the registry works"
	case review.ReasonTransfer:
		return "it changes the owners"
	case review.ReasonMeta:
		return "it changes more in `tool.yaml` than to withdraw a version"
	case review.ReasonGrown:
		return "it asks for more than the version before"
	case review.ReasonNearName:
		return "the name is close to another one"
	case review.ReasonWarnings:
		return "a finding needs a person"
	case review.ReasonUnchecked:
		return "something could not be checked"
	case review.ReasonNotOwner:
		return "its author is no owner, and one only approved it"
	case review.ReasonOff:
		return "this registry merges nothing without a person"
	case review.ReasonNewName:
		return "it is a new name, and this registry merges none without a person"
	case review.ReasonWaits:
		if m.After != nil {
			return "it is a new name, which waits until " + m.After.UTC().Format(time.DateTime) + " UTC for objections"
		}
		return "it is a new name, which waits for objections"
	case review.ReasonTooMany:
		return "this registry merges no more of one author in a day without a person"
	case review.ReasonUncounted:
		return "nobody could count what was merged of this author today"
	case review.ReasonJudge:
		return "the model objects to it or is not sure"
	case review.ReasonJudgeMissing:
		return "this registry wants a model to look, and none did"
	case review.ReasonTrial:
		return "its trial in the sandbox failed"
	case review.ReasonTrialPending:
		return "its trial in the sandbox has no result yet"
	}
	return "of a rule that this program has no words for"
}

// labelsOf are the labels that a verdict earns, all with our prefix.
func labelsOf(r *review.Review) []string {
	if r == nil {
		return []string{labelPrefix + "refused"}
	}
	var out []string
	switch r.Verdict {
	case review.Pass:
		out = append(out, labelPrefix+"pass")
	case review.NeedsHuman:
		out = append(out, labelPrefix+"needs-human")
	default:
		out = append(out, labelPrefix+"refused")
	}
	if r.New {
		out = append(out, labelPrefix+"new-name")
	}
	if len(r.Grown) > 0 {
		out = append(out, labelPrefix+"more-permissions")
	}
	if r.Merge.Reason == review.ReasonWaits {
		out = append(out, waitingLabel)
	}
	return out
}

// Labels of ours. Who may label can set them too, so none of them is believed;
// acceptLabel counts only together with who set it, and when.
const (
	labelPrefix  = "patch-git:"
	acceptLabel  = labelPrefix + "accept"
	waitingLabel = labelPrefix + "waiting"
	staleLabel   = labelPrefix + "stale"
)

// yes says a truth value.
func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// orNone lists words, or says that there are none.
func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// many counts things.
func many(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
