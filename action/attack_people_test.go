package action

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
)

// TestSharedHead: somebody opens a pull request with the commit of another one.
// The check is the first one's, its wait goes on, and the copy is told so; a
// commit of their own is judged.
func TestSharedHead(t *testing.T) {
	s := ripe(t)
	stale := s.repo.Fork("bob")
	stale.Push("b", s.repo.Tip("main"), "old", map[string][]byte{"docs/x.md": []byte("x\n")})
	older := s.repo.Pull("bob", stale, "b", "t", "b") // opened first, moved to the commit later
	n := s.fresh("ann", "line_sort", "7")
	s.now = s.now.Add(70 * time.Hour)
	s.git(stale.Dir, "fetch", "-q", s.fork.Dir, "+line_sort:b", "line_sort:line_sort")
	copied := s.repo.Pull("bob", stale, "line_sort", "t", "b") // a branch of the same name, too
	for branch, m := range map[string]int{"b": older, "line_sort": copied} {
		s.ran(stale, branch)
		a, err := s.reviewAll(s.event("opened", m, "bob", ""))
		if err != nil || a.Conclusion != "" || a.Merged != "" || !strings.Contains(a.Line, fmt.Sprintf("the commit of #%d", n)) {
			t.Errorf("%+v, %v", a, err)
		}
		if c := s.repo.Comments(m); len(c) != 1 || !strings.Contains(c[0].Body, "had this one first") {
			t.Errorf("%+v", c)
		}
	}
	if got := s.conclusion("line_sort"); got != "success" {
		t.Errorf("the check is %s", got)
	}
	s.now = s.now.Add(3 * time.Hour)
	s.night(func() {})
	if !s.isMerged(n) || s.isMerged(older) || s.isMerged(copied) {
		t.Errorf("%v %v %v\n%s", s.isMerged(n), s.isMerged(older), s.isMerged(copied), s.log.String())
	}
	// The twin: a commit of bob's own gets its own check.
	own := stale.Push("line_sort", "", "more", map[string][]byte{"docs/y.md": []byte("y\n")})
	if a, _ := s.reviewAll(s.event("synchronize", copied, "bob", "")); a.Conclusion != "failure" || len(s.repo.Checks(own)) != 1 {
		t.Errorf("%+v", a)
	}
}

// TestAcceptUnseen: the label counts for a commit that had a result when somebody
// set it, and not for one that was pushed under their hand.
func TestAcceptUnseen(t *testing.T) {
	grown := strings.Replace(source("word_count", "0.2.0"), "network: false", "network: true", 1)
	for name, c := range map[string]struct {
		app, ended string
		want       string
	}{
		"no result":      {"", "", "action_required"},
		"not ended":      {"github-actions", "", "action_required"},
		"of another app": {"somebody", "success", "action_required"},
		"seen":           {"github-actions", "action_required", "success"},
	} {
		t.Run(name, func(t *testing.T) {
			s, n := updated(t)
			s.push("up", map[string]string{"tools/wo/word_count/0.2.0/tool.py": grown})
			if c.app != "" {
				s.repo.Check(s.fork.Tip("up"), checkName, c.app, c.ended, 4)
			}
			a, _ := s.reviewAll(s.event("labeled", n, "mia", acceptLabel))
			if a.Conclusion != c.want || a.Merged != "" || s.isMerged(n) {
				t.Errorf("%+v\n%s", a, s.log.String())
			}
		})
	}
}

