package github_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

func TestCheckRuns(t *testing.T) {
	st := newStage(t)
	c := st.job("checks", "write")
	run := github.CheckRun{Name: "patch-git", Head: st.first, Conclusion: "failure", Title: "3 findings", Summary: "No.", Text: "all of it", DetailsURL: "https://github.test/run"}
	for i := range 120 {
		run.Annotations = append(run.Annotations, github.Annotation{Path: "tool.py", Line: i + 1, Level: "failure", Title: "rule", Message: fmt.Sprint("line ", i+1)})
	}
	id, err := c.CreateCheck(t.Context(), st.repo, run)
	ok(t, err)
	checks := st.tools.Checks(st.first)
	if len(checks) != 1 || checks[0].ID != id || checks[0].Conclusion != "failure" || checks[0].Status != "completed" || checks[0].Summary != "No." || checks[0].Text != "all of it" {
		t.Fatalf("got %+v", checks)
	}
	if notes := checks[0].Annotations; len(notes) != 120 || notes[119].Line != 120 || notes[119].Message != "line 120" {
		t.Errorf("%d annotations", len(notes))
	}
	run.ID, run.Conclusion, run.Annotations, run.Text = id, "success", nil, ""
	_, err = c.UpdateCheck(t.Context(), st.repo, run)
	ok(t, err)
	if k := st.tools.Checks(st.first)[0]; k.Conclusion != "success" || len(k.Annotations) != 120 {
		t.Errorf("got %+v", k)
	}
}

// A check whose report breaks off is in progress: a required check that is not
// there, or that is a success, would let the pull request pass.
func TestCheckThatBreaksOff(t *testing.T) {
	st := newStage(t)
	run := github.CheckRun{Name: "patch-git", Head: st.first, Conclusion: "success", Title: "t", Summary: "s"}
	for range 51 {
		run.Annotations = append(run.Annotations, github.Annotation{Path: "tool.py", Line: 1, Level: "notice", Message: "m"})
	}
	f := githubtest.BadGateway().On(http.MethodPatch, "/repos/ada/tools/check-runs/")
	f.Times = -1
	st.gh.Fail(f)
	_, err := st.job("checks", "write").CreateCheck(t.Context(), st.repo, run)
	refused(t, err, fault.Unavailable, "github")
	if k := st.tools.Checks(st.first)[0]; k.Status != "in_progress" || k.Conclusion != "" {
		t.Errorf("got %+v", k)
	}
}

func TestChecksThatAreRefused(t *testing.T) {
	st := newStage(t)
	good := github.CheckRun{Name: "patch-git", Head: st.first, Conclusion: "success", Title: "t", Summary: "s"}
	c := st.job("checks", "write")
	for name, change := range map[string]func(*github.CheckRun){
		"neutral":        func(r *github.CheckRun) { r.Conclusion = "neutral" },
		"skipped":        func(r *github.CheckRun) { r.Conclusion = "skipped" },
		"no name":        func(r *github.CheckRun) { r.Name = "" },
		"no summary":     func(r *github.CheckRun) { r.Summary = "" },
		"a long summary": func(r *github.CheckRun) { r.Summary = strings.Repeat("x", 65536) },
		"a long text":    func(r *github.CheckRun) { r.Text = strings.Repeat("x", 65536) },
		"a line 0": func(r *github.CheckRun) {
			r.Annotations = []github.Annotation{{Path: "p", Level: "notice", Message: "m"}}
		},
		"an unknown level": func(r *github.CheckRun) {
			r.Annotations = []github.Annotation{{Path: "p", Line: 1, Level: "bad", Message: "m"}}
		},
		"no commit": func(r *github.CheckRun) { r.Head = "main" },
	} {
		t.Run(name, func(t *testing.T) {
			run := good
			change(&run)
			before := len(st.gh.Requests())
			if _, err := c.CreateCheck(t.Context(), st.repo, run); err == nil {
				t.Error("taken")
			}
			if len(st.gh.Requests()) != before {
				t.Error("something was sent")
			}
		})
	}
	_, err := c.CreateCheck(t.Context(), st.repo, good) // the twin
	ok(t, err)
}

