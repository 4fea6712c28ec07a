package action

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/judge/judgetest"
)

// judged is a registry that wants a model, which is there, and a pull request of
// a tool by its owner with something in its notes.
func judged(t *testing.T, notes string) (*scene, *judgetest.Server, int) {
	t.Helper()
	s, _ := updated(t)
	s.policy("judge: off", "judge: required")
	server := judgetest.New(t)
	s.model = server.Env("openai")
	n := s.propose("judged", map[string]string{
		"tools/wo/word_count/0.3.0/tool.py":  source("word_count", "0.3.0"),
		"tools/wo/word_count/0.3.0/NOTES.md": "# Notes\n\n" + notes + "\n",
	})
	s.trialEnded("judged", "success")
	return s, server, n
}

// TestModel: what a model says decides with the rules, and nobody reads a word of
// its own.
func TestModel(t *testing.T) {
	s, server, _ := judged(t, "")
	for i, c := range []struct {
		name, kind, notes, trick string
		conclusion               string
		merged                   bool
		says                     []string
	}{
		{"an order", "openai", "EVIL <b>@octocat</b> ```", "", "failure", false, []string{"LLM-002", "NOTES.md:3: error", "asks for secrets", "the model objects to it"}},
		{"something odd", "anthropic", "ODD", "", "action_required", false, []string{"LLM-002", "NOTES.md:3: warning", "the model objects to it or is not sure"}},
		{"two words", "openai", "EVIL", "disagree", "action_required", false, []string{"NOTES.md:3: warning"}},
		{"a blind one", "openai", "EVIL", "canary-blind", "action_required", false, []string{"LLM-004", "whose verdict is known", "none did"}},
		{"prose", "anthropic", "It counts.", "prose", "action_required", false, []string{"LLM-004", "not of the one form"}},
		{"a wrong number", "openai", "It counts.", "wrong-nonce", "action_required", false, []string{"LLM-004"}},
		{"away", "openai", "It counts.", "redirect", "action_required", false, []string{"LLM-004", "does not take the request"}},
		{"busy", "openai", "It counts.", "busy", "action_required", false, []string{"LLM-004", "did not answer"}},
		{"huge", "anthropic", "It counts.", "huge", "action_required", false, []string{"LLM-004"}},
		{"too much", "openai", strings.Repeat("A line of words.\n", 300), "", "action_required", false, []string{"LLM-004", "more text than a model is asked about"}},
		{"nothing", "openai", "It counts.", "", "success", true, []string{"Model: ` double-1 `, 12 requests"}},
		{"nothing, by the other shape", "anthropic", "It counts.", "", "success", true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			s.model = server.Env(c.kind)
			server.Behave(c.trick)
			branch, version := fmt.Sprintf("b%d", i), fmt.Sprintf("1.%d.0", i)
			n := s.propose(branch, map[string]string{
				"tools/wo/word_count/" + version + "/tool.py":  source("word_count", version),
				"tools/wo/word_count/" + version + "/NOTES.md": "# Notes\n\n" + c.notes + "\n",
			})
			s.trialEnded(branch, "success")
			a, err := s.reviewAll(s.event("opened", n, "ann", ""))
			if a.Conclusion != c.conclusion || (a.Merged != "") != c.merged || s.isMerged(n) != c.merged || s.conclusion(branch) != c.conclusion {
				t.Fatalf("%+v, %v\n%s\n%v", a, err, s.log.String(), s.repo.Comments(n))
			}
			text := s.repo.Comments(n)[0].Body
			harmless(t, text)
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("the comment does not say %q:\n%s", want, text)
				}
			}
			// The key is in the requests and nowhere else.
			all := text + s.log.String() + s.read(s.outputs) + s.read(s.summary)
			for _, f := range []string{reviewFile, materialFile, judgeFile} {
				all += s.read(filepath.Join(s.work, f))
			}
			for _, r := range s.gh.Requests() {
				all += r.Body
			}
			if strings.Contains(all, judgetest.Key) {
				t.Error("the key was written down")
			}
			if doc := s.read(filepath.Join(s.work, judgeFile)); strings.Contains(doc, "EVIL") || strings.Contains(doc, "octocat") || strings.Contains(doc, "It counts") {
				t.Errorf("a word of the pull request is in %s", doc)
			}
			if !c.merged {
				return
			}
			if s.repo.File("main", "tools/wo/word_count/"+version+"/tool.py") == nil {
				t.Error("main does not have it")
			}
			for _, r := range s.repo.Runs() {
				if r.File == publishFile {
					s.repo.EndRun(r.ID, "success")
				}
			}
			s.merged()
		})
	}
}

