//go:build linux

package acttest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestReviewKilled: the machine that reviews fails at the beginning of a job
// (a judge that fails is another test's), and before and after each thing that the
// report changes at GitHub, nine times: ten updates of one author are a day's share. Nothing is
// merged that was not reviewed, and the same run once more comes to the end:
// merged once, published, with one comment.
func TestReviewKilled(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	bob, stranger := g.sits(t, g.bob), g.stranger(t)
	g.accepted(t, bob)
	type death struct {
		name   string
		job    string // at the beginning of which it dies; or
		change string // the method and the end of the path, at which it does
		after  bool
		merged bool // by the run that died
	}
	deaths := []death{
		{name: "static", job: "static"},
		{name: "report", job: "report"},
		{name: "before the check", change: "POST /check-runs"},
		{name: "after the check", change: "POST /check-runs", after: true},
		{name: "before the merge", change: "PUT /merge"},
		{name: "after the merge", change: "PUT /merge", after: true, merged: true},
		{name: "after the publication was started", change: "POST /rerun", after: true, merged: true},
		{name: "after the comment", change: "POST /comments", after: true, merged: true},
		{name: "after the labels", change: "POST /labels", after: true, merged: true},
	}
	for i, d := range deaths {
		t.Run(d.name, func(t *testing.T) {
			var once sync.Once
			die := func(j *liveJob, r *http.Request) bool {
				method, end, _ := strings.Cut(d.change, " ")
				if d.change == "" || j == nil || j.run.w.File != "quarantine.yml" || j.def.ID != "report" || r.Method != method || !strings.HasSuffix(r.URL.Path, end) {
					return false
				}
				died := false
				once.Do(func() { died = true; j.run.kill() })
				return died
			}
			if d.after {
				g.onCalled = func(j *liveJob, r *http.Request) { die(j, r) }
			} else {
				g.onCall = func(j *liveJob, _ http.ResponseWriter, r *http.Request) bool { return die(j, r) }
			}
			g.onStep = func(r *run, s stepStart) string {
				if d.job != "" && r.w.File == "quarantine.yml" && s.Job == d.job {
					once.Do(r.kill)
					return "the machine is gone"
				}
				return ""
			}
			version := fmt.Sprintf("0.%d.0", i+2)
			number := g.publishes(t, bob, g.tool("word_count", version))
			head := text(g.pullOf(t, number), "head", "sha")
			q := played(t, g.settle(t), "quarantine.yml")
			g.onCall, g.onCalled, g.onStep = nil, nil, nil
			if q.conclusion() != "cancelled" {
				t.Fatalf("the run did not die: %s", q.conclusion())
			}
			if got := g.merged(t, number); got != d.merged {
				t.Errorf("merged: %v", got)
			}
			if n := len(g.comments(t, number)); n > 1 {
				t.Errorf("%d comments", n)
			}
			main := refs(t, g.bare(registryRepo))["refs/heads/main"]
			g.rerun(q)
			g.settle(t)
			if !g.merged(t, number) {
				t.Fatalf("the same run once more did not merge it: %q", g.comments(t, number))
			}
			if now := refs(t, g.bare(registryRepo))["refs/heads/main"]; d.merged && now != main {
				t.Error("it was merged twice")
			}
			if n := len(g.comments(t, number)); n > 1 || n == 0 && !d.merged {
				t.Errorf("%d comments", n)
			}
			if got := g.checkOf(t, head); got == nil || text(got, "conclusion") != "success" {
				t.Errorf("the check of what was merged is %v", got)
			}
			stranger.does(t, "pull", "word_count@"+version)
		})
	}
}
