package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/review"
)

// nightly looks after the registry with what the rescan found. Each thing is
// done whether or not the others could be; the gravest error is the answer.
func (j *job) nightly(ctx context.Context, a *answer) error {
	if err := j.only("schedule", "workflow_dispatch"); err != nil {
		return err
	}
	if err := j.connect(); err != nil {
		return err
	}
	n := night{job: j}
	var doc nightly
	if j.take(nightlyFile, &doc) && doc.Schema == nightlySchema && doc.Rescan != nil {
		n.propose(ctx, doc.Rescan, doc.More)
		n.ripen(ctx, doc.Reviews)
		if doc.Left > 0 {
			n.note("%d others that wait are left for another night.", doc.Left)
		}
	} else {
		n.note("The rescan did not finish, so nobody knows whether all tools are still fit.")
		n.errs = append(n.errs, fault.New(fault.Unavailable, "no_rescan", "there is no rescan that can be read"))
	}
	n.stale(ctx)
	n.refresh(ctx)
	a.Line = strings.Join(n.notes, " ")
	err := j.summary("### The night\n\n- " + strings.Join(n.notes, "\n- ") + "\n")
	return errors.Join(append(n.errs, err)...)
}

// night is one run, with what it did in our words.
type night struct {
	*job

	notes []string
	errs  []error
}

func (n *night) note(format string, args ...any) {
	n.notes = append(n.notes, fmt.Sprintf(format, args...))
}

func (n *night) failed(what string, err error) {
	n.say(what + ": " + err.Error())
	n.note("Not everything was possible: %s. The log tells why.", what)
	n.errs = append(n.errs, err)
}

// propose opens an issue for each version that would be refused today; more is
// how many there are beside those that are told of.
func (n *night) propose(ctx context.Context, found *contribute.Rescan, more int) {
	opened := 0
	for _, bad := range found.Bad {
		if opened == limits.Proposals {
			n.note("More than %d tools would be refused; the others follow tomorrow.", limits.Proposals)
			break
		}
		ref := string(bad.Name) + "@" + string(bad.Version)
		marker := "patch-git:rescan/" + strings.ReplaceAll(strings.ReplaceAll(ref, "+", "_"), "@", "/")
		title := fmt.Sprintf("Yank %s? The rules of today would refuse it", ref)
		if _, err := n.hub.Issue(ctx, n.repo, strings.ReplaceAll(marker, "--", "-."), title, proposal(bad, found.Rules), []string{labelPrefix + "rescan"}); err != nil {
			n.failed("an issue about a tool could not be opened", err)
			return
		}
		opened++
	}
	n.note("%d versions were checked again by the rules %d; %d would be refused, %d could not be judged.", found.Versions, found.Rules, len(found.Bad)+more, len(found.Unknown))
	if len(found.Tree) > 0 {
		n.note("%d files of the tree are where a registry has nothing.", len(found.Tree))
	}
}

// proposal is the body of an issue that proposes to yank a version.
func proposal(bad contribute.Rescanned, rules int) string {
	ref := span(string(bad.Name) + "@" + string(bad.Version))
	r := &review.Review{Findings: bad.Findings}
	return fmt.Sprintf("The nightly check by the rules %d would refuse %s, which was accepted by earlier ones. "+
		"Nothing was withdrawn: that is for its owner or a maintainer to do, by `patch-git yank` or, for malware, `patch-git revoke`. "+
		"This issue is brought up to date every night while it is open.\n\n%s", rules, ref, findings(r, commentBytes-1024))
}

// ripen reports again on what waited for its time, and merges it where that has
// come. All of it was reviewed against one tree and one count, so of one author
// one is merged, and of two names that are close the older one goes first; the
// other is reviewed again when the first is in the tree.
func (n *night) ripen(ctx context.Context, reviews []*review.Review) {
	merged := map[int64]bool{}
	slices.SortStableFunc(reviews, func(a, b *review.Review) int { return cmp.Compare(pullOf(a), pullOf(b)) })
	for i, r := range reviews {
		if r == nil {
			continue
		}
		if _, err := review.Parse(r.Encode()); err != nil {
			n.failed("the review of a pull request that waited is none", err)
			continue
		}
		p, err := n.hub.Pull(ctx, n.repo, r.Pull)
		if err != nil {
			n.failed("a pull request that waited could not be read", err)
			continue
		}
		if p.State != "open" || p.Head.SHA != r.Head || p.Base.Branch != mainBranch {
			continue // its own run is about the new head
		}
		trial, err := n.trialOf(ctx, r, false)
		if err != nil {
			n.failed("the trial of a pull request could not be read", err)
			continue
		}
		model, err := n.remembered(ctx, r)
		if err != nil {
			n.failed("what a model said of a pull request could not be read", err)
			continue
		}
		r = r.With(model, trial)
		switch {
		case r.Verdict == review.Pass && r.Merge.Reason == review.ReasonWaits:
			continue // nothing new, and its comment says more than this review does
		case r.Merge.Auto && merged[r.Author.ID]:
			r.Merge = review.Merge{Reason: review.ReasonTooMany}
		case r.Merge.Auto && slices.ContainsFunc(reviews[:i], func(older *review.Review) bool { return rivals(older, r) }):
			r.Merge = review.Merge{Reason: review.ReasonRival}
		}
		var a answer
		err = n.settle(ctx, p, r, nil, &a)
		if err != nil && a.Conclusion == "" || fault.KindOf(err) == fault.Unavailable && err != nil {
			n.failed("a pull request that waited could not be reported on", err)
		}
		if a.Merged != "" {
			merged[r.Author.ID] = true
		}
	}
	n.note("%d pull requests waited for their time, %d were merged.", len(reviews), len(merged))
}

