package cli

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/spec"
)

// rehearsed is what a registry would make of a pull request of a checked file.
type rehearsed struct {
	New       bool           `json:"new"`
	Previous  spec.Version   `json:"previous,omitempty"`
	Grown     []string       `json:"grown"`
	Near      []review.Near  `json:"near"`
	Unchecked []string       `json:"unchecked,omitempty"`
	Verdict   review.Verdict `json:"verdict"`
	Merge     review.Merge   `json:"merge"`
}

func rehearsal(r *review.Review) *rehearsed {
	out := &rehearsed{New: r.New, Previous: r.Previous, Grown: r.Grown, Near: r.Near, Unchecked: r.Unchecked, Verdict: r.Verdict, Merge: r.Merge}
	if out.Grown == nil {
		out.Grown = []string{}
	}
	if out.Near == nil {
		out.Near = []review.Near{}
	}
	return out
}

// printRehearsed says what would become of the pull request.
func (a *app) printRehearsed(r *rehearsed) {
	if r.Previous != "" {
		a.out.printf("  after      %s\n", r.Previous)
	}
	for _, g := range r.Grown {
		a.out.printf("  asks more  %s\n", safe(g))
	}
	var near []string
	for _, n := range r.Near {
		near = append(near, string(n.Name)+" ("+safe(n.Owner)+")")
	}
	if near != nil {
		a.out.printf("  close to   %s\n", strings.Join(near, ", "))
	}
	for _, u := range r.Unchecked {
		a.out.printf("  unchecked  %s\n", safe(u))
	}
	switch {
	case r.Merge.Auto:
		a.out.printf("  merged     without a person, proposed by an owner\n")
	case r.Merge.After != nil:
		a.out.printf("  merged     without a person after a wait, if nobody objects\n")
	default:
		a.out.printf("  merged     by a maintainer: %s\n", r.Merge.Reason)
	}
}