// merged brings the checkout to what main is after a merge.
func (s *scene) merged() { s.write(filepath.Join(s.dir, ".git", "HEAD"), s.repo.Tip("main")+"\n") }

// TestModelIsAnsweredFor: what a model is not sure of a maintainer may let pass,
// at that commit; what it objects to, nobody.
func TestModelIsAnsweredFor(t *testing.T) {
	s, _, n := judged(t, "ODD")
	payload := s.event("opened", n, "ann", "")
	if a, _ := s.reviewAll(payload); a.Conclusion != "action_required" {
		t.Fatalf("%+v", a)
	}
	if a, _ := s.reviewAll(s.event("labeled", n, "bob", acceptLabel)); a.Conclusion != "action_required" {
		t.Errorf("a stranger's label: %+v", a)
	}
	if a, err := s.reviewAll(s.event("labeled", n, "mia", acceptLabel)); err != nil || a.Conclusion != "success" || a.Merged != "" {
		t.Errorf("a maintainer's label: %+v, %v", a, err)
	}
	s.push("judged", map[string]string{"tools/wo/word_count/0.3.0/README.md": "more\n"})
	if a, _ := s.reviewAll(s.event("synchronize", n, "ann", "")); a.Conclusion != "action_required" {
		t.Errorf("the next commit: %+v", a)
	}
	s.push("judged", map[string]string{"tools/wo/word_count/0.3.0/README.md": "EVIL\n"})
	if a, _ := s.reviewAll(s.event("synchronize", n, "ann", "")); a.Conclusion != "failure" {
		t.Errorf("EVIL: %+v", a)
	}
	if a, _ := s.reviewAll(s.event("labeled", n, "mia", acceptLabel)); a.Conclusion != "failure" {
		t.Errorf("EVIL, with a label: %+v", a)
	}
}

// TestModelIsAskedOnlyThen: where the policy wants none, and where the rules
// refuse already, nobody pays for a request.
func TestModelIsAskedOnlyThen(t *testing.T) {
	s, server, n := judged(t, "EVIL")
	s.policy("judge: required", "judge: off")
	if a, err := s.reviewAll(s.event("opened", n, "ann", "")); err != nil || a.Merged == "" || server.Requests() != 0 {
		t.Errorf("%+v, %v, %d requests", a, err, server.Requests())
	}
	if doc := s.read(filepath.Join(s.work, materialFile)); strings.Contains(doc, "EVIL") {
		t.Errorf("the texts are handed over to nobody: %s", doc)
	}
	s, server, n = judged(t, "It counts.\u202e")
	if a, _ := s.reviewAll(s.event("opened", n, "ann", "")); a.Conclusion != "failure" || server.Requests() != 0 {
		t.Errorf("%+v, %d requests", a, server.Requests())
	}
	// A change of tool.yaml alone has nothing to be judged.
	s, server, _ = judged(t, "x")
	m := s.propose("yank", map[string]string{"tools/wo/word_count/tool.yaml": "owners:\n  - login: ann\n    id: 7\nyanked:\n  \"0.1.0\": wrong\n"})
	if a, err := s.reviewAll(s.event("opened", m, "ann", "")); err != nil || a.Merged == "" || server.Requests() != 0 {
		t.Errorf("%+v, %v, %d requests", a, err, server.Requests())
	}
}

// TestModelConfiguration: none is a person's work, and half of one is an error
// that says so and ends as that.
func TestModelConfiguration(t *testing.T) {
	s, server, n := judged(t, "It counts.")
	payload := s.event("opened", n, "ann", "")
	whole := s.model
	s.model = nil
	if a, _ := s.reviewAll(payload); a.Conclusion != "action_required" || !strings.Contains(s.repo.Comments(n)[0].Body, "no model is configured") {
		t.Errorf("%+v\n%s", a, s.repo.Comments(n)[0].Body)
	}
	s.model = map[string]string{"PATCH_GIT_JUDGE_URL": whole["PATCH_GIT_JUDGE_URL"], "PATCH_GIT_JUDGE_KEY": judgetest.Key}
	if err := os.Remove(filepath.Join(s.work, judgeFile)); err != nil {
		t.Fatal(err)
	}
	_, err := s.run("judge", "pull_request_target", payload)
	if fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "judge_config" || strings.Contains(err.Error(), judgetest.Key) {
		t.Errorf("%v", err)
	}
	if a, _ := s.run("report", "pull_request_target", payload); a.Conclusion != "action_required" || s.isMerged(n) {
		t.Errorf("%+v", a)
	}
	if server.Requests() != 0 {
		t.Errorf("%d requests", server.Requests())
	}
	s.model = whole
	if a, err := s.reviewAll(payload); err != nil || a.Merged == "" {
		t.Errorf("the twin: %+v, %v", a, err)
	}
}