func pullOf(r *review.Review) int {
	if r == nil {
		return 0
	}
	return r.Pull
}

// rivals tells whether an older pull request proposes a new name that is close
// to that of a newer one, and is not refused.
func rivals(older, newer *review.Review) bool {
	return older != nil && older.New && older.Verdict != review.Fail && older.Name != "" && concerns(older.Name, newer)
}

// staleMarker finds the comment that says that nothing moves.
const staleMarker = "patch-git:stale"

// stale speaks to pull requests on which nothing moved for long, and closes those
// that it spoke to. The label is what it remembers by; whoever works on the pull
// request takes it off, because the next report has labels of its own.
func (n *night) stale(ctx context.Context) {
	pulls, err := n.hub.Pulls(ctx, n.repo)
	if err != nil {
		n.failed("the open pull requests could not be listed", err)
		return
	}
	spoken, closed := 0, 0
	for _, p := range pulls {
		still := n.host.Now().Sub(p.Updated)
		known := slices.Contains(p.Labels, staleLabel)
		moved := false
		if known {
			moved, err = n.moves(ctx, p)
		}
		switch {
		case err != nil:
		case moved:
			err = n.label(ctx, p)
		case known && still >= limits.StaleClose:
			err = n.hub.Close(ctx, n.repo, p.Number)
			closed++
		case !known && still >= limits.StaleAfter:
			err = n.speak(ctx, p)
			spoken++
		}
		if err != nil {
			n.failed("a pull request on which nothing moves could not be spoken to", err)
			return
		}
	}
	n.note("%d pull requests on which nothing moves were spoken to, %d closed.", spoken, closed)
}

func (n *night) speak(ctx context.Context, p github.Pull) error {
	// The day makes a second time another text, so that the time of the comment is
	// that of the last time.
	body := fmt.Sprintf("Nothing moved here for %d days (%s). Without a push or a word it is closed in %d more; it can be opened again at any time.\n",
		int(limits.StaleAfter.Hours()/24), n.host.Now().UTC().Format(time.DateOnly), int(limits.StaleClose.Hours()/24))
	if _, err := n.hub.Sticky(ctx, n.repo, p.Number, staleMarker, body); err != nil {
		return err
	}
	return n.label(ctx, p, staleLabel)
}

// moves tells whether somebody did something after the pull request was spoken
// to. The label, which is a change too, comes right after the words.
func (n *night) moves(ctx context.Context, p github.Pull) (bool, error) {
	said, err := n.hub.Said(ctx, n.repo, p.Number, staleMarker)
	return !said.IsZero() && p.Updated.Sub(said) > staleSlack, err
}

// staleSlack is how long after its words the label may have come.
const staleSlack = 10 * time.Minute

// label gives a pull request the labels of ours that it has, and of staleLabel
// what is asked for.
func (n *night) label(ctx context.Context, p github.Pull, want ...string) error {
	for _, l := range p.Labels {
		if strings.HasPrefix(l, labelPrefix) && l != staleLabel {
			want = append(want, l)
		}
	}
	return n.hub.Labels(ctx, n.repo, p.Number, labelPrefix, want)
}

// refresh lets the head be signed anew, by the workflow that may.
func (n *night) refresh(ctx context.Context) {
	if n.publishes {
		n.note("The workflow `publish` runs for what was merged, and signs the head anew.")
		return
	}
	run, err := n.hub.Rerun(ctx, n.repo, publishFile)
	switch {
	case err == nil:
		n.note("The workflow `publish` runs again and signs the head anew, if it is old.")
		n.say("publish runs again: " + run.URL)
	case fault.KindOf(err) == fault.NotFound:
		n.note("No run of the workflow `publish` can be started again, so the head grows old: push a commit to main.")
		n.errs = append(n.errs, err)
	default:
		n.failed("the workflow `publish` could not be started again", err)
	}
}
