package contribute

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// moment is what there is to see at one look at a pull request.
type moment struct {
	pull   github.Pull
	checks []github.Check
	err    error // of GitHub

	record  ledger.Record
	files   map[string]spec.Digest
	readErr error
}

// story is GitHub and a registry as they are at each moment; the last one stays.
type story struct {
	GitHub

	moments []moment
	at      int
}

func (s *story) now() moment { return s.moments[min(s.at, len(s.moments)-1)] }

func (s *story) Pull(context.Context, github.Repo, int) (github.Pull, error) {
	return s.now().pull, s.now().err
}

func (s *story) Checks(context.Context, github.Repo, string, string) ([]github.Check, error) {
	return s.now().checks, nil
}

func (s *story) Record(context.Context, spec.RegistryName, spec.Name) (ledger.Record, error) {
	return s.now().record, s.now().readErr
}

func (s *story) Files(context.Context, spec.RegistryName, spec.Ref) (map[string]spec.Digest, error) {
	return s.now().files, nil
}

func (s *story) Names(context.Context, spec.RegistryName) ([]spec.Name, error) { return nil, nil }

func open() github.Pull {
	return github.Pull{Number: 5, State: "open", Head: github.Side{SHA: "h"}}
}

func merged() github.Pull {
	return github.Pull{Number: 5, State: "closed", Merged: true, MergeCommit: "m"}
}

func check(id int64, status, conclusion string) github.Check {
	return github.Check{ID: id, Name: CheckName, App: checkApp, Status: status, Conclusion: conclusion}
}