// TestApprovalNeedsARun: what a maintainer is told to do has an effect.
func TestApprovalNeedsARun(t *testing.T) {
	s, n := updated(t)
	s.push("up", map[string]string{"tools/wo/word_count/0.2.0/tool.py": strings.Replace(source("word_count", "0.2.0"), "network: false", "network: true", 1)})
	payload := s.event("opened", n, "ann", "")
	_, err := s.reviewAll(payload)
	hint := fmt.Sprint(fault.HintsOf(err))
	if c := s.repo.Comments(n)[0].Body; fault.KindOf(err) != fault.Denied || !strings.Contains(c, "running all jobs of the workflow `quarantine` again") || !strings.Contains(hint, "run all jobs of this workflow again") {
		t.Errorf("%v, %s\n%s", err, hint, c)
	}
	s.repo.Review(n, "mia", "APPROVED")
	if a, _ := s.run("report", "pull_request_target", payload); a.Conclusion != "action_required" {
		t.Errorf("the report alone: %+v", a)
	}
	if a, err := s.reviewAll(payload); err != nil || a.Conclusion != "success" {
		t.Errorf("all jobs: %+v, %v", a, err)
	}
}

// TestCrowd: more strangers than are asked about review. The pull request is
// reviewed all the same, and the maintainer among them is heard; what cannot be
// told keeps a person in the loop and no more.
func TestCrowd(t *testing.T) {
	for name, c := range map[string]struct {
		state  string
		mia    string
		merged bool
		says   string
	}{
		"they approve":                       {"APPROVED", "", true, "It was merged by itself"},
		"they approve, and mia does not":     {"APPROVED", "CHANGES_REQUESTED", false, "somebody asks for changes"},
		"they object, more than can be told": {"CHANGES_REQUESTED", "", false, "somebody asks for changes"},
	} {
		t.Run(name, func(t *testing.T) {
			s, n := updated(t)
			s.trialEnded("up", "success")
			for i := range limits.Reviewers + 1 {
				s.repo.Review(n, fmt.Sprintf("sock-%d", i), c.state)
			}
			if c.mia != "" {
				s.repo.Review(n, "mia", c.mia)
			}
			a, err := s.reviewAll(s.event("opened", n, "ann", ""))
			if err != nil || a.Conclusion != "success" || (a.Merged != "") != c.merged || !strings.Contains(s.repo.Comments(n)[0].Body, c.says) {
				t.Errorf("%+v, %v\n%s", a, err, s.repo.Comments(n)[0].Body)
			}
		})
	}
}

// TestNightIsBounded: the night takes so many of one author, and hands on nothing
// that is long; what a night cannot do is said.
func TestNightIsBounded(t *testing.T) {
	s := ripe(t)
	long := strings.Replace(source("line_sort", "0.1.0"), "\ndef main", "\n# "+strings.Repeat("long ", 20_000)+"\ndef main", 1)
	for i := range limits.WaitingEach + 2 {
		branch := fmt.Sprintf("b%d", i)
		n := s.propose(branch, map[string]string{"tools/li/line_sort/0.1.0/tool.py": long, "tools/li/line_sort/tool.yaml": "owners:\n  - login: ann\n    id: 7\n", branch: "x"})
		s.repo.Label(n, waitingLabel)
	}
	other := s.fresh("bob", "url_parts", "8")
	a, err := s.run("quarantine", "schedule", schedule)
	if err != nil || !strings.Contains(a.Line, fmt.Sprintf("%d pull requests waited, and 2 others are left", limits.WaitingEach+1)) {
		t.Fatalf("%+v, %v", a, err)
	}
	var doc nightly
	j := &job{work: s.work, tell: s.hear, host: s.host("schedule", schedule)}
	if !j.take(nightlyFile, &doc) || len(doc.Reviews) != limits.WaitingEach+1 || doc.Left != 2 || doc.Reviews[limits.WaitingEach].Pull != other {
		t.Fatalf("%+v", doc)
	}
	for _, r := range doc.Reviews {
		if r.Tool != nil || r.Diff != "" || len(r.Encode()) > 64*limits.KiB {
			t.Errorf("a review of %d bytes", len(r.Encode()))
		}
	}
	// Where pull requests cannot be listed, what is known of the tools is there.
	s.work = t.TempDir()
	s.gh.Fail(githubtest.Fault{Method: "GET", Path: "/repos/acme/tools/pulls", Status: 404, Body: `{}`})
	if _, err := s.run("quarantine", "schedule", schedule); fault.KindOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
	j.work = s.work
	if doc = (nightly{}); !j.take(nightlyFile, &doc) || doc.Rescan == nil || doc.Rescan.Versions != 1 || len(doc.Reviews) != 0 {
		t.Errorf("%+v", doc)
	}
}

