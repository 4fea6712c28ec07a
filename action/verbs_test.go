package action

import (
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

// TestNewName: the first version of a new tool, from the event to the comment.
func TestNewName(t *testing.T) {
	s := newScene(t)
	n := s.propose("new", map[string]string{
		"tools/li/line_sort/0.1.0/tool.py": source("line_sort", "0.1.0"),
		"tools/li/line_sort/tool.yaml":     "owners:\n  - login: ann\n    id: 7\n",
	})
	payload := s.event("opened", n, "ann", "")
	a, err := s.reviewAll(payload)
	if err != nil || a.Verdict != "pass" || a.Conclusion != "success" || a.Merged != "" {
		t.Fatalf("%+v, %v\n%s\n%v", a, err, s.log.String(), s.repo.Comments(n))
	}
	if got := s.conclusion("new"); got != "success" {
		t.Errorf("conclusion %s", got)
	}
	comments := s.repo.Comments(n)
	if len(comments) != 1 || !strings.Contains(comments[0].Body, "line_sort@0.1.0") || !strings.Contains(comments[0].Body, "What it may do") {
		t.Fatalf("comments %+v", comments)
	}
	if labels := s.repo.Labels(n); !slices.Contains(labels, "patch-git:pass") || !slices.Contains(labels, "patch-git:new-name") {
		t.Errorf("labels %v", labels)
	}
	if out := s.read(s.outputs); out != "verdict=pass\nconclusion=success\nmerged=false\n" {
		t.Errorf("outputs %q", out)
	}
	if sum := s.read(s.summary); !strings.Contains(sum, "line_sort") {
		t.Errorf("summary %q", sum)
	}
	// The same again edits the comment and makes no other.
	if _, err := s.reviewAll(payload); err != nil || len(s.repo.Comments(n)) != 1 {
		t.Errorf("again: %v, %d comments", err, len(s.repo.Comments(n)))
	}
	if log := s.log.String(); strings.Contains(log, "::") {
		t.Errorf("the log has a command:\n%s", log)
	}
}

// updated proposes a version by its owner, with the run of publish that can be
// made again.
func updated(t *testing.T) (*scene, int) {
	t.Helper()
	s := newScene(t)
	s.repo.AddRun(githubtest.Run{File: publishFile, Attempt: 1, Head: s.repo.Tip("main"), Event: "push", Branch: "main", Status: "completed", Conclusion: "success", Created: s.now})
	return s, s.propose("up", map[string]string{"tools/wo/word_count/0.2.0/tool.py": source("word_count", "0.2.0")})
}

// isMerged tells whether a pull request is not open any more.
func (s *scene) isMerged(n int) bool {
	_, _, state := s.repo.Text(n)
	return state != "open"
}

// trialEnded is what trial.yml leaves on the head.
func (s *scene) trialEnded(branch, conclusion string) {
	s.repo.Check(s.fork.Tip(branch), trialCheck, "github-actions", conclusion, 1)
}

// TestMerge: an update by its owner is merged by itself, and published; the
// twins differ in one thing each and are not.
func TestMerge(t *testing.T) {
	s, n := updated(t)
	s.trialEnded("up", "success")
	a, err := s.reviewAll(s.event("opened", n, "ann", ""))
	if err != nil || a.Merged == "" || a.Conclusion != "success" {
		t.Fatalf("%+v, %v\n%s\n%v", a, err, s.log.String(), s.repo.Comments(n))
	}
	if s.repo.File("main", "tools/wo/word_count/0.2.0/tool.py") == nil {
		t.Error("main does not have it")
	}
	if runs := s.repo.Runs(); len(runs) != 1 || runs[0].Attempt != 2 {
		t.Errorf("runs %+v", runs)
	}
	if c := s.repo.Comments(n); len(c) != 1 || !strings.Contains(c[0].Body, "merged by itself, because an owner proposes it") {
		t.Errorf("comments %+v", c)
	}
	// Again, as after a run that broke off: it only publishes again.
	s.repo.EndRun(s.repo.Runs()[0].ID, "success")
	if a, err := s.run("report", "pull_request_target", s.event("opened", n, "ann", "")); err != nil || !strings.Contains(a.Line, "merged already") {
		t.Errorf("%+v, %v", a, err)
	}
	if runs := s.repo.Runs(); runs[0].Attempt != 3 {
		t.Errorf("runs %+v", runs)
	}

	twins := []struct {
		name       string
		do         func(s *scene, n int)
		conclusion string
		says       string
	}{
		{"no trial", func(*scene, int) {}, "success", "its trial in the sandbox has no result yet"},
		{"trial skipped", func(s *scene, _ int) { s.trialEnded("up", "skipped") }, "success", "its trial in the sandbox has no result yet"},
		{"trial failed", func(s *scene, _ int) { s.trialEnded("up", "failure") }, "failure", "its trial in the sandbox failed"},
		{"one trial of two failed", func(s *scene, _ int) {
			s.trialEnded("up", "success")
			s.repo.Check(s.fork.Tip("up"), trialCheck, "github-actions", "failure", 2)
		}, "failure", "its trial in the sandbox failed"},
		{"hold", func(s *scene, n int) { s.trialEnded("up", "success"); s.repo.Label(n, "hold") }, "success", "it has the label"},
		{"draft", func(s *scene, n int) { s.trialEnded("up", "success"); s.repo.Draft(n, true) }, "success", "it is a draft"},
		{"a file of .github", func(s *scene, _ int) {
			s.push("up", map[string]string{".github/workflows/x.yml": "on: push"})
			s.trialEnded("up", "success")
		}, "failure", "there are errors"},
	}
	for _, twin := range twins {
		t.Run(twin.name, func(t *testing.T) {
			s, n := updated(t)
			twin.do(s, n)
			a, _ := s.reviewAll(s.event("opened", n, "ann", ""))
			if a.Merged != "" || a.Conclusion != twin.conclusion || s.conclusion("up") != twin.conclusion {
				t.Errorf("%+v\n%s", a, s.log.String())
			}
			if c := s.repo.Comments(n); len(c) != 1 || !strings.Contains(c[0].Body, twin.says) {
				t.Errorf("comments %+v", c)
			}
			if s.isMerged(n) || s.repo.Runs()[0].Attempt != 1 {
				t.Error("it was merged or published")
			}
		})
	}
}

// TestNoRunToRepeat: what nobody publishes is said.
func TestNoRunToRepeat(t *testing.T) {
	s, n := updated(t)
	s.trialEnded("up", "success")
	s.repo.EndRun(s.repo.Runs()[0].ID, "success")
	s.gh.Fail(githubtest.Fault{Method: "POST", Path: "/repos/acme/tools/actions/", Status: 403, Body: `{"message":"Unable to re-run this workflow run"}`, Times: -1})
	a, err := s.reviewAll(s.event("opened", n, "ann", ""))
	if err != nil || a.Merged == "" {
		t.Fatalf("%+v, %v", a, err)
	}
	if c := s.repo.Comments(n); !strings.Contains(c[0].Body, "a maintainer has to push to `main`") {
		t.Errorf("comment %s", c[0].Body)
	}
}

// TestHeadMoved: a report about a commit that is not the head any more says and
// does nothing.
func TestHeadMoved(t *testing.T) {
	s, n := updated(t)
	s.trialEnded("up", "success")
	payload := s.event("opened", n, "ann", "")
	for _, verb := range []string{"quarantine", "judge"} {
		if _, err := s.run(verb, "pull_request_target", payload); err != nil {
			t.Fatal(err)
		}
	}
	before := s.fork.Tip("up")
	s.push("up", map[string]string{"tools/wo/word_count/0.2.0/README.md": "evil\n"})
	a, err := s.run("report", "pull_request_target", payload)
	if err != nil || a.Conclusion != "" || !strings.Contains(a.Line, "nothing is reported") {
		t.Errorf("%+v, %v", a, err)
	}
	if len(s.repo.Comments(n)) != 0 || len(s.repo.Labels(n)) != 0 || len(s.repo.Checks(before)) != 1 || s.conclusion("up") != "" {
		t.Error("something was written")
	}
	if !strings.Contains(s.read(s.summary), "nothing is reported") || s.read(s.outputs) != "merged=false\n" {
		t.Errorf("summary %q, outputs %q", s.read(s.summary), s.read(s.outputs))
	}
	if _, err := s.run("quarantine", "pull_request_target", payload); fault.ReasonOf(err) != "head_moved" {
		t.Errorf("quarantine: %v", err)
	}
	// One that moves between the look and the merge is not merged either.
	s, n = updated(t)
	s.trialEnded("up", "success")
	s.gh.Fail(githubtest.Fault{Method: "PUT", Path: "/repos/acme/tools/pulls/", Do: func() {
		s.fork.Push("up", "", "late", map[string][]byte{"tools/wo/word_count/0.2.0/README.md": []byte("evil\n")})
	}})
	a, err = s.reviewAll(s.event("opened", n, "ann", ""))
	if a.Merged != "" || s.isMerged(n) {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestNoReview: without a review that can be believed the conclusion is failure,
// whatever else is there.
func TestNoReview(t *testing.T) {
	for name, spoil := range map[string]func(s *scene){
		"missing":        func(*scene) {},
		"not JSON":       func(s *scene) { s.write(s.work+"/review.json", "{") },
		"empty":          func(s *scene) { s.write(s.work+"/review.json", "{}") },
		"unknown member": func(s *scene) { s.edit(`{"schema"`, `{"more":1,"schema"`) },
		"two documents":  func(s *scene) { s.edit("", "{}") },
		"another commit": func(s *scene) { s.edit(s.fork.Tip("up"), strings.Repeat("a", 40)) },
		"another schema": func(s *scene) { s.edit("review/v1", "review/v2") },
	} {
		t.Run(name, func(t *testing.T) {
			s, n := updated(t)
			s.trialEnded("up", "success")
			payload := s.event("opened", n, "ann", "")
			if name != "missing" {
				if _, err := s.run("quarantine", "pull_request_target", payload); err != nil {
					t.Fatal(err)
				}
			}
			spoil(s)
			a, err := s.run("report", "pull_request_target", payload)
			if fault.KindOf(err) != fault.Findings || a.Conclusion != "failure" || s.conclusion("up") != "failure" || a.Merged != "" {
				t.Errorf("%+v, %v", a, err)
			}
			if c := s.repo.Comments(n); len(c) != 1 || !strings.Contains(c[0].Body, "did not finish") {
				t.Errorf("comments %+v", c)
			}
		})
	}
}

// edit replaces a text of review.json; "" appends.
func (s *scene) edit(from, to string) {
	s.t.Helper()
	text := s.read(s.work + "/review.json")
	changed := text + to
	if from != "" {
		changed = strings.Replace(text, from, to, 1)
	}
	if changed == text {
		s.t.Fatalf("the review has no %q", from)
	}
	s.write(s.work+"/review.json", changed)
}

// TestJudge: a registry that wants a model to look, and has none, lets a
// maintainer answer for the commit, and nobody else.
func TestJudge(t *testing.T) {
	s, n := updated(t)
	s.main(map[string]string{"registry.yaml": s.read(s.dir+"/registry.yaml") + "\n"})
	s.policy("judge: off", "judge: required")
	s.trialEnded("up", "success")
	a, err := s.reviewAll(s.event("opened", n, "ann", ""))
	if fault.KindOf(err) != fault.Denied || a.Conclusion != "action_required" || s.conclusion("up") != "action_required" || a.Merged != "" {
		t.Fatalf("%+v, %v\n%s\n%v", a, err, s.log.String(), s.repo.Comments(n))
	}
	if labels := s.repo.Labels(n); !slices.Contains(labels, "patch-git:needs-human") {
		t.Errorf("labels %v", labels)
	}
	for _, who := range []string{"ann", "bob", "tom"} {
		s.repo.Let("tom", "triage")
		if a, _ := s.reviewAll(s.event("labeled", n, who, acceptLabel)); a.Conclusion != "action_required" {
			t.Errorf("a label of %s: %+v", who, a)
		}
	}
	if a, _ := s.reviewAll(s.event("labeled", n, "mia", "other")); a.Conclusion != "action_required" {
		t.Errorf("another label: %+v", a)
	}
	if a, err := s.reviewAll(s.event("labeled", n, "mia", acceptLabel)); err != nil || a.Conclusion != "success" {
		t.Errorf("a maintainer's label: %+v, %v", a, err)
	}
	// It was for that commit.
	s.push("up", map[string]string{"tools/wo/word_count/0.2.0/README.md": "more\n"})
	if a, _ := s.reviewAll(s.event("synchronize", n, "ann", "")); a.Conclusion != "action_required" {
		t.Errorf("the next commit: %+v", a)
	}
}

// policy changes registry.yaml on main.
func (s *scene) policy(from, to string) {
	s.t.Helper()
	text := s.read(s.dir + "/registry.yaml")
	changed := strings.Replace(text, from, to, 1)
	if changed == text {
		s.t.Fatalf("registry.yaml has no %q:\n%s", from, text)
	}
	s.main(map[string]string{"registry.yaml": changed})
}
