package action

import (
	"context"
	"fmt"
	"slices"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
)

// nightly is what the rescan hands to the job that may write.
type nightly struct {
	Schema  string             `json:"schema"`
	Rescan  *contribute.Rescan `json:"rescan"`
	More    int                `json:"more"` // versions that would be refused, beside those of Rescan
	Reviews []*review.Review   `json:"reviews"`
	Left    int                `json:"left"` // pull requests that waited and were not reviewed
}

const nightlySchema = "patch-git/nightly/v1"

// rescan checks all published tools by the rules of today, and reviews again
// what waits for its time. What it found of the tools is written down before the
// first pull request is read: however many strangers open, and however large,
// they cannot keep a registry from being looked after.
func (j *job) rescan(ctx context.Context, a *answer) error {
	found, err := j.workshop.Rescan(ctx, j.in)
	if err != nil {
		return err
	}
	bad := len(found.Bad)
	doc := nightly{Schema: nightlySchema, Rescan: told(found), More: bad - len(found.Bad), Reviews: []*review.Review{}}
	if err := j.keep(nightlyFile, doc); err != nil {
		return err
	}
	pulls, err := j.hub.Pulls(ctx, j.repo)
	if err != nil {
		return err
	}
	each := map[int64]int{}
	size := len(ledger.Encode(doc))
	for _, p := range pulls { // the oldest first
		if !waits(p) || p.Base.Branch != mainBranch {
			continue
		}
		if each[p.Author.ID]++; each[p.Author.ID] > limits.WaitingEach || len(doc.Reviews) >= limits.Waiting {
			doc.Left++
			continue
		}
		_, r, err := j.review(ctx, p)
		if fault.KindOf(err) == fault.Interrupted && err != nil {
			return err
		}
		if err != nil { // one that cannot be read must not keep the others waiting
			j.say(fmt.Sprintf("#%d could not be reviewed again: %s", p.Number, err))
			continue
		}
		// What is long is in the comment already, and nothing is decided by it.
		r.Tool, r.Was, r.Diff, r.DiffCut = nil, nil, "", false
		if size += len(r.Encode()); size > limits.Review {
			size -= len(r.Encode())
			doc.Left++
			continue
		}
		doc.Reviews = append(doc.Reviews, r)
	}
	a.Line = fmt.Sprintf("%d versions are checked again, %d of them would be refused; %d pull requests waited, and %d others are left for another night", found.Versions, bad, len(doc.Reviews), doc.Left)
	return j.keep(nightlyFile, doc)
}

// told keeps of a rescan what a night can tell of.
func told(found *contribute.Rescan) *contribute.Rescan {
	found.Bad = found.Bad[:min(len(found.Bad), limits.RescanBad)]
	for i := range found.Bad {
		f := &found.Bad[i].Findings
		*f = (*f)[:min(len(*f), limits.RescanTold)]
	}
	found.Unknown = found.Unknown[:min(len(found.Unknown), limits.RescanBad)]
	found.Tree = found.Tree[:min(len(found.Tree), limits.RescanBad)]
	return found
}

// waits tells whether a pull request may have waited for its time. Who may label
// can make it look so; it is reviewed again, and that is all.
func waits(p github.Pull) bool { return !p.Draft && slices.Contains(p.Labels, waitingLabel) }
