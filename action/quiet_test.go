package action

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
	"github.com/patch-cat/patch-git/internal/limits"
)

// TestTrial: the tool of a pull request is run in the sandbox; what it says can
// drive neither the log nor the summary.
func TestTrial(t *testing.T) {
	s := newScene(t)
	path := "tools/wo/word_count/0.2.0/tool.py"
	n := s.propose("up", map[string]string{path: source("word_count", "0.2.0")})
	a, err := s.run("trial", "pull_request", s.event("opened", n, "ann", ""))
	if err != nil || !strings.Contains(a.Line, "word_count@0.2.0 was imported in the sandbox") {
		t.Fatalf("%+v, %v\n%s", a, err, s.log.String())
	}
	evil := strings.Replace(source("word_count", "0.2.0"), "\ndef main", "sys.stderr.write('::add-mask::x\\n  ::stop-commands::y\\n##[error]z\\n```\\n# heading\\n@octocat\\n')\ntry:\n    open('/\\n::error::%0Ax\\u202e')\nexcept OSError:\n    raise SystemExit(3)\n\ndef main", 1)
	s.push("up", map[string]string{path: evil})
	h := s.host("pull_request", s.event("synchronize", n, "ann", ""), grantsOf(t, "trial.yml", "trial")...)
	line, _, err := Run(t.Context(), h, "trial", s.dir, s.work, "test", s.hear)
	if fault.KindOf(err) != fault.Findings || fault.ReasonOf(err) != "trial" || !strings.Contains(err.Error(), "DYN-002") {
		t.Fatalf("%q, %v", line, err)
	}
	harmless(t, err.Error())
	// The only commands are the remarks beside lines, each a line of our own.
	var log []string
	for line := range strings.SplitSeq(s.log.String(), "\n") {
		if !strings.HasPrefix(line, "::error file="+path+",line=") {
			log = append(log, line)
		} else if strings.Contains(line[2:], "%0A") || !strings.Contains(line, ",title=DYN-00") {
			t.Errorf("%q", line)
		}
	}
	if n := strings.Count(s.log.String(), "\n") + 1 - len(log); n != 2 {
		t.Errorf("%d remarks beside lines\n%s", n, s.log.String())
	}
	harmless(t, strings.Join(log, "\n"))
	summary := s.read(s.summary)
	harmless(t, summary)
	if !strings.Contains(summary, "DYN-001") {
		t.Errorf("summary\n%s", summary)
	}
	if shape := skeleton(t, summary); strings.Count(shape, "Heading") != 1 || strings.Count(shape, "FencedCodeBlock") != 1 || awake.FindString(shape) != "" {
		t.Errorf("summary\n%s", summary)
	}
	// It writes nothing that anybody else reads.
	if s.read(s.outputs) != "" || len(s.repo.Comments(n)) != 0 {
		t.Error("the trial wrote something")
	}
	// What is about no version is no failure; what cannot be tried is one.
	n = s.propose("docs", map[string]string{"docs/x.md": "x\n"})
	if a, err := s.run("trial", "pull_request", s.event("opened", n, "ann", "")); err != nil || !strings.Contains(a.Line, "no version") {
		t.Errorf("%+v, %v", a, err)
	}
	n = s.propose("bare", map[string]string{"tools/wo/word_count/0.3.0/README.md": "x\n"})
	if _, err := s.run("trial", "pull_request", s.event("opened", n, "ann", "")); fault.KindOf(err) != fault.Findings {
		t.Errorf("%v", err)
	}
}

