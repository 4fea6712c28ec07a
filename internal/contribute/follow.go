package contribute

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/spec"
)

// CheckName is the check that a registry's workflow sets on a pull request.
const CheckName = "patch-git"

// checkApp is who sets it: a workflow with the repository's own token. A check
// of the same name by anybody else is somebody else's.
const checkApp = "github-actions"

// Stage is how far a pull request has come.
type Stage string

// The stages, in their order; the last four end the following.
const (
	StageWaiting  Stage = "waiting" // for the check to begin
	StageChecking Stage = "checking"
	StagePassed   Stage = "passed"   // and not merged yet
	StageMerged   Stage = "merged"   // and not published yet
	StagePullable Stage = "pullable" // clients read it
	StageRefused  Stage = "refused"  // the check says no
	StageHuman    Stage = "needs_maintainer"
	StageClosed   Stage = "closed" // without being merged
)

// FollowOptions bound the following of a pull request.
type FollowOptions struct {
	// Reader makes a reader that has read nothing yet: what is published is read
	// anew each time, as a client that starts would.
	Reader func() (Reader, error)
	Every  time.Duration                              // between two looks
	Most   time.Duration                              // in all
	Sleep  func(context.Context, time.Duration) error // nil is a timer
	// Stage hears of each change; nil is silence.
	Stage func(Stage)
}

// Followed is how the following of a pull request ended.
type Followed struct {
	Stage Stage  `json:"stage"`
	URL   string `json:"url,omitempty"`
	Merge string `json:"merge_commit,omitempty"`
	// Trouble is why the last look saw nothing, "" where it saw something.
	Trouble string `json:"trouble,omitempty"`
}

// Follow looks at a pull request until what it proposes can be pulled, or will
// not be. The publication is seen as clients see it, and the bytes that are
// published are compared with those that were sent. Each ending but that has an
// error of its own kind, and Followed beside it: the check says no (Findings), a
// maintainer has to act or has closed it (Denied), nobody can tell (Unavailable).
func (w *Workshop) Follow(ctx context.Context, s *Sent, o FollowOptions) (*Followed, error) {
	if o.Sleep == nil {
		o.Sleep = pauseFor
	}
	f := &follower{w: w, sent: s, o: o, out: Followed{URL: s.URL}}
	if s.Number == 0 {
		f.out.Stage = StageMerged // there was nothing to send
	}
	until := w.host.Now().Add(o.Most)
	for {
		before := f.out.Stage
		done, err := f.look(ctx)
		if ctx.Err() != nil {
			return &f.out, f.stopped()
		}
		if f.out.Stage != before && o.Stage != nil {
			o.Stage(f.out.Stage)
		}
		if done {
			return &f.out, err
		}
		f.out.Trouble = ""
		if err != nil {
			f.out.Trouble = err.Error()
		}
		if !w.host.Now().Add(o.Every).Before(until) {
			return &f.out, f.late()
		}
		if err := o.Sleep(ctx, o.Every); err != nil {
			return &f.out, f.stopped()
		}
	}
}

// pauseFor waits, or ends with the context.
func pauseFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

type follower struct {
	w    *Workshop
	sent *Sent
	o    FollowOptions
	out  Followed
}

// look finds out how far the pull request is. done says that there is no more to
// wait for; an error without it is trouble that may pass.
func (f *follower) look(ctx context.Context) (done bool, err error) {
	if f.out.Stage != StageMerged {
		done, err = f.lookAtPull(ctx)
		if done || err != nil || f.out.Stage != StageMerged {
			return done || lasting(err), err
		}
	}
	done, err = f.lookAtRegistry(ctx)
	return done || lasting(err), err
}

// lasting tells whether an error will not go away by looking again. GitHub's
// limit on requests would, but each look makes it longer.
func lasting(err error) bool {
	return err != nil && (fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) == "rate_limit")
}

