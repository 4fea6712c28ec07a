package action

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

// publishedOnce leaves the run of publish that can be made again.
func (s *scene) publishedOnce() {
	s.repo.AddRun(githubtest.Run{File: publishFile, Attempt: 1, Head: s.repo.Tip("main"), Event: "push", Branch: "main", Status: "completed", Conclusion: "success", Created: s.now})
}

// ran leaves a run of quarantine.yml for a branch of a fork.
func (s *scene) ran(fork *githubtest.Repo, branch string) {
	s.repo.AddRun(githubtest.Run{File: quarantineFile, Attempt: 1, Head: fork.Tip(branch), Event: "pull_request_target", Branch: branch, HeadRepo: fork, Status: "completed", Conclusion: "success", Created: s.now})
}

// git runs git in a folder.
func (s *scene) git(dir string, args ...string) string {
	s.t.Helper()
	args = append([]string{"-C", dir, "-c", "safe.directory=*", "-c", "user.name=x", "-c", "user.email=x@x"}, args...)
	out, err := exec.CommandContext(s.t.Context(), "git", args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestCrissCross: main has a merge, one side of which revoked malware. The head
// has both sides as its parents and the files of the other side: one file is
// listed, and merged it would take the revocation back. The twin has the same
// files on top of main.
func TestCrissCross(t *testing.T) {
	const revoked = "owners:\n  - login: bob\n    id: 8\nrevoked:\n  \"1.0.0\": malware\n"
	for name, straight := range map[string]bool{"both sides": false, "on top of main": true} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.publishedOnce()
			root := s.repo.Tip("main")
			side := s.repo.Push("fix", root, "fix", map[string][]byte{"tools/vi/victim/tool.yaml": []byte(revoked), ".github/workflows/hard.yml": []byte("x\n")})
			first := s.repo.Push("main", "", "other work", map[string][]byte{"README.md": []byte("moved\n")})
			tree := strings.Fields(s.git(s.repo.Dir, "merge-tree", "--write-tree", first, side))[0]
			tip := s.git(s.repo.Dir, "commit-tree", tree, "-p", first, "-p", side, "-m", "Merge pull request #1")
			s.repo.Branch("main", tip)
			s.write(filepath.Join(s.dir, ".git", "HEAD"), tip+"\n")
			s.write(filepath.Join(s.dir, "tools/vi/victim/tool.yaml"), revoked)
			s.git(s.fork.Dir, "fetch", "-q", s.repo.Dir, "+main:main", "+fix:fix")
			update := map[string][]byte{"tools/wo/word_count/0.2.0/tool.py": []byte(source("word_count", "0.2.0"))}
			if straight {
				s.fork.Push("evil", tip, "up", update)
			} else {
				// Which of the two bases GitHub lists against, the attacker tries out.
				for _, base := range []string{first, side} {
					files := s.git(s.fork.Dir, "rev-parse", s.fork.Push("try", base, "up", update)+"^{tree}")
					head := s.git(s.fork.Dir, "commit-tree", files, "-p", first, "-p", side, "-m", "evil")
					if s.git(s.fork.Dir, "merge-base", tip, head) == base {
						s.fork.Branch("evil", head)
					}
				}
			}
			n := s.repo.Pull("ann", s.fork, "evil", "t", "b")
			s.trialEnded("evil", "success")
			a, _ := s.reviewAll(s.event("opened", n, "ann", ""))
			if straight {
				if a.Merged == "" || !strings.Contains(string(s.repo.File("main", "tools/vi/victim/tool.yaml")), "malware") {
					t.Errorf("%+v\n%s", a, s.repo.Comments(n)[0].Body)
				}
				return
			}
			if a.Merged != "" || a.Conclusion != "failure" || s.conclusion("evil") != "failure" || s.repo.Tip("main") != tip {
				t.Errorf("%+v", a)
			}
			if c := s.repo.Comments(n)[0].Body; !strings.Contains(c, "GOV-010") || !strings.Contains(c, "rebase onto main") {
				t.Errorf("comment %s", c)
			}
		})
	}
}