// TestUnread: links, submodules and whatever is over the caps are named and not
// asked for.
func TestUnread(t *testing.T) {
	s := newScene(t)
	n := s.propose("odd", map[string]string{
		"tools/wo/word_count/0.2.0/tool.py":   source("word_count", "0.2.0"),
		"tools/wo/word_count/0.2.0/large.txt": strings.Repeat("x", limits.ToolFile+1),
	})
	s.fork.PushMode("odd", "", "tools/wo/word_count/0.2.0/link", "120000", []byte("/etc/passwd"))
	s.fork.PushMode("odd", "", "tools/wo/word_count/0.2.0/module", "160000", []byte(s.repo.Tip("main")))
	before := len(s.gh.Requests())
	a, err := s.run("quarantine", "pull_request_target", s.event("opened", n, "ann", ""))
	if err != nil || a.Verdict != "fail" {
		t.Fatalf("%+v, %v", a, err)
	}
	blobs := 0
	for _, r := range s.gh.Requests()[before:] {
		if strings.Contains(r.Path, "/git/blobs/") {
			blobs++
		}
	}
	if blobs != 1 {
		t.Errorf("%d blobs were asked for, want 1", blobs)
	}
	doc := s.read(s.work + "/review.json")
	for _, want := range []string{"symbolic link", "submodule", "262145 bytes"} {
		if !strings.Contains(doc, want) {
			t.Errorf("the review does not say %q:\n%s", want, doc)
		}
	}
}

// TestWrongEvent: each verb is for the events of its workflow alone.
func TestWrongEvent(t *testing.T) {
	s := newScene(t)
	push := `{"repository":{"full_name":"acme/tools"}}`
	for verb, event := range map[string]string{"quarantine": "push", "judge": "push", "report": "push", "trial": "push", "publish": "schedule", "nightly": "push"} {
		if _, err := s.run(verb, event, push); fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "event" {
			t.Errorf("%s at %s: %v", verb, event, err)
		}
	}
	n := s.propose("up", map[string]string{"tools/wo/word_count/0.2.0/tool.py": source("word_count", "0.2.0")})
	// The trial's event is one that a stranger's workflow has: nothing that
	// writes takes it.
	for _, verb := range []string{"quarantine", "judge", "report"} {
		if _, err := s.run(verb, "pull_request", s.event("opened", n, "ann", "")); fault.ReasonOf(err) != "event" {
			t.Errorf("%s at pull_request: %v", verb, err)
		}
	}
	if _, err := newJob(s.host("", "{}"), Options{}); fault.ReasonOf(err) != "no_job" {
		t.Errorf("outside of a job: %v", err)
	}
	if _, _, err := Run(t.Context(), s.host("push", push), "other", s.dir, s.work, "test", nil); fault.ReasonOf(err) != "usage" {
		t.Errorf("an unknown verb: %v", err)
	}
}

