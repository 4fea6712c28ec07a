package review

import (
	"time"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Schema is the edition of [Review].
const Schema = "patch-git/review/v1"

// Review is review.json: what was found in a pull request and what follows
// from it. Everything in it that a stranger wrote is as they wrote it; who
// shows it escapes it.
type Review struct {
	Schema        string         `json:"schema"`
	Pull          int            `json:"pull"`
	Base          string         `json:"base"`
	Head          string         `json:"head"`
	Tree          string         `json:"tree,omitempty"` // commit of the base that it was judged against; "" is unknown
	Author        ledger.Owner   `json:"author"`
	Kind          Kind           `json:"kind"`
	Name          spec.Name      `json:"name,omitempty"`
	Version       spec.Version   `json:"version,omitempty"`
	Previous      spec.Version   `json:"previous,omitempty"` // that it is compared with
	New           bool           `json:"new"`                // the name is
	Tool          *spec.Tool     `json:"tool,omitempty"`     // nil where the manifest is not readable
	Owners        []ledger.Owner `json:"owners,omitempty"`   // of the base; of a new name, those it brings
	Grown         []string       `json:"grown,omitempty"`    // permissions beyond the previous version, one line each
	Was           *spec.Tool     `json:"was,omitempty"`      // of the previous version
	Meta          []string       `json:"meta,omitempty"`     // what changes in tool.yaml, one line each
	Diff          string         `json:"diff,omitempty"`     // unified, of the sources
	DiffCut       bool           `json:"diff_cut,omitempty"`
	Near          []Near         `json:"near,omitempty"`
	Files         int            `json:"files"`
	Bytes         int64          `json:"bytes"`
	Findings      []spec.Finding `json:"findings"`
	Unchecked     []string       `json:"unchecked,omitempty"`
	Verdict       Verdict        `json:"verdict"`
	Cleared       bool           `json:"cleared"` // a maintainer wrote or approved this head, so that nothing needs another person
	Merge         Merge          `json:"merge"`
	NeedsModel    bool           `json:"needs_model"`           // text or code changed, so a model has to look where the policy wants it
	JudgeRequired bool           `json:"judge_required"`        // the policy wants it
	Maintainers   []ledger.Owner `json:"maintainers,omitempty"` // by the policy
	UpdatesPerDay int            `json:"updates_per_day"`       // by the policy
}

// Folder is where the files of the version are, "" where it is about none.
func (r *Review) Folder() string { return versionDir(r.Name, r.Version) }

// Kind is what a pull request is about.
type Kind string

// Kinds of pull request. The zero value is none of them.
const (
	KindRelease    Kind = "release"    // one new version
	KindMeta       Kind = "meta"       // tool.yaml of one name
	KindGovernance Kind = "governance" // registry.yaml, workflows, documents: nothing of tools/
	KindMixed      Kind = "mixed"      // refused
	KindEmpty      Kind = "empty"      // refused
)

// Verdict is the outcome of a check.
type Verdict string

// Verdicts, from best to worst. Anything else, the zero value too, is a no.
const (
	Pass       Verdict = "pass"
	NeedsHuman Verdict = "needs_human"
	Fail       Verdict = "fail"
)

// Near is a name of somebody else that is close to the proposed one.
type Near struct {
	Name  spec.Name `json:"name"`
	Owner string    `json:"owner"` // login
}

// Merge says whether the pull request is merged without a person, and why.
type Merge struct {
	Auto bool `json:"auto"` // now
	// After is not before when: of a new name, when it is merged without a
	// person if nobody objects; of a transfer, until when it should stand open.
	After  *time.Time `json:"after,omitempty"`
	Reason Reason     `json:"reason"`
}

// Reason is why something is merged by itself or is not: a code, for which the
// comment has words.
type Reason string

// Why something is merged without a person.
const (
	ReasonUpdate     Reason = "update"          // by an owner, and it asks for no more than before
	ReasonWithdrawal Reason = "withdrawal"      // yanked or revoked by an owner or a maintainer
	ReasonWaited     Reason = "new_name_waited" // a new name, and nobody objected in time
)

// Why something is not.
const (
	ReasonFindings     Reason = "findings"       // there are errors
	ReasonDraft        Reason = "draft"          // it is not finished, says its author
	ReasonHeld         Reason = "held"           // it has the label [HoldLabel]
	ReasonObjection    Reason = "objection"      // somebody asks for changes
	ReasonGovernance   Reason = "governance"     // it changes how the registry works
	ReasonTransfer     Reason = "transfer"       // it changes the owners
	ReasonMeta         Reason = "meta"           // it changes tool.yaml in another way than to withdraw a version
	ReasonGrown        Reason = "grown"          // it asks for more than the version before
	ReasonNearName     Reason = "near_name"      // the name is close to another one
	ReasonWarnings     Reason = "warnings"       // a finding needs a person
	ReasonUnchecked    Reason = "unchecked"      // something could not be checked
	ReasonNotOwner     Reason = "not_owner"      // an owner only approved it
	ReasonOff          Reason = "off"            // the policy lets nothing be merged without a person
	ReasonNewName      Reason = "new_name"       // and the policy lets no new name be
	ReasonWaits        Reason = "new_name_waits" // until Merge.After
	ReasonTooMany      Reason = "too_many"       // as many of this author as the policy lets
	ReasonUncounted    Reason = "uncounted"      // nobody told how many there were
	ReasonJudge        Reason = "judge"          // the model objects or is not sure
	ReasonJudgeMissing Reason = "judge_missing"  // the policy wants a model to look, and none did
	ReasonTrial        Reason = "trial"          // the trial failed
	ReasonTrialPending Reason = "trial_pending"  // the trial has not ended
	ReasonMoved        Reason = "moved"          // the base is another by now, or nobody knows
	ReasonRival        Reason = "rival"          // an older pull request waits with a name close to this one
)