// TestLate: what happens between the review and the merge counts. Twins are what
// does not concern it.
func TestLate(t *testing.T) {
	for name, c := range map[string]struct {
		do     func(s *scene, n int)
		merged bool
		says   string
		waits  bool
	}{
		"nothing":           {func(*scene, int) {}, true, "", false},
		"another label":     {func(s *scene, n int) { s.repo.Label(n, "holder") }, true, "", false},
		"a stranger asks":   {func(s *scene, n int) { s.repo.Review(n, "bob", "CHANGES_REQUESTED") }, true, "", false},
		"another tool":      {func(s *scene, _ int) { s.main(map[string]string{"tools/li/line_sort/0.1.0/tool.py": "x\n"}) }, true, "", false},
		"held":              {func(s *scene, n int) { s.repo.Label(n, "Hold") }, false, "it has the label", false},
		"a draft":           {func(s *scene, n int) { s.repo.Draft(n, true) }, false, "it is a draft", false},
		"a maintainer asks": {func(s *scene, n int) { s.repo.Review(n, "mia", "CHANGES_REQUESTED") }, false, "somebody asks for changes", false},
		"the owner is another": {func(s *scene, _ int) {
			s.main(map[string]string{"tools/wo/word_count/tool.yaml": "owners:\n  - login: bob\n    id: 8\n"})
		}, false, "changed after it was reviewed", true},
		"the policy is another":     {func(s *scene, _ int) { s.policy("auto_merge: true", "auto_merge: false") }, false, "changed after it was reviewed", true},
		"main was written anew":     {func(s *scene, _ int) { s.edit(s.repo.Tip("main")+`","author`, strings.Repeat("a", 40)+`","author`) }, false, "changed after it was reviewed", true},
		"nobody knows the checkout": {func(s *scene, _ int) { s.edit(`"tree":"`+s.repo.Tip("main")+`",`, "") }, false, "changed after it was reviewed", true},
		"nobody tells": {func(s *scene, _ int) {
			s.gh.Fail(githubtest.Fault{Method: "GET", Path: "/repos/acme/tools/git/ref/", Status: 404, Body: `{}`})
		}, false, "nobody could tell", true},
		"too many by now": {func(s *scene, _ int) {
			s.edit(`"updates_per_day":10`, `"updates_per_day":1`)
			m := s.propose("yank", map[string]string{"tools/wo/word_count/tool.yaml": "owners:\n  - login: ann\n    id: 7\nyanked:\n  \"0.1.0\": wrong\n"})
			work := s.work
			s.work = t.TempDir()
			if a, err := s.reviewAll(s.event("opened", m, "ann", "")); a.Merged == "" {
				t.Errorf("the other was not merged: %v\n%s", err, s.repo.Comments(m)[0].Body)
			}
			s.work = work
		}, false, "no more of one author in a day", true},
	} {
		t.Run(name, func(t *testing.T) {
			s, n := updated(t)
			s.trialEnded("up", "success")
			payload := s.event("opened", n, "ann", "")
			for _, verb := range []string{"quarantine", "judge"} {
				if _, err := s.run(verb, "pull_request_target", payload); err != nil {
					t.Fatal(err)
				}
			}
			c.do(s, n)
			tip := s.repo.Tip("main")
			a, err := s.run("report", "pull_request_target", payload)
			if err != nil || (a.Merged != "") != c.merged || (s.repo.Tip("main") != tip) != c.merged {
				t.Errorf("%+v, %v\n%s", a, err, s.log.String())
			}
			if text := s.repo.Comments(n)[0].Body; !strings.Contains(text, c.says) {
				t.Errorf("comment %s", text)
			}
			if slices.Contains(s.repo.Labels(n), waitingLabel) != c.waits {
				t.Errorf("labels %v", s.repo.Labels(n))
			}
		})
	}
}

const schedule = `{"repository":{"full_name":"acme/tools"}}`

// night plays nightly.yml, with what happens between its jobs.
func (s *scene) night(between func()) answer {
	s.t.Helper()
	if _, err := s.run("quarantine", "schedule", schedule); err != nil {
		s.t.Fatalf("%v\n%s", err, s.log.String())
	}
	between()
	for _, r := range s.repo.Runs() {
		if r.File == publishFile {
			s.repo.EndRun(r.ID, "success")
		}
	}
	a, err := s.run("nightly", "schedule", schedule)
	if err != nil {
		s.t.Errorf("%v\n%s", err, s.log.String())
	}
	return a
}

