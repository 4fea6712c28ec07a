//go:build linux

package acttest

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// TestOutage: GitHub asks the report to wait, or is out of order for a moment:
// the report waits. For long: the report fails, nothing is merged, the pull
// request stays closed to everybody, and the same run once more finishes it.
func TestOutage(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	bob := g.sits(t, g.bob)
	g.accepted(t, bob)
	for _, c := range []struct {
		name, version string
		fails         int64
		status        int
		header        map[string]string
		passes        bool
	}{
		{"a secondary rate limit", "0.2.0", 1, http.StatusForbidden, map[string]string{"Retry-After": "1"}, true},
		{"5xx for a moment", "0.3.0", 2, http.StatusBadGateway, nil, true},
		{"the rate limit is used up for an hour", "0.4.0", 1 << 30, http.StatusTooManyRequests, map[string]string{"Retry-After": "3600", "X-RateLimit-Remaining": "0"}, false},
		{"out of order", "0.5.0", 1 << 30, http.StatusServiceUnavailable, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var failed atomic.Int64
			g.onCall = func(j *liveJob, w http.ResponseWriter, r *http.Request) bool {
				if j == nil || j.def.ID != "report" || !strings.HasSuffix(r.URL.Path, "/check-runs") || r.Method != http.MethodPost || failed.Load() >= c.fails {
					return false
				}
				failed.Add(1)
				for k, v := range c.header {
					w.Header().Set(k, v)
				}
				answer(w, c.status, map[string]any{"message": "You have exceeded a secondary rate limit."})
				return true
			}
			number := g.publishes(t, bob, g.tool("word_count", c.version))
			runs := g.settle(t)
			g.onCall = nil
			if failed.Load() == 0 {
				t.Fatal("nothing failed, so this shows nothing")
			}
			q := played(t, runs, "quarantine.yml")
			if g.merged(t, number) != c.passes || (q.conclusion() == "success") != c.passes {
				t.Fatalf("the run is a %s; merged: %v", q.conclusion(), g.merged(t, number))
			}
			if c.passes {
				return
			}
			if got := g.concluded(t, number); got == "success" {
				t.Error("the check lets it pass")
			}
			if status := g.merges(t, number); status != http.StatusMethodNotAllowed {
				t.Errorf("it could be merged: %d", status)
			}
			g.rerun(q)
			g.settle(t)
			if !g.merged(t, number) {
				t.Errorf("the same run once more did not merge it: %q", g.comments(t, number))
			}
		})
	}
}

// TestReportIsAlwaysThere: a job that dies leaves no pull request without a
// word, and none that passes.
func TestReportIsAlwaysThere(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	bob := g.sits(t, g.bob)
	g.accepted(t, bob)
	for i, job := range []string{"static", "judge"} {
		t.Run(job, func(t *testing.T) {
			g.onStep = func(r *run, s stepStart) string {
				if r.w.File == "quarantine.yml" && s.Job == job {
					return "this machine is broken"
				}
				return ""
			}
			number := g.publishes(t, bob, g.tool("word_count", "0."+string(rune('2'+i))+".0"))
			q := played(t, g.settle(t), "quarantine.yml")
			g.onStep = nil
			if q.result(job) != "failure" || q.result("report") == "" {
				t.Fatalf("%s: %q, report: %q", job, q.result(job), q.result("report"))
			}
			want := map[string]string{"static": "failure", "judge": "action_required"}[job]
			if got := g.concluded(t, number); got != want || g.merged(t, number) {
				t.Errorf("the check says %q; merged: %v", got, g.merged(t, number))
			}
			if c := g.comments(t, number); len(c) != 1 {
				t.Errorf("the comments are %q", c)
			}
			// Once more, on a machine that works.
			g.rerun(q)
			g.settle(t)
			if !g.merged(t, number) {
				t.Errorf("not merged: %q", g.comments(t, number))
			}
			if c := g.comments(t, number); len(c) != 1 {
				t.Errorf("there are %d comments", len(c))
			}
		})
	}
}