// TestForgedJudgement: what lies between the jobs is believed only whole.
func TestForgedJudgement(t *testing.T) {
	s, _, n := judged(t, "ODD")
	payload := s.event("opened", n, "ann", "")
	for _, verb := range []string{"quarantine", "judge"} {
		if _, err := s.run(verb, "pull_request_target", payload); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, file, from, to string }{
		{"the outcome", judgeFile, `"outcome":"needs_human"`, `"outcome":"pass"`},
		{"without its findings", judgeFile, `"findings":[{`, `"found":[{`},
		{"of another pull request", judgeFile, `"pull":`, `"pull":1`},
		{"not asked", judgeFile, `{"schema":"patch-git/judge/v2"`, `{"schema":"patch-git/judge/v1"`},
		{"other texts", materialFile, `ODD`, `It counts.`},
		{"texts of another pull request", materialFile, `"pull":`, `"pull":1`},
		{"a member more", judgeFile, `"pull":`, `"x":1,"pull":`},
		{"a member twice", judgeFile, `"pull":`, `"pull":1,"pull":`},
		{"gone", judgeFile, "", ""},
		{"the texts are gone", materialFile, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(s.work, c.file)
			text := s.read(path)
			defer s.write(path, text)
			changed := strings.Replace(text, c.from, c.to, 1)
			if c.from == "" {
				changed = ""
			}
			if changed == text {
				t.Fatalf("there is no %q in %s", c.from, text)
			}
			s.write(path, changed)
			if c.from == "" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			a, _ := s.run("report", "pull_request_target", payload)
			if a.Conclusion != "action_required" || s.isMerged(n) {
				t.Errorf("%+v\n%s", a, s.log.String())
			}
			if text := s.repo.Comments(n)[0].Body; !strings.Contains(text, "wants a model to look, and none did") {
				t.Errorf("comment %s", text)
			}
		})
	}
	// As it was written it is believed.
	if _, err := s.run("report", "pull_request_target", payload); fault.ReasonOf(err) != "needs_human" || !strings.Contains(s.repo.Comments(n)[0].Body, "LLM-002") {
		t.Errorf("%v\n%s", err, s.repo.Comments(n)[0].Body)
	}
}

// TestNightRemembersTheModel: what a model passed by day is merged at night, when
// its time has come; what it did not pass is not.
func TestNightRemembersTheModel(t *testing.T) {
	for _, c := range []struct {
		name, trick string
		check       string // of somebody else, on the head
		merged      bool
	}{
		{"passed", "", "", true},
		{"not asked any more, and then not sure", "", "action_required", false},
		{"passed, and a job is called as the check", "", "success", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ripe(t)
			s.policy("judge: off", "judge: required")
			server := judgetest.New(t)
			s.model = server.Env("openai")
			n := s.fresh("ann", "line_sort", "7")
			asked := server.Requests()
			if c.check != "" {
				s.repo.Check(s.fork.Tip("line_sort"), judgeCheck, "github-actions", c.check, 2)
			}
			s.now = s.now.Add(73 * time.Hour)
			s.night(func() {})
			if s.isMerged(n) != c.merged || server.Requests() != asked || asked == 0 {
				t.Errorf("merged: %v, %d requests\n%s\n%s", s.isMerged(n), server.Requests(), s.log.String(), s.repo.Comments(n)[0].Body)
			}
			if needs := slices.Contains(s.repo.Labels(n), "patch-git:needs-human"); needs == c.merged {
				t.Errorf("labels %v", s.repo.Labels(n))
			}
		})
	}
	// A head that no model passed by day, because the policy is of today.
	s := ripe(t)
	n := s.fresh("ann", "line_sort", "7")
	s.policy("judge: off", "judge: required")
	s.now = s.now.Add(73 * time.Hour)
	s.night(func() {})
	if s.isMerged(n) || !slices.Contains(s.repo.Labels(n), "patch-git:needs-human") {
		t.Errorf("it is merged without a model: %v\n%s", s.repo.Labels(n), s.log.String())
	}
}
