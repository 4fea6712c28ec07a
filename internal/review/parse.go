package review

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Encode returns the canonical bytes of the review, as in review.json.
func (r *Review) Encode() []byte { return ledger.Encode(r) }

// Parse reads review.json. It is written by one job and read by another, so it
// is only taken in the very bytes that [Review.Encode] writes, and only if it
// says one thing: what has errors does not pass, and what does not pass is not
// merged. Anything else is NotVerified "review".
func Parse(data []byte) (*Review, error) {
	if len(data) > limits.Review {
		return nil, fault.New(fault.NotVerified, "review", "review.json has %d bytes, allowed are %d", len(data), limits.Review)
	}
	r := &Review{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fault.New(fault.NotVerified, "review", "review.json is not readable: %s", spec.Quote(err.Error()))
	}
	if !bytes.Equal(r.Encode(), data) {
		return nil, fault.New(fault.NotVerified, "review", "review.json is not in canonical form")
	}
	if what := r.wrong(); what != "" {
		return nil, fault.New(fault.NotVerified, "review", "review.json %s", what)
	}
	return r, nil
}

// wrong tells what a review says that no review can, "" where nothing is.
func (r *Review) wrong() string {
	severity := []spec.Severity{spec.SeverityError, spec.SeverityWarning, spec.SeverityNote}
	auto := []Reason{ReasonUpdate, ReasonWithdrawal, ReasonWaited}
	switch {
	case r.Schema != Schema:
		return "has schema " + spec.Quote(r.Schema) + ", this program reads " + Schema
	case r.Pull < 0 || r.Author.ID < 0 || r.Files < 0 || r.Bytes < 0:
		return "counts below zero"
	case !isCommit(r.Base) || !isCommit(r.Head):
		return "is not about two commits"
	case !slices.Contains([]Kind{KindRelease, KindMeta, KindGovernance, KindMixed, KindEmpty}, r.Kind):
		return "is about " + spec.Quote(string(r.Kind))
	case r.Verdict != Pass && r.Verdict != NeedsHuman && r.Verdict != Fail:
		return "has the verdict " + spec.Quote(string(r.Verdict))
	case r.Findings == nil:
		return "has no list of findings"
	case slices.ContainsFunc(r.Findings, func(f spec.Finding) bool { return !slices.Contains(severity, f.Severity) || f.ID == "" }):
		return "has a finding of no known severity"
	case r.Verdict != Fail && spec.Blocking(r.Findings):
		return "passes what has errors"
	case r.Verdict == NeedsHuman && r.Cleared:
		return "needs a person who was there"
	case r.Merge.Reason == "":
		return "gives no reason"
	case r.Merge.Auto != slices.Contains(auto, r.Merge.Reason):
		return "merges because of " + spec.Quote(string(r.Merge.Reason))
	case r.Merge.Auto && (r.Verdict != Pass || r.Author.ID == 0 || r.Kind != KindRelease && r.Kind != KindMeta):
		return "merges what did not pass"
	}
	return ""
}

// isCommit tells whether s is a commit's name, SHA-1 or SHA-256 in lower case.
func isCommit(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