// A job without the permission is refused, and the error names the permission.
func TestPermissionsOfJobs(t *testing.T) {
	sha := strings.Repeat("1", 40)
	for name, tc := range map[string]struct {
		right string
		ask   func(*testing.T, *stage, *github.Client, int, string) error
	}{
		"checks": {"checks", func(t *testing.T, st *stage, c *github.Client, _ int, _ string) error {
			_, err := c.CreateCheck(t.Context(), st.repo, github.CheckRun{Name: "n", Head: st.first, Title: "t", Summary: "s"})
			return err
		}},
		"comment": {"pull-requests", func(t *testing.T, st *stage, c *github.Client, n int, _ string) error {
			_, err := c.Sticky(t.Context(), st.repo, n, "patch-git:report", "hello")
			return err
		}},
		"labels": {"pull-requests", func(t *testing.T, st *stage, c *github.Client, n int, _ string) error {
			return c.Labels(t.Context(), st.repo, n, "patch-git: ", []string{"patch-git: new"})
		}},
		"merge": {"contents", func(t *testing.T, st *stage, c *github.Client, n int, head string) error {
			_, err := c.Merge(t.Context(), st.repo, n, head, "title")
			return err
		}},
		"close": {"pull-requests", func(t *testing.T, st *stage, c *github.Client, n int, _ string) error {
			return c.Close(t.Context(), st.repo, n)
		}},
		"issue": {"issues", func(t *testing.T, st *stage, c *github.Client, _ int, _ string) error {
			_, err := c.Issue(t.Context(), st.repo, "patch-git:rescan", "title", "body", []string{"patch-git"})
			return err
		}},
		"rerun": {"actions", func(t *testing.T, st *stage, c *github.Client, _ int, _ string) error {
			_, err := c.Rerun(t.Context(), st.repo, "publish.yml")
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			st.tools.AddRun(githubtest.Run{File: "publish.yml", Head: sha, Event: "push", Branch: "main", Status: "completed", Conclusion: "success"})
			_, n, head := st.proposal(oneTool)
			err := tc.ask(t, st, st.job(tc.right, "read"), n, head)
			refused(t, err, fault.Denied, "token")
			if hints := strings.Join(fault.HintsOf(err), " "); !strings.Contains(hints, "=write") || !strings.Contains(hints, strings.ReplaceAll(tc.right, "-", "_")) {
				t.Errorf("the hint is %q", hints)
			}
			if tip := st.tools.Tip("main"); tip != st.first {
				t.Error("main moved")
			}
			if len(st.tools.Comments(n)) != 0 || len(st.tools.Labels(n)) != 0 || len(st.tools.Checks(st.first)) != 0 || st.tools.Runs()[0].Attempt != 1 {
				t.Error("something was done")
			}
			ok(t, tc.ask(t, st, st.job(tc.right, "write"), n, head)) // the twin
		})
	}
}

