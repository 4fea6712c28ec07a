package action

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

// elsewhere is a GitHub on which every pull request is for another branch.
type elsewhere struct{ hub }

func (e elsewhere) Pull(ctx context.Context, repo github.Repo, number int) (github.Pull, error) {
	p, err := e.hub.Pull(ctx, repo, number)
	p.Base.Branch = "side"
	return p, err
}

// TestOtherBranch: a pull request that is for another branch, from the beginning
// or by now, is neither reviewed nor reported on.
func TestOtherBranch(t *testing.T) {
	s, n := updated(t)
	s.trialEnded("up", "success")
	payload := s.event("opened", n, "ann", "")
	for _, verb := range []string{"quarantine", "judge"} {
		if _, err := s.run(verb, "pull_request_target", payload); err != nil {
			t.Fatal(err)
		}
	}
	s.wrap = func(h hub) hub { return elsewhere{h} }
	if _, err := s.run("quarantine", "pull_request_target", payload); fault.KindOf(err) != fault.Findings || fault.ReasonOf(err) != "base" {
		t.Errorf("quarantine: %v", err)
	}
	if a, err := s.run("report", "pull_request_target", payload); err != nil || a.Conclusion != "" || s.isMerged(n) || s.conclusion("up") != "" || len(s.repo.Comments(n)) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	// The twin.
	s.wrap = nil
	if a, err := s.run("report", "pull_request_target", payload); err != nil || !s.isMerged(n) {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestAnnotations: a finding stands beside its line in the pull request.
func TestAnnotations(t *testing.T) {
	s := newScene(t)
	path := "tools/wo/word_count/0.2.0/tool.py"
	n := s.propose("up", map[string]string{path: strings.Replace(source("word_count", "0.2.0"), "\ndef main", "print('::error::@octocat')\n\ndef main", 1)})
	if a, err := s.reviewAll(s.event("opened", n, "ann", "")); fault.KindOf(err) != fault.Findings || a.Conclusion != "failure" {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, c := range s.repo.Checks(s.fork.Tip("up")) {
		if c.Name != checkName || c.Conclusion != "failure" || len(c.Annotations) == 0 {
			t.Fatalf("%+v", c)
		}
		if a := c.Annotations[0]; a.Path != path || a.Line < 10 || a.Level != "failure" || !strings.HasPrefix(a.Title, "PY-") {
			t.Errorf("%+v", a)
		}
		harmless(t, c.Summary)
	}
	if c := s.repo.Comments(n); len(c) != 1 || !strings.Contains(c[0].Body, "1 error,") || !strings.Contains(c[0].Body, "fix: ") {
		t.Errorf("%+v", c)
	}
}

// TestOvertaken: a run that was cancelled for a newer one does not say over its
// head that there is no review.
func TestOvertaken(t *testing.T) {
	for _, c := range []struct {
		name string
		own  int64 // number of this run, from that of the other one
		run  githubtest.Run
		says string
	}{
		{"a newer run", -1, githubtest.Run{Event: "pull_request_target", Status: "in_progress"}, ""},
		{"an older one", 1, githubtest.Run{Event: "pull_request_target", Status: "completed", Conclusion: "success"}, "failure"},
		{"one that was for another label", -1, githubtest.Run{Event: "pull_request_target", Status: "completed", Conclusion: "skipped"}, "failure"},
		{"one of a stranger's", -1, githubtest.Run{Event: "pull_request", Status: "completed", Conclusion: "success"}, "failure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, n := updated(t)
			c.run.File, c.run.Attempt, c.run.Head, c.run.Branch, c.run.Created = quarantineFile, 1, s.fork.Tip("up"), "up", s.now
			s.runID = strconv.FormatInt(s.repo.AddRun(c.run)+c.own, 10)
			a, _ := s.run("report", "pull_request_target", s.event("opened", n, "ann", ""))
			if a.Conclusion != c.says || s.conclusion("up") != c.says {
				t.Errorf("%+v, %q", a, s.conclusion("up"))
			}
		})
	}
}
