package review_test

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// TestLinear: a release or a tool.yaml with a merge among its commits is refused,
// and so is one whose commits nobody looked at; a change of how the registry works
// is merged by a person.
func TestLinear(t *testing.T) {
	for name, of := range map[string]func() *scene{"an update": update, "a new name": newName, "a yank": yank} {
		t.Run(name, func(t *testing.T) {
			errorsAre(t, of().judge(), "")
			r := of().with(func(x *scene) { x.s.Linear = false }).judge()
			errorsAre(t, r, "GOV-010")
			if r.Merge.Auto || len(r.Findings) == 0 || !strings.HasPrefix(r.Findings[0].Fix, "rebase onto main") {
				t.Errorf("%+v", r)
			}
		})
	}
	errorsAre(t, rules().with(func(x *scene) { x.s.Linear = false }).judge(), "")
}

// TestLate: what is said at the last moment, and what does not matter.
func TestLate(t *testing.T) {
	object := func(a review.Approval) func(*review.Submission) {
		return func(s *review.Submission) { s.Objections = []review.Approval{a} }
	}
	merged := func(n int) func(*review.Submission) { return func(s *review.Submission) { s.Merged = &n } }
	for name, c := range map[string]struct {
		of   func() *scene
		but  func(*review.Submission)
		want review.Reason
	}{
		"nothing":                     {update, func(*review.Submission) {}, ""},
		"a yank":                      {yank, func(*review.Submission) {}, ""},
		"another label":               {update, func(s *review.Submission) { s.Labels = []string{"holder"} }, ""},
		"a stranger objects":          {update, object(review.Approval{By: bob}), ""},
		"the last of the day":         {update, merged(9), ""},
		"a yank that nobody counted":  {yank, func(s *review.Submission) { s.Merged = nil }, ""},
		"a draft":                     {update, func(s *review.Submission) { s.Draft = true }, review.ReasonDraft},
		"held":                        {update, func(s *review.Submission) { s.Labels = []string{" HOLD "} }, review.ReasonHeld},
		"a yank that is held":         {yank, func(s *review.Submission) { s.Labels = []string{"hold"} }, review.ReasonHeld},
		"who may write objects":       {update, object(review.Approval{By: bob, Maintainer: true}), review.ReasonObjection},
		"a maintainer objects":        {update, object(review.Approval{By: root}), review.ReasonObjection},
		"an owner objects":            {update, object(review.Approval{By: ada}), review.ReasonObjection},
		"somebody else's by now":      {update, func(s *review.Submission) { s.Author = pretend }, review.ReasonNotOwner},
		"nobody's":                    {update, func(s *review.Submission) { s.Author = ledger.Owner{} }, review.ReasonNotOwner},
		"nobody counted":              {update, func(s *review.Submission) { s.Merged = nil }, review.ReasonUncounted},
		"too many":                    {update, merged(10), review.ReasonTooMany},
		"less than none":              {update, merged(-1), review.ReasonTooMany},
		"a name of whom many came":    {newName, merged(10), review.ReasonTooMany},
		"a yank of who may no longer": {func() *scene { return yank().with(from(bob), func(x *scene) { x.s.Maintainer = true }) }, func(s *review.Submission) { s.Maintainer = false }, review.ReasonNotOwner},
		"a yank of who still may":     {func() *scene { return yank().with(from(bob), func(x *scene) { x.s.Maintainer = true }) }, func(*review.Submission) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			x := c.of()
			r := x.judge()
			if !r.Merge.Auto || r.Tree != treeSHA {
				t.Fatalf("%+v", r)
			}
			now := x.s
			c.but(&now)
			if got := r.Late(&now); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	// What was not to be merged has its own reason.
	x := update().with(finding("TXT-004", spec.SeverityWarning))
	now := x.s
	now.Draft = true
	if got := x.judge().Late(&now); got != "" {
		t.Errorf("%q", got)
	}
}