// TestNightForged: a review that no review can be is not acted on; the one
// beside it is.
func TestNightForged(t *testing.T) {
	s := ripe(t)
	n, other := s.fresh("ann", "line_sort", "7"), s.fresh("bob", "url_parts", "8")
	s.now = s.now.Add(73 * time.Hour)
	if _, err := s.run("quarantine", "schedule", schedule); err != nil {
		t.Fatal(err)
	}
	var doc nightly
	j := &job{work: s.work, tell: s.hear, host: s.host("schedule", schedule)}
	if !j.take(nightlyFile, &doc) || len(doc.Reviews) != 2 || !doc.Reviews[0].Merge.Auto {
		t.Fatalf("%+v", doc)
	}
	doc.Reviews[0].Verdict = review.NeedsHuman
	s.write(filepath.Join(s.work, nightlyFile), string(ledger.Encode(doc)))
	_, err := s.run("nightly", "schedule", schedule)
	if fault.ReasonOf(err) != "review" || s.isMerged(n) || !s.isMerged(other) || len(s.repo.Checks(s.fork.Tip("line_sort"))) != 2 {
		t.Errorf("%v, %v, %v", err, s.isMerged(n), s.isMerged(other))
	}
}

// TestStaleIsOver: a word of somebody takes the label off, and nothing is closed
// for what was said before it; the twin says nothing.
func TestStaleIsOver(t *testing.T) {
	for name, speaks := range map[string]bool{"a word": true, "silence": false} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			n := s.propose("old", map[string]string{"docs/x.md": "x\n"})
			night := func() {
				t.Helper()
				s.publishedOnce()
				s.night(func() {})
			}
			s.now = s.now.Add(limits.StaleAfter)
			night()
			if !slices.Contains(s.repo.Labels(n), staleLabel) {
				t.Fatalf("%v", s.repo.Labels(n))
			}
			s.now = s.now.Add(24 * time.Hour)
			night()
			if !slices.Contains(s.repo.Labels(n), staleLabel) {
				t.Fatalf("our own words took the label off: %v", s.repo.Labels(n))
			}
			if speaks {
				s.repo.Comment(n, "ann", "I am on it")
			}
			s.now = s.now.Add(24 * time.Hour)
			night()
			if slices.Contains(s.repo.Labels(n), staleLabel) == speaks {
				t.Errorf("%v", s.repo.Labels(n))
			}
			s.now = s.now.Add(limits.StaleClose)
			night()
			if s.isMerged(n) == speaks {
				t.Errorf("closed: %v", s.isMerged(n))
			}
			// It is spoken to again after another month, and closed then.
			s.now = s.now.Add(limits.StaleAfter)
			night()
			s.now = s.now.Add(limits.StaleClose)
			night()
			if !s.isMerged(n) {
				t.Errorf("it is open for ever: %v", s.repo.Labels(n))
			}
		})
	}
}

// TestBlanks: whatever a runner trims before a command does not hide one.
func TestBlanks(t *testing.T) {
	for _, blank := range []string{"", " ", "\t", "\u00a0", "\u3000", "\u2003", "\u1680", "\u205f", "\u0085", "\u2028", "\u2029", "\u202f", "\v", "\f", " \u00a0 "} {
		evil := blank + "::set-output name=merged::true"
		lines, _ := fenced([]string{evil})
		for _, text := range []string{logLine("x\n" + evil), lines[0], plain(evil, 100)} {
			for line := range strings.Lines(text) {
				if strings.HasPrefix(strings.TrimSpace(line), "::") {
					t.Errorf("%q is a command", line)
				}
			}
		}
	}
	if got := logLine("a = b[::2]"); got != "a = b[::2]" {
		t.Errorf("%q", got)
	}
}