// fresh proposes a new name of somebody's, which waits from now on.
func (s *scene) fresh(who, name string, id string) int {
	s.t.Helper()
	fork := s.fork
	if who != "ann" {
		fork = s.repo.Fork(who)
	}
	fork.Push(name, s.repo.Tip("main"), "new", map[string][]byte{
		"tools/" + name[:2] + "/" + name + "/0.1.0/tool.py": []byte(source(name, "0.1.0")),
		"tools/" + name[:2] + "/" + name + "/tool.yaml":     []byte("owners:\n  - login: " + who + "\n    id: " + id + "\n"),
	})
	n := s.repo.Pull(who, fork, name, "t", "b")
	s.ran(fork, name)
	s.repo.Check(fork.Tip(name), trialCheck, "github-actions", "success", 1)
	if a, err := s.reviewAll(s.event("opened", n, who, "")); err != nil || !slices.Contains(s.repo.Labels(n), waitingLabel) {
		s.t.Fatalf("%+v, %v, %v", a, err, s.repo.Labels(n))
	}
	return n
}

// ripe is a registry whose new names wait for three days.
func ripe(t *testing.T) *scene {
	t.Helper()
	s := newScene(t)
	s.policy("new_name_wait: 0", "new_name_wait: 72h")
	s.publishedOnce()
	return s
}

// TestNightMergesOne: names that waited were judged against one tree and one
// count. Of one author one is merged in a night; of two that are close only the
// older one, whoever's the other is; names of others that are not close are.
func TestNightMergesOne(t *testing.T) {
	s := ripe(t)
	first, twin := s.fresh("ann", "line_sort", "7"), s.fresh("bob", "line_sorts", "8")
	mine := s.fresh("ann", "csv_head", "7")
	s.gh.Account(githubtest.Account{Login: "cleo", ID: 9})
	other := s.fresh("cleo", "url_parts", "9")
	s.now = s.now.Add(73 * time.Hour)
	a := s.night(func() {})
	if !s.isMerged(first) || s.isMerged(twin) || s.isMerged(mine) || !s.isMerged(other) || !strings.Contains(a.Line, "4 pull requests waited for their time, 2 were merged") {
		t.Errorf("%v %v %v %v: %+v\n%s", s.isMerged(first), s.isMerged(twin), s.isMerged(mine), s.isMerged(other), a, s.log.String())
	}
	for n, says := range map[int]string{twin: "an older pull request waits with a name close", mine: "no more of one author in a day"} {
		if c := s.repo.Comments(n)[0].Body; !strings.Contains(c, says) || !slices.Contains(s.repo.Labels(n), waitingLabel) {
			t.Errorf("%s\n%v", c, s.repo.Labels(n))
		}
	}
	// The next night the tree has the first: its twin needs a person, and the
	// author's other name is merged.
	s.main(map[string]string{
		"tools/li/line_sort/0.1.0/tool.py": source("line_sort", "0.1.0"), "tools/li/line_sort/tool.yaml": "owners:\n  - login: ann\n    id: 7\n",
		"tools/ur/url_parts/0.1.0/tool.py": source("url_parts", "0.1.0"), "tools/ur/url_parts/tool.yaml": "owners:\n  - login: cleo\n    id: 9\n",
	})
	s.now = s.now.Add(25 * time.Hour)
	s.night(func() {})
	if s.isMerged(twin) || !s.isMerged(mine) || slices.Contains(s.repo.Labels(twin), waitingLabel) {
		t.Errorf("%v %v %v\n%s", s.isMerged(twin), s.isMerged(mine), s.repo.Labels(twin), s.log.String())
	}
}