// TestNight: new errors become an issue and nothing else, what waited is merged
// when its time has come, what nobody works on is spoken to and closed.
func TestNight(t *testing.T) {
	s := newScene(t)
	s.policy("new_name_wait: 0", "new_name_wait: 72h")
	s.main(map[string]string{"tools/ba/bad_tool/0.1.0/tool.py": strings.Replace(source("bad_tool", "0.1.0"), "\ndef main", "print('@octocat ```')\n\ndef main", 1)})
	s.main(map[string]string{"tools/ba/bad_tool/tool.yaml": "owners:\n  - login: ann\n    id: 7\n"})
	s.repo.AddRun(githubtest.Run{File: publishFile, Attempt: 1, Head: s.repo.Tip("main"), Event: "push", Branch: "main", Status: "completed", Conclusion: "success", Created: s.now})
	n := s.propose("new", map[string]string{
		"tools/li/line_sort/0.1.0/tool.py": source("line_sort", "0.1.0"),
		"tools/li/line_sort/tool.yaml":     "owners:\n  - login: ann\n    id: 7\n",
	})
	s.ran(s.fork, "new")
	s.trialEnded("new", "success")
	a, err := s.reviewAll(s.event("opened", n, "ann", ""))
	if err != nil || a.Merged != "" || !slices.Contains(s.repo.Labels(n), waitingLabel) {
		t.Fatalf("%+v, %v, %v\n%v", a, err, s.repo.Labels(n), s.repo.Comments(n))
	}
	if c := s.repo.Comments(n)[0].Body; !strings.Contains(c, "waits until 2026-11-24 12:00:00 UTC") {
		t.Errorf("comment %s", c)
	}
	old := s.propose("old", map[string]string{"docs/x.md": "x\n"})
	night := func() (answer, error) {
		t.Helper()
		payload := `{"repository":{"full_name":"acme/tools"}}`
		if _, err := s.run("quarantine", "schedule", payload); err != nil {
			t.Fatalf("%v\n%s", err, s.log.String())
		}
		return s.run("nightly", "schedule", payload)
	}
	// The first night is too early for all.
	s.now = s.now.Add(71 * time.Hour)
	if a, err := night(); err != nil || s.isMerged(n) || !strings.Contains(a.Line, "1 would be refused") || !strings.Contains(a.Line, "1 pull requests waited for their time, 0 were merged") {
		t.Fatalf("%+v, %v\n%s", a, err, s.log.String())
	}
	var issues []githubtest.Request
	for _, r := range s.gh.Requests() {
		if r.Method == "POST" && strings.HasSuffix(r.Path, "/issues") {
			issues = append(issues, r)
		}
	}
	if len(issues) != 1 || !strings.Contains(issues[0].Body, "bad_tool@0.1.0") || !strings.Contains(issues[0].Body, "Nothing was withdrawn") {
		t.Fatalf("issues %+v", issues)
	}
	var issue struct{ Body string }
	if err := json.Unmarshal([]byte(issues[0].Body), &issue); err != nil {
		t.Fatal(err)
	}
	if shape := skeleton(t, strings.TrimPrefix(issue.Body, "<!-- ")); awake.FindString(shape) != "" {
		t.Errorf("issue\n%s", issue.Body)
	}
	// The second is in time, and opens no second issue.
	s.repo.EndRun(s.repo.Runs()[0].ID, "success")
	s.now = s.now.Add(2 * time.Hour)
	if a, err := night(); err != nil || !s.isMerged(n) || !strings.Contains(a.Line, "1 were merged") {
		t.Errorf("%+v, %v\n%s", a, err, s.log.String())
	}
	for _, r := range s.gh.Requests() {
		if r.Method == "POST" && strings.HasSuffix(r.Path, "/issues") && r.Body != issues[0].Body {
			t.Errorf("another issue: %s", r.Body)
		}
	}
	// Later still.
	s.now = s.now.Add(limits.StaleAfter)
	a, err = night()
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(a.Line, "the head grows old") {
		t.Errorf("without a run that can be made again: %+v, %v", a, err)
	}
	if !slices.Contains(s.repo.Labels(old), staleLabel) || len(s.repo.Comments(old)) != 1 {
		t.Errorf("labels %v, comments %v", s.repo.Labels(old), s.repo.Comments(old))
	}
	s.now = s.now.Add(limits.StaleClose - time.Hour)
	_, _ = night()
	if s.isMerged(old) {
		t.Error("it was closed too early")
	}
	s.now = s.now.Add(2 * time.Hour)
	if _, _ = night(); !s.isMerged(old) {
		t.Error("it was not closed")
	}
}

// TestNightWithoutRescan: what is missing is an error, and the head is signed
// anew all the same.
func TestNightWithoutRescan(t *testing.T) {
	s := newScene(t)
	s.repo.AddRun(githubtest.Run{File: publishFile, Attempt: 1, Head: s.repo.Tip("main"), Event: "push", Branch: "main", Status: "completed", Conclusion: "success", Created: s.now})
	a, err := s.run("nightly", "schedule", `{"repository":{"full_name":"acme/tools"}}`)
	if fault.ReasonOf(err) != "no_rescan" || fault.KindOf(err) != fault.Unavailable || !strings.Contains(a.Line, "nobody knows") || s.repo.Runs()[0].Attempt != 2 {
		t.Errorf("%+v, %v", a, err)
	}
}
