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
	Schema     string         `json:"schema"`
	Pull       int            `json:"pull"`
	Base       string         `json:"base"`
	Head       string         `json:"head"`
	Author     ledger.Owner   `json:"author"`
	Kind       Kind           `json:"kind"`
	Name       spec.Name      `json:"name,omitempty"`
	Version    spec.Version   `json:"version,omitempty"`
	Previous   spec.Version   `json:"previous,omitempty"` // that it is compared with
	New        bool           `json:"new"`                // the name is
	Tool       *spec.Tool     `json:"tool,omitempty"`     // nil where the manifest is not readable
	Owners     []ledger.Owner `json:"owners,omitempty"`
	Grown      []string       `json:"grown,omitempty"` // permissions beyond the previous version, one line each
	Was        *spec.Tool     `json:"was,omitempty"`   // of the previous version
	Diff       string         `json:"diff,omitempty"`  // unified, of the sources
	DiffCut    bool           `json:"diff_cut,omitempty"`
	Near       []Near         `json:"near,omitempty"`
	Files      int            `json:"files"`
	Bytes      int64          `json:"bytes"`
	Findings   []spec.Finding `json:"findings"`
	Unchecked  []string       `json:"unchecked,omitempty"`
	Verdict    Verdict        `json:"verdict"`
	Merge      Merge          `json:"merge"`
	NeedsModel bool           `json:"needs_model"` // text or code changed, so a model has to look where the policy wants it
}

// Kind is what a pull request is about.
type Kind string

// Kinds of pull request. The zero value is none of them.
const (
	KindRelease    Kind = "release"    // one new version
	KindMeta       Kind = "meta"       // tool.yaml of one name
	KindGovernance Kind = "governance" // registry.yaml, workflows, documents: nothing of tools/
	KindMixed      Kind = "mixed"      // refused
	KindEmpty      Kind = "empty"
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
	Auto   bool       `json:"auto"`
	After  *time.Time `json:"after,omitempty"` // not before
	Reason Reason     `json:"reason"`
}

// Reason is why something is merged by itself or is not: a code, for which the
// comment has words.
type Reason string