// TestNightHeld: what is held between the rescan and the merges is not merged.
func TestNightHeld(t *testing.T) {
	for name, hold := range map[string]bool{"held": true, "not held": false} {
		t.Run(name, func(t *testing.T) {
			s := ripe(t)
			n := s.fresh("ann", "line_sort", "7")
			s.now = s.now.Add(73 * time.Hour)
			s.night(func() {
				if hold {
					s.repo.Label(n, "hold")
				}
			})
			if s.isMerged(n) == hold {
				t.Errorf("merged: %v\n%s", s.isMerged(n), s.log.String())
			}
		})
	}
}

// TestTrialAfterTheWait: a name whose time has come and whose trial nobody let
// run is looked at again every night.
func TestTrialAfterTheWait(t *testing.T) {
	s := ripe(t)
	n := s.fresh("ann", "line_sort", "7")
	s.repo.Check(s.fork.Tip("line_sort"), trialCheck, "github-actions", "", 2)
	s.now = s.now.Add(73 * time.Hour)
	s.night(func() {})
	if s.isMerged(n) || !slices.Contains(s.repo.Labels(n), waitingLabel) || !strings.Contains(s.repo.Comments(n)[0].Body, "no result yet. It is looked at again every night") {
		t.Fatalf("%v %v\n%s", s.isMerged(n), s.repo.Labels(n), s.repo.Comments(n)[0].Body)
	}
	s.repo.Check(s.fork.Tip("line_sort"), trialCheck, "github-actions", "success", 2)
	s.now = s.now.Add(24 * time.Hour)
	s.night(func() {})
	if !s.isMerged(n) {
		t.Errorf("%v\n%s\n%s", s.repo.Labels(n), s.repo.Comments(n)[0].Body, s.log.String())
	}
}

// TestRefusedForAMoment: GitHub says no while main moves. It is asked again, as
// often as is decent, and each time what was said meanwhile counts.
func TestRefusedForAMoment(t *testing.T) {
	for name, c := range map[string]struct {
		times  int
		do     func(s *scene, n int)
		merged bool
		says   string
	}{
		"once":        {1, nil, true, "It was merged by itself"},
		"twice":       {2, nil, true, "It was merged by itself"},
		"always":      {-1, nil, false, "It is tried again every night"},
		"held by now": {1, func(s *scene, n int) { s.repo.Label(n, "hold") }, false, "it has the label"},
	} {
		t.Run(name, func(t *testing.T) {
			s, n := updated(t)
			s.trialEnded("up", "success")
			f := githubtest.Fault{Method: "PUT", Path: "/repos/acme/tools/pulls/", Status: 405, Body: `{"message":"Base branch was modified. Review and try the merge again."}`, Times: c.times}
			if c.do != nil {
				f.Do = func() { c.do(s, n) }
			}
			s.gh.Fail(f)
			a, err := s.reviewAll(s.event("opened", n, "ann", ""))
			if err != nil || (a.Merged != "") != c.merged || !strings.Contains(s.repo.Comments(n)[0].Body, c.says) {
				t.Errorf("%+v, %v\n%s", a, err, s.repo.Comments(n)[0].Body)
			}
			if slices.Contains(s.repo.Labels(n), waitingLabel) != (name == "always") {
				t.Errorf("labels %v", s.repo.Labels(n))
			}
		})
	}
}

// TestTakenName: without the branch published nobody can tell whether a name was
// ever somebody's, so a person has to look; with it a new name waits its time.
func TestTakenName(t *testing.T) {
	for name, there := range map[string]bool{"without the branch": false, "with it": true} {
		t.Run(name, func(t *testing.T) {
			s := ripe(t)
			if !there {
				if err := os.RemoveAll(filepath.Join(s.dir, "published")); err != nil {
					t.Fatal(err)
				}
			}
			n := s.propose("new", map[string]string{"tools/li/line_sort/0.1.0/tool.py": source("line_sort", "0.1.0"), "tools/li/line_sort/tool.yaml": "owners:\n  - login: ann\n    id: 7\n"})
			a, _ := s.reviewAll(s.event("opened", n, "ann", ""))
			if want := map[bool]string{true: "success", false: "action_required"}[there]; a.Conclusion != want || s.isMerged(n) || slices.Contains(s.repo.Labels(n), waitingLabel) != there {
				t.Errorf("%+v %v\n%s", a, s.repo.Labels(n), s.repo.Comments(n)[0].Body)
			}
		})
	}
}