// Each ending of a pull request has a stage, a kind of error and no other.
func TestFollow(t *testing.T) {
	data := []byte("source")
	there := ledger.Record{Versions: []ledger.RecordVersion{{Version: "1.0.0"}}}
	ours := map[string]spec.Digest{"tool.py": spec.DigestOf(data)}
	outage := fault.New(fault.Unavailable, "github", "GitHub answered 502")
	for name, c := range map[string]struct {
		moments []moment
		stage   Stage
		kind    fault.Kind // Internal: none
		reason  string
		seen    []Stage
	}{
		"the whole way": {
			moments: []moment{
				{pull: open()},
				{pull: open(), checks: []github.Check{check(1, "in_progress", "")}},
				{pull: open(), checks: []github.Check{check(1, "completed", "success")}},
				{pull: merged()},
				{pull: merged(), record: there, files: ours},
			},
			stage: StagePullable, seen: []Stage{StageWaiting, StageChecking, StagePassed, StageMerged, StagePullable},
		},
		"merged and published between two looks": {moments: []moment{{pull: merged(), record: there, files: ours}}, stage: StagePullable, seen: []Stage{StagePullable}},
		"trouble that passes": {
			moments: []moment{{err: outage}, {pull: merged(), readErr: outage}, {pull: merged(), record: there, files: ours}},
			stage:   StagePullable, seen: []Stage{StageMerged, StagePullable},
		},
		"the check says no":       {moments: []moment{{pull: open(), checks: []github.Check{check(1, "completed", "failure")}}}, stage: StageRefused, kind: fault.Findings, reason: "findings"},
		"the check was cancelled": {moments: []moment{{pull: open(), checks: []github.Check{check(1, "completed", "cancelled")}}}, stage: StageRefused, kind: fault.Findings, reason: "findings"},
		"neutral is no yes":       {moments: []moment{{pull: open(), checks: []github.Check{check(1, "completed", "neutral")}}}, stage: StageRefused, kind: fault.Findings, reason: "findings"},
		"a maintainer has to act": {moments: []moment{{pull: open(), checks: []github.Check{check(1, "completed", "action_required")}}}, stage: StageHuman, kind: fault.Denied, reason: "needs_maintainer"},
		"the newest check counts": {
			moments: []moment{{pull: open(), checks: []github.Check{check(2, "completed", "failure"), check(1, "completed", "success")}}},
			stage:   StageRefused, kind: fault.Findings, reason: "findings",
		},
		"closed": {moments: []moment{{pull: github.Pull{State: "closed"}}}, stage: StageClosed, kind: fault.Denied, reason: "closed"},
		"another head": {
			moments: []moment{{pull: github.Pull{State: "open", Head: github.Side{SHA: "x"}}}},
			kind:    fault.Unavailable, reason: "head_moved",
		},
		"a check by somebody else": {
			moments: []moment{{pull: open(), checks: []github.Check{{ID: 9, Name: CheckName, App: "some-app", Status: "completed", Conclusion: "success"}}}},
			stage:   StageWaiting, kind: fault.Unavailable, reason: "not_yet",
		},
		"never merged":           {moments: []moment{{pull: open(), checks: []github.Check{check(1, "completed", "success")}}}, stage: StagePassed, kind: fault.Unavailable, reason: "not_yet"},
		"never published":        {moments: []moment{{pull: merged()}}, stage: StageMerged, kind: fault.Unavailable, reason: "not_yet"},
		"nothing to be seen":     {moments: []moment{{err: outage}}, kind: fault.Unavailable, reason: "not_yet"},
		"the token is refused":   {moments: []moment{{err: fault.New(fault.Denied, "token", "no")}}, kind: fault.Denied, reason: "token"},
		"the rate limit is over": {moments: []moment{{err: fault.New(fault.Unavailable, "rate_limit", "wait")}}, kind: fault.Unavailable, reason: "rate_limit"},
		"the head is forged":     {moments: []moment{{pull: merged(), readErr: fault.New(fault.NotVerified, "rollback", "no")}}, stage: StageMerged, kind: fault.NotVerified, reason: "rollback"},
		"other bytes are published": {
			moments: []moment{{pull: merged(), record: there, files: map[string]spec.Digest{"tool.py": spec.DigestOf(nil)}}},
			stage:   StageMerged, kind: fault.NotVerified, reason: "other_content",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, s, now := newWorkshop(t), &story{moments: c.moments}, clock
			w.host.Now = func() time.Time { return now }
			d := &Draft{hub: s, Registry: "acme/tools", ref: spec.Ref{Name: "echo_text", Version: "1.0.0"}}
			d.Checked = &Checked{Release: &spec.Release{Files: []spec.File{{Path: "tool.py", Data: data}}}}
			var seen []Stage
			f, err := w.Follow(t.Context(), &Sent{Draft: d, Number: 5, Head: "h", URL: "u"}, FollowOptions{
				Reader: func() (Reader, error) { return s, nil }, Every: time.Second, Most: 10 * time.Second,
				Sleep: func(_ context.Context, pause time.Duration) error { s.at, now = s.at+1, now.Add(pause); return nil },
				Stage: func(st Stage) { seen = append(seen, st) },
			})
			if fault.ReasonOf(err) != c.reason || err != nil && fault.KindOf(err) != c.kind || f.Stage != c.stage {
				t.Errorf("stage %q, error %v (%v %q)", f.Stage, err, fault.KindOf(err), fault.ReasonOf(err))
			}
			if c.seen != nil && !slices.Equal(seen, c.seen) {
				t.Errorf("saw %q", seen)
			}
		})
	}
}

// Who stops watching is told where the pull request is.
func TestFollowStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &story{moments: []moment{{pull: open()}}}
	_, err := newWorkshop(t).Follow(ctx, &Sent{Draft: &Draft{hub: s}, Number: 5, Head: "h", URL: "https://github.com/acme/tools/pull/5"}, FollowOptions{
		Every: time.Hour, Most: 24 * time.Hour, Stage: func(Stage) { cancel() },
	})
	if fault.KindOf(err) != fault.Interrupted || errors.Is(err, context.Canceled) || len(fault.HintsOf(err)) != 1 {
		t.Errorf("%v, hints %q", err, fault.HintsOf(err))
	}
}
