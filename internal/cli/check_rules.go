package cli

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// aRule is a rule of any room, as it is explained.
type aRule struct {
	ID       string            `json:"id"`
	Severity spec.Severity     `json:"severity"` // the highest it takes
	About    string            `json:"about"`    // manifest, release, pull request, installation
	What     string            `json:"what"`
	Why      string            `json:"why,omitempty"`
	Fix      string            `json:"fix"`
	Waiver   quarantine.Waiver `json:"waiver"`
}

// catalogue is every rule that a check can name, in the order of the ids. An id
// that two rooms have means the same in both.
func catalogue() []aRule {
	var all []aRule
	for _, r := range quarantine.Rules() {
		all = append(all, aRule{r.ID, r.Severity, "release", r.What, r.Why, r.Fix, r.Waiver})
	}
	for _, r := range manifest.Rules() {
		if !slices.ContainsFunc(all, func(a aRule) bool { return a.ID == r.ID }) {
			all = append(all, aRule{r.ID, r.Strict, "manifest", r.Means, "", r.Fix, quarantine.WaiverNone})
		}
	}
	for _, r := range review.Rules() {
		if !slices.ContainsFunc(all, func(a aRule) bool { return a.ID == r.ID }) {
			all = append(all, aRule{r.ID, r.Severity, "pull request", r.What, r.Why, r.Fix, quarantine.WaiverNone})
		}
	}
	for _, r := range consume.Rules() {
		all = append(all, aRule{r.ID, r.Severity, "installation", r.What, r.Why, r.Fix, quarantine.WaiverNone})
	}
	slices.SortFunc(all, func(a, b aRule) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// listRules answers check --list.
func (a *app) listRules() error {
	all := catalogue()
	if a.json {
		return a.out.document(map[string]any{"schema": 1, "rules": all})
	}
	var rows [][]string
	for _, r := range all {
		rows = append(rows, []string{r.ID, string(r.Severity), r.About, r.What})
	}
	a.out.table(rows)
	return nil
}

// explain answers check --explain.
func (a *app) explain(id string) error {
	all := catalogue()
	i := slices.IndexFunc(all, func(r aRule) bool { return strings.EqualFold(r.ID, id) })
	if i < 0 {
		return unknownRule(all, id)
	}
	r := all[i]
	example, err := quarantine.ExampleOf(r.ID)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	if a.json {
		return a.out.document(struct {
			Schema int `json:"schema"`
			aRule
			Notes string            `json:"notes,omitempty"`
			Cases []quarantine.Case `json:"cases,omitempty"`
		}{1, r, example.Notes, example.Cases})
	}
	a.out.printf("%s  %s\n\n", a.out.bold(r.ID), r.What)
	rows := [][]string{{"severity", string(r.Severity)}, {"about", "the " + r.About}}
	if r.Why != "" {
		rows = append(rows, []string{"why", r.Why})
	}
	rows = append(rows, []string{"fix", r.Fix}, []string{"waiver", waiverWords(r.Waiver)})
	a.out.table(rows)
	if example.Notes != "" {
		a.out.printf("\n%s\n", example.Notes)
	}
	for _, c := range example.Cases {
		title := a.out.green("not found")
		if c.Hit {
			title = a.out.red("found")
		}
		for i, change := range c.Changes {
			if i > 0 {
				title = "and"
			}
			a.out.printf("\n%s, %s:\n", title, safe(change.Where()))
			for line := range strings.Lines(change.Text) {
				a.out.printf("%s\n", strings.TrimRight("    "+safe(line), " \n"))
			}
		}
	}
	return nil
}

// waiverWords says who may let a finding pass.
func waiverWords(w quarantine.Waiver) string {
	switch w {
	case quarantine.WaiverAuthor:
		return "a maintainer, for these very bytes; but the author mends it in minutes"
	case quarantine.WaiverMaintainer:
		return "a maintainer, for these very bytes"
	case quarantine.WaiverDeclare:
		return "none is needed: what the manifest declares is no finding"
	}
	return "nobody"
}

// unknownRule names the ids that are closest to one that there is not.
func unknownRule(all []aRule, id string) error {
	err := fault.New(fault.NotFound, "no_rule", "there is no rule %s", spec.Quote(id))
	longest := 1 // letters that begin both
	var near []string
	for _, r := range all {
		switch n := common(r.ID, strings.ToUpper(id)); {
		case n > longest:
			longest, near = n, []string{r.ID}
		case n == longest:
			near = append(near, r.ID)
		}
	}
	for _, n := range near[:min(len(near), 3)] {
		err = err.Hint("patch-git check --explain %s", n)
	}
	return err.Hint("patch-git check --list")
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
