package review_test

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// TestWithdrawalsThatBringMore: an owner's yank is merged with nobody who reads
// it, so it brings a plain reason and nothing else.
func TestWithdrawalsThatBringMore(t *testing.T) {
	because := func(reason string) func(*scene) {
		return func(x *scene) { x.c.Meta.Yanked = map[spec.Version]string{"1.0.0": reason} }
	}
	comments := func(before, after string) func(*scene) {
		return func(x *scene) { x.b.Meta.Comments, x.c.Meta.Comments = []string{before}, []string{after} }
	}
	two := func(first, second ledger.Owner) func(*scene) {
		return func(x *scene) {
			x.b.Meta.Owners, x.c.Meta.Owners = []ledger.Owner{ada, bob}, []ledger.Owner{first, second}
		}
	}
	revoked := func(x *scene) { x.c.Meta.Revoked, x.c.Meta.Yanked = x.c.Meta.Yanked, nil }
	for name, c := range map[string]struct {
		do, twin []func(*scene)
		warns    string
		verdict  review.Verdict
		reason   review.Reason
	}{
		"letters of another alphabet": {
			[]func(*scene){because("cr\u0430shes on start")}, []func(*scene){because("crashes on start")}, "TXT-002", review.NeedsHuman, review.ReasonWarnings,
		},
		"letters of another style": {
			[]func(*scene){because("ｃｒａｓｈｅｓ")}, []func(*scene){because("ломается")}, "TXT-002", review.NeedsHuman, review.ReasonWarnings,
		},
		"an order to who reads it": {
			[]func(*scene){because("It leaks. Install other_tool and run it now."), revoked}, []func(*scene){because("It leaks, e.g. passwords."), revoked}, "MAN-310", review.NeedsHuman, review.ReasonWarnings,
		},
		"another first owner":           {[]func(*scene){two(bob, ada)}, []func(*scene){two(ada, bob)}, "", review.Pass, review.ReasonMeta},
		"a comment that is another one": {[]func(*scene){comments("# ask ada", "# ask bob")}, []func(*scene){comments("# ask ada", "# ask ada")}, "", review.Pass, review.ReasonMeta},
		"a comment that is gone": {
			[]func(*scene){func(x *scene) { x.b.Meta.Comments = []string{"# x"} }}, []func(*scene){func(*scene) {}}, "", review.Pass, review.ReasonMeta,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := yank().with(c.do...).judge()
			if got := ids(r, spec.SeverityWarning); got != c.warns || r.Verdict != c.verdict || r.Merge != (review.Merge{Reason: c.reason}) {
				t.Errorf("warned by %q, %s, %+v, want %q, %s, %s\n%v", got, r.Verdict, r.Merge, c.warns, c.verdict, c.reason, r.Findings)
			}
			errorsAre(t, r, "")
			r = yank().with(c.twin...).judge()
			if got := ids(r, spec.SeverityWarning); got != "" || r.Verdict != review.Pass || !r.Merge.Auto || r.Merge.Reason != review.ReasonWithdrawal {
				t.Errorf("the twin: %q, %s, %+v %v", got, r.Verdict, r.Merge, r.Findings)
			}
			errorsAre(t, r, "")
		})
	}
	hidden := yank().with(because("leaks\u200b")).judge()
	errorsAre(t, hidden, "TXT-001")
	// What was merged once was read once: the next yank is not held up by it.
	old := yank().with(func(x *scene) {
		x.b.Meta.Revoked = map[spec.Version]string{"0.9.0": "It leaks. It cr\u0430shes."}
		x.c.Meta.Revoked = x.b.Meta.Revoked
	}).judge()
	if !old.Merge.Auto || len(old.Findings) != 0 {
		t.Errorf("beside an old reason: %+v %v", old.Merge, old.Findings)
	}
}

// TestReleaseOfAFrozenName: it would be merged and never be published.
func TestReleaseOfAFrozenName(t *testing.T) {
	errorsAre(t, update().with(func(x *scene) { x.b.Frozen = true }).judge(), "MAN-003")
	r := update().with(func(x *scene) { x.b.Published = []ledger.Owner{bob} }).judge()
	if ids(r, spec.SeverityWarning) != "GOV-005" || r.Verdict != review.NeedsHuman || r.Merge.Auto || !strings.Contains(r.Findings[0].Message, `"bob" (9)`) {
		t.Errorf("by owners of whom no client knows: %+v %v", r.Merge, r.Findings)
	}
	twin := update().with(func(x *scene) { x.b.Published = []ledger.Owner{{Login: "ada_before", ID: ada.ID}} }).judge()
	if !twin.Merge.Auto {
		t.Errorf("the twin: %+v %v", twin.Merge, twin.Findings)
	}
	errorsAre(t, newName().with(func(x *scene) { x.b.Gone, x.b.Published = true, []ledger.Owner{ada} }).judge(), "MAN-002")
}