func TestLabels(t *testing.T) {
	st := newStage(t)
	_, n, _ := st.proposal(oneTool)
	st.tools.Label(n, "patch-git: waits", "patch-git: new", "someone's: own", "a/b")
	c := st.job("pull-requests", "write")
	set := func(want ...string) {
		t.Helper()
		ok(t, c.Labels(t.Context(), st.repo, n, "patch-git: ", want))
	}
	set("patch-git: new", "patch-git: merges by itself", "patch-git: 100% ä")
	same(t, "labels", st.tools.Labels(n), []string{"patch-git: new", "someone's: own", "a/b", "patch-git: merges by itself", "patch-git: 100% ä"})
	writes := len(st.gh.Requests())
	set("patch-git: new", "patch-git: merges by itself", "patch-git: 100% ä")
	for _, r := range st.gh.Requests()[writes:] {
		if r.Method != http.MethodGet {
			t.Errorf("nothing had to change, and %s %s", r.Method, r.Path)
		}
	}
	set()
	same(t, "labels", st.tools.Labels(n), []string{"someone's: own", "a/b"})
	for _, bad := range []string{"other", "patch-git: a,b", "patch-git: " + strings.Repeat("x", 40), "patch-git: a/b", "patch-git: "} {
		if err := c.Labels(t.Context(), st.repo, n, "patch-git: ", []string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if err := c.Labels(t.Context(), st.repo, n, "", nil); err == nil {
		t.Error("no prefix would take every label away")
	}
}

func TestMerge(t *testing.T) {
	st := newStage(t)
	fork, n, _ := st.proposal(oneTool)
	head := fork.Push("new", "", "evil\n\n[skip ci]\n\nCo-authored-by: x <x@x>", map[string][]byte{"x": []byte("x")})
	c := st.job("contents", "write")
	sha, err := c.Merge(t.Context(), st.repo, n, head, "abacus 1.1.0 (#1)")
	ok(t, err)
	if st.tools.Tip("main") != sha || string(st.tools.File(sha, "x")) != "x" {
		t.Error("main has not what was merged")
	}
	// Nothing of the stranger's messages gets into the commit.
	if message := st.tools.Message(sha); message != "abacus 1.1.0 (#1)" {
		t.Errorf("the commit says %q", message)
	}
}

func TestMergeRefused(t *testing.T) {
	t.Run("the head moved", func(t *testing.T) {
		st := newStage(t)
		fork, n, head := st.proposal(oneTool)
		st.gh.Fail(githubtest.Fault{Method: http.MethodPut, Do: func() { fork.Push("new", "", "evil", map[string][]byte{"evil": []byte("x")}) }})
		c := st.job("contents", "write")
		_, err := c.Merge(t.Context(), st.repo, n, head, "title")
		refused(t, err, fault.Findings, "head_moved")
		if st.tools.Tip("main") != st.first {
			t.Error("main moved")
		}
		_, err = c.Merge(t.Context(), st.repo, n, fork.Tip("new"), "title") // the twin
		ok(t, err)
	})
	t.Run("a conflict", func(t *testing.T) {
		st := newStage(t)
		_, n, head := st.proposal(map[string][]byte{"registry.yaml": []byte("name: theirs\n")})
		moved := st.tools.Push("main", "", "ours", map[string][]byte{"registry.yaml": []byte("name: ours\n")})
		_, err := st.job("contents", "write").Merge(t.Context(), st.repo, n, head, "title")
		refused(t, err, fault.Findings, "not_mergeable")
		if st.tools.Tip("main") != moved {
			t.Error("main moved")
		}
	})
	t.Run("closed", func(t *testing.T) {
		st := newStage(t)
		_, n, head := st.proposal(oneTool)
		c := st.job("contents", "write", "pull-requests", "write")
		ok(t, c.Close(t.Context(), st.repo, n))
		_, err := c.Merge(t.Context(), st.repo, n, head, "title")
		refused(t, err, fault.Findings, "not_mergeable")
	})
	t.Run("a title of two lines", func(t *testing.T) {
		st := newStage(t)
		_, err := st.job("contents", "write").Merge(t.Context(), st.repo, 1, st.first, "title\n\n[skip ci]")
		refused(t, err, fault.Usage, "title")
	})
}

func TestRerun(t *testing.T) {
	st := newStage(t)
	day := 24 * time.Hour
	old := func(n githubtest.Run, age time.Duration) githubtest.Run {
		n.File, n.Head, n.Created = "publish.yml", st.first, st.now.Add(-age)
		return n
	}
	push := githubtest.Run{Event: "push", Branch: "main", Status: "completed", Conclusion: "success", Attempt: 1}
	spent, running, dispatched, aside := push, push, push, push
	spent.Attempt = 50
	running.Status, running.Conclusion = "in_progress", ""
	dispatched.Event = "workflow_dispatch"
	aside.Branch = "other"
	for _, n := range []githubtest.Run{old(running, 0), old(dispatched, time.Hour), old(aside, 2*time.Hour), old(spent, 3*time.Hour)} {
		st.tools.AddRun(n)
	}
	c := st.job("actions", "write")
	_, err := c.Rerun(t.Context(), st.repo, "publish.yml")
	refused(t, err, fault.NotFound, "no_run")
	st.tools.AddRun(old(push, 30*day))
	_, err = c.Rerun(t.Context(), st.repo, "publish.yml")
	refused(t, err, fault.NotFound, "no_run")

	failed := push
	failed.Conclusion = "failure"
	want := st.tools.AddRun(old(failed, 29*day))
	got, err := c.Rerun(t.Context(), st.repo, "publish.yml")
	if ok(t, err); got.ID != want || got.Event != "push" || got.Branch != "main" || got.Head != st.first {
		t.Errorf("got %+v, want %d", got, want)
	}
	for _, n := range st.tools.Runs() {
		if (n.ID == want) != (n.Attempt == 2) {
			t.Errorf("run %d has attempt %d", n.ID, n.Attempt)
		}
	}
	_, err = c.Rerun(t.Context(), st.repo, "none.yml")
	refused(t, err, fault.NotFound, "absent")
	runs, err := c.Runs(t.Context(), st.repo, "publish.yml", st.first)
	if ok(t, err); len(runs) != 6 || runs[0].Status != "in_progress" {
		t.Errorf("got %+v", runs)
	}
}

func TestClose(t *testing.T) {
	st := newStage(t)
	_, n, _ := st.proposal(oneTool)
	ok(t, st.job("pull-requests", "write").Close(t.Context(), st.repo, n))
	if _, _, state := st.tools.Text(n); state != "closed" {
		t.Errorf("it is %s", state)
	}
}
