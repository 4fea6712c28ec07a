package contribute

import (
	"fmt"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// waivers reads what maintainers of a registry let pass of a name today. What
// cannot be read lets nothing pass, and is told.
func (w *Workshop) waivers(tree *registry.Tree, n spec.Name) (all []spec.Waiver, unread []spec.Finding, err error) {
	given, err := tree.Waivers(n)
	if broken(err) {
		return nil, []spec.Finding{{
			ID: "GOV-011", Severity: spec.SeverityError, File: registry.WaiversPath(n), Message: err.Error(), Fix: "mend the file, or remove it",
		}}, nil
	}
	for _, one := range given {
		if one.Holds(w.host.Now()) {
			all = append(all, one)
		}
	}
	return all, nil, err
}

// proposedWaivers reads what a pull request wants to let pass, beside what the
// tree has.
func (w *Workshop) proposedWaivers(tree *registry.Tree, o *review.Outline) (map[string]review.Waivers, error) {
	out := map[string]review.Waivers{}
	for _, c := range o.Waivers {
		if c.Status == review.Removed || c.Data == nil {
			continue
		}
		var r review.Waivers
		n, known := registry.WaiversOf(c.Path)
		if !known {
			out[c.Path] = review.Waivers{Err: fault.New(fault.Findings, "waiver", "it is not the file of a name")}
			continue
		}
		had, err := tree.Waivers(n)
		if err != nil && !broken(err) {
			return nil, err
		}
		all, err := registry.ParseWaivers(c.Path, c.Data)
		for _, one := range all {
			if err == nil && !slices.Contains(had, one) {
				err = w.mayWaive(&one)
				r.Approvers = append(r.Approvers, ledger.Owner{Login: one.Approver, ID: one.ApproverID})
			}
		}
		r.Err = err
		out[c.Path] = r
	}
	return out, nil
}

// mayWaive tells whether a new waiver may be given at all.
func (w *Workshop) mayWaive(one *spec.Waiver) error {
	since, err := one.Since.Time()
	switch {
	case err != nil:
		return err
	case !quarantine.Waivable(one.Rule):
		return fmt.Errorf("nobody may waive %s", spec.Quote(one.Rule))
	case since.After(w.host.Now().Add(24 * time.Hour)):
		// One after the other they would last for ever, after one look.
		return fmt.Errorf("the waiver of %s begins on %s, which is later than today", spec.Quote(one.Rule), one.Since)
	}
	return nil
}
