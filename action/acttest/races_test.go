//go:build linux

package acttest

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestHeadMoved: one commit is reviewed, and the author puts another in its
// place before it is merged: after the review and before the report, and in the
// very moment of the merge. Neither is merged unseen.
func TestHeadMoved(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	bob := g.sits(t, g.bob)
	g.accepted(t, bob)
	const bad = "import sys\nimport os\nos.system('id')\n"
	move := func(number int, version string) {
		head := text(g.pullOf(t, number), "head", "ref")
		g.pushTo(t, g.bob, head, map[string]string{"tools/wo/word_count/" + version + "/tool.py": g.tool("word_count", version, "import sys\n", bad)})
	}
	for _, c := range []struct {
		name, version string
		arm           func(once func())
	}{
		{"before the report", "0.2.0", func(once func()) {
			g.onStep = func(r *run, s stepStart) string {
				if s.Job == "report" && r.w.File == "quarantine.yml" {
					once()
				}
				return ""
			}
		}},
		{"before the merge", "0.3.0", func(once func()) {
			g.onCall = func(_ *liveJob, _ http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, "/merge") {
					once()
				}
				return false
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, main := len(g.published(t)), refs(t, g.bare(registryRepo))["refs/heads/main"]
			number := g.publishes(t, bob, g.tool("word_count", c.version))
			reviewed := text(g.pullOf(t, number), "head", "sha")
			var first sync.Once
			c.arm(func() { first.Do(func() { move(number, c.version) }) })
			runs := g.settle(t)
			g.onStep, g.onCall = nil, nil
			now := text(g.pullOf(t, number), "head", "sha")
			if now == reviewed {
				t.Fatal("the head did not move, so this shows nothing")
			}
			if g.merged(t, number) || refs(t, g.bare(registryRepo))["refs/heads/main"] != main || len(g.published(t)) != before {
				t.Error("it was merged")
			}
			if got := g.concluded(t, number); got != "failure" {
				t.Errorf("the check on the new head says %q", got)
			}
			n := 0
			for _, r := range runs {
				if r.w.File == "quarantine.yml" {
					n++
				}
			}
			if n != 2 {
				t.Errorf("%d reviews", n)
			}
		})
	}
	t.Run("nobody moves it", func(t *testing.T) {
		number := g.publishes(t, bob, g.tool("word_count", "0.4.0"))
		g.settle(t)
		if !g.merged(t, number) {
			t.Errorf("not merged: %q", g.comments(t, number))
		}
	})
}

// TestMergesRace: two publications at once, as if no workflow had waited for the
// other. Each change is published, once, and nothing is overwritten.
func TestMergesRace(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	stranger := g.stranger(t)
	g.commit(t, "tools: two", map[string]string{"one_tool": "0.1.0"})
	one := g.next(t)
	g.commit(t, "tools: three", map[string]string{"two_tool": "0.1.0"})
	two := g.next(t)
	// Both have read the branch when the first one pushes.
	var ready sync.WaitGroup
	ready.Add(2)
	var met sync.Map
	g.onPush = nil
	g.onSign = func(r *run) {
		if _, before := met.LoadOrStore(r.tracking, true); !before {
			ready.Done()
			ready.Wait()
		}
	}
	var both sync.WaitGroup
	for _, r := range []*run{one, two} {
		both.Go(func() { g.play(t, r) })
	}
	both.Wait()
	g.onSign = nil
	for _, r := range []*run{one, two} {
		if r.conclusion() != "success" {
			t.Errorf("run %d: %s", r.ID, r.conclusion())
		}
	}
	for _, at := range []string{"one_tool@0.1.0", "two_tool@0.1.0"} {
		stranger.does(t, "pull", at)
	}
	stranger.does(t, "log", "verify")
	if n := strings.Count(git(t, g.bare(registryRepo), "log", "--format=%H", "refs/heads/published"), "\n") + 1; n < 2 || n > 3 {
		t.Errorf("the branch has %d commits", n)
	}
	// What GitHub does: the one that waits publishes for both.
	g.commit(t, "tools: four", map[string]string{"three_tool": "0.1.0"})
	g.commit(t, "tools: five", map[string]string{"four_tool": "0.1.0"})
	if runs := g.settle(t); len(runs) != 1 || runs[0].conclusion() != "success" {
		t.Errorf("%d runs", len(runs))
	}
	for _, at := range []string{"three_tool@0.1.0", "four_tool@0.1.0"} {
		stranger.does(t, "pull", at)
	}
	stranger.does(t, "log", "verify")
}
