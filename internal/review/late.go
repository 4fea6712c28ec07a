package review

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/ledger"
)

// Late tells why what was to be merged by itself must not be any more, by what
// is said at the last moment: a review is minutes or hours old by then. now has
// the state and the people of the pull request of that moment, and no changes;
// that the head and the base are the same is for the caller to see. "" is that
// nothing changed, or that it was not to be merged by itself in the first place.
func (r *Review) Late(now *Submission) Reason {
	maintains := now.Maintainer || owns(r.Maintainers, now.Author)
	switch {
	case !r.Merge.Auto:
		return ""
	case now.Draft:
		return ReasonDraft
	case held(now.Labels):
		return ReasonHeld
	case slices.ContainsFunc(now.Objections, func(a Approval) bool { return a.weighs(r.Maintainers, r.Owners) }):
		return ReasonObjection
	case now.Author.ID <= 0 || now.Author.ID != r.Author.ID:
		return ReasonNotOwner
	case r.Kind == KindMeta && !maintains && !owns(r.Owners, now.Author):
		return ReasonNotOwner // was a maintainer before
	case r.Kind != KindRelease:
		return ""
	case now.Merged == nil:
		return ReasonUncounted
	case *now.Merged < 0 || *now.Merged >= r.UpdatesPerDay:
		return ReasonTooMany
	}
	return ""
}

// held tells whether a pull request has [HoldLabel], in any spelling.
func held(labels []string) bool {
	return slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(strings.TrimSpace(l), HoldLabel) })
}

// weighs tells whether the word of somebody counts: of who may write to the
// registry, of a maintainer by its policy, or of an owner.
func (a Approval) weighs(maintainers, owners []ledger.Owner) bool {
	return a.Maintainer || owns(maintainers, a.By) || owns(owners, a.By)
}