func (f *follower) lookAtPull(ctx context.Context) (bool, error) {
	repo := f.sent.Draft.target.Repo
	p, err := f.sent.Draft.hub.Pull(ctx, repo, f.sent.Number)
	if err != nil {
		return false, err
	}
	switch {
	case p.Merged:
		f.out.Stage, f.out.Merge = StageMerged, p.MergeCommit
		return false, nil
	case p.State != "open":
		f.out.Stage = StageClosed
		return true, fault.New(fault.Denied, "closed", "pull request %d was closed without being merged", p.Number).
			Hint("the reason may stand in %s", spec.Quote(f.sent.URL))
	case p.Head.SHA != f.sent.Head:
		return true, fault.New(fault.Unavailable, "head_moved", "pull request %d has another commit now than the one that was sent", p.Number).
			Hint("look at %s, then give the same command again", spec.Quote(f.sent.URL))
	}
	checks, err := f.sent.Draft.hub.Checks(ctx, repo, f.sent.Head, CheckName)
	if err != nil {
		return false, err
	}
	return f.judge(checks)
}

// judge reads the newest check of the registry's workflow.
func (f *follower) judge(checks []github.Check) (bool, error) {
	checks = slices.DeleteFunc(slices.Clone(checks), func(c github.Check) bool { return c.App != checkApp || c.Name != CheckName })
	if len(checks) == 0 {
		f.out.Stage = StageWaiting
		return false, nil
	}
	last := slices.MaxFunc(checks, func(a, b github.Check) int { return cmp.Compare(a.ID, b.ID) })
	switch {
	case last.Status != "completed":
		f.out.Stage = StageChecking
		return false, nil
	case last.Conclusion == "success":
		f.out.Stage = StagePassed
		return false, nil
	case last.Conclusion == "action_required":
		f.out.Stage = StageHuman
		return true, fault.New(fault.Denied, "needs_maintainer", "the check found nothing against it, and a maintainer has to merge it").
			Hint("the comment in %s says why", spec.Quote(f.sent.URL))
	}
	// Whatever else a check ends with is no yes.
	f.out.Stage = StageRefused
	return true, fault.New(fault.Findings, "findings", "the registry's check says no (%s)", spec.Quote(last.Conclusion)).
		Hint("what it found, and how to mend it: %s", spec.Quote(f.sent.URL)).
		Hint("mend the file and give the same command again; it updates the same pull request")
}

// lookAtRegistry reads what the registry has published, as any client does.
func (f *follower) lookAtRegistry(ctx context.Context) (bool, error) {
	reader, err := f.o.Reader()
	if err != nil {
		return false, err
	}
	d := f.sent.Draft
	record, err := reader.Record(ctx, d.Registry, d.ref.Name)
	if err != nil {
		return false, err
	}
	if d.amends != nil {
		return f.pullable(d.amends.holds(&record)), nil
	}
	if record.Find(d.ref.Version) == nil {
		return false, nil
	}
	files, err := reader.Files(ctx, d.Registry, d.ref)
	if err != nil {
		return false, err
	}
	if err := d.published(files); err != nil {
		return true, err
	}
	return f.pullable(true), nil
}

func (f *follower) pullable(yes bool) bool {
	if yes {
		f.out.Stage = StagePullable
	}
	return yes
}

// published refuses a publication of other bytes than were sent.
func (d *Draft) published(files map[string]spec.Digest) error {
	for _, f := range d.Checked.Release.Files {
		if files[f.Path] != spec.DigestOf(f.Data) {
			return fault.New(fault.NotVerified, "other_content", "%s has published %s with another %s than was sent", d.Registry, d.ref.At(), f.Path).
				Hint("patch-git info %s shows who contributed it", d.ref.At())
		}
	}
	return nil
}

// late is the end of patience.
func (f *follower) late() error {
	what := map[Stage]string{
		StageWaiting: "its check has not begun", StageChecking: "its check is not done", StagePassed: "its check passed and it is not merged",
		StageMerged: "it is merged and not published",
	}[f.out.Stage]
	if f.out.Stage == "" {
		what = "nothing of it could be seen"
	}
	if f.out.Trouble != "" {
		what += " (" + f.out.Trouble + ")"
	}
	return fault.New(fault.Unavailable, "not_yet", "after %v %s", f.o.Most, what).Hint("the same command with --watch goes on waiting")
}

// stopped is the end by the person's hand, who loses nothing by it.
func (f *follower) stopped() error {
	e := fault.New(fault.Interrupted, "interrupted", "stopped watching")
	if f.sent.URL != "" {
		e = e.Hint("the pull request goes on: %s", spec.Quote(f.sent.URL))
	}
	return e
}
