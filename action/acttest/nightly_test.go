//go:build linux

package acttest

import (
	"fmt"
	"strings"
	"testing"
)

// TestNightly: the night checks what is published by the rules of today. What an
// earlier edition of the program accepted and this one would not becomes one
// issue that proposes to yank it, and nothing is withdrawn. The head is signed
// anew by the workflow that may sign, which nobody else can start.
func TestNightly(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	g.edition = "patch-git-lenient"
	g.release = g.makeRelease()
	const work = "import sys\n\nprint('imported', file=sys.stderr)\n"
	g.commit(t, "accepted long ago", map[string]string{"good_tool": "0.1.0", "old_tool": "0.1.0"}, "old_tool", "import sys\n", work)
	if r := g.play1(t); r.conclusion() != "success" {
		t.Fatalf("the edition of then: %s", r.conclusion())
	}
	g.edition = "patch-git"
	g.release = g.makeRelease()
	reader := g.stranger(t)
	reader.does(t, "pull", "old_tool")
	before, main := g.published(t), refs(t, g.bare(registryRepo))["refs/heads/main"]

	for night := range 2 {
		g.schedule("23 3 * * *")
		runs := g.settle(t)
		if r := played(t, runs, "nightly.yml"); r.conclusion() != "success" {
			t.Fatalf("the night is a %s", r.conclusion())
		}
		again := played(t, runs, "publish.yml")
		if again.event != "push" || again.Attempt != night+2 || again.conclusion() != "success" {
			t.Errorf("publish ran for %s, attempt %d: %s", again.event, again.Attempt, again.conclusion())
		}
		var issues []map[string]any
		g.get(t, "/repos/"+registryRepo+"/issues?state=all&per_page=100", &issues)
		var about []string
		for _, i := range issues {
			if i["pull_request"] == nil {
				about = append(about, text(i, "title"))
			}
		}
		if len(about) != 1 || !strings.Contains(about[0], "old_tool@0.1.0") || !strings.Contains(text(issues[0], "body"), "PY-002") {
			t.Errorf("after night %d the issues are %q", night+1, about)
		}
	}
	if refs(t, g.bare(registryRepo))["refs/heads/main"] != main {
		t.Error("the night changed main")
	}
	for path := range before {
		if strings.HasSuffix(path, "/tool.py") && g.published(t)[path] != before[path] {
			t.Errorf("%s was withdrawn", path)
		}
	}
	reader.does(t, "run", "old_tool", "--text", "x")

	// Who runs publish by hand, or at night, is not who may sign.
	tip := refs(t, g.bare(registryRepo))["refs/heads/main"]
	heads := g.published(t)
	for _, event := range []string{"workflow_dispatch", "schedule"} {
		w, err := readWorkflow(".github/workflows/publish.yml", []byte(strings.Replace(git(t, g.bare(registryRepo), "show", tip+":.github/workflows/publish.yml"),
			"  push:\n    branches: [main]\n", "  "+event+":\n", 1)))
		if err != nil {
			t.Fatal(err)
		}
		g.commit(t, "something new "+event, map[string]string{"new_" + event: "0.1.0"})
		g.next(t) // the push itself waits
		g.add(&run{ID: g.number(), Attempt: 1, w: w, event: event, payload: map[string]any{"repository": g.repository(), "ref": "refs/heads/main"}, ref: "refs/heads/main", sha: tip, at: tip, actor: g.ada})
		r := g.play1(t)
		if r.conclusion() != "failure" || !strings.Contains(r.text(), "this verb is not for the event") {
			t.Errorf("%s: %s", event, r.conclusion())
		}
		if fmt.Sprint(g.published(t)) != fmt.Sprint(heads) {
			t.Errorf("%s published something", event)
		}
	}
}
