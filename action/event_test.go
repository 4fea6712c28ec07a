package action

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
)

var ours = github.Repo{Owner: "acme", Name: "tools"}

const goodEvent = `{"action":"labeled","number":7,"new_member":{"of":"GitHub"},
	"pull_request":{"number":7,"title":"::error::x","head":{"sha":"` + someHead + `","ref":"x"}},
	"label":{"name":"patch-git:accept","id":1},"sender":{"login":"mia","id":3},"repository":{"full_name":"Acme/tools","id":1}}`

func TestEvent(t *testing.T) {
	e, err := parseEvent("pull_request_target", []byte(goodEvent), ours)
	if want := (event{"pull_request_target", "labeled", 7, someHead, "patch-git:accept", "mia"}); err != nil || e != want {
		t.Errorf("%+v, %v", e, err)
	}
	for _, name := range []string{"push", "schedule", "workflow_dispatch"} {
		if e, err := parseEvent(name, []byte(`{"repository":{"full_name":"acme/tools"},"ref":"refs/heads/main"}`), ours); err != nil || e != (event{Name: name}) {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	for what, change := range map[string][2]string{
		"another repository": {"Acme/tools", "acme/other"},
		"no repository":      {`"repository"`, `"depository"`},
		"no number":          {`"pull_request":{"number":7,`, `"pull_request":{`},
		"two numbers":        {`"number":7,"new`, `"number":8,"new`},
		"negative":           {`"pull_request":{"number":7`, `"pull_request":{"number":-7`},
		"no pull request":    {`"pull_request"`, `"pull_bequest"`},
		"short head":         {someHead, someHead[:39]},
		"branch as head":     {someHead, "main"},
		"upper case head":    {someHead, strings.ToUpper(someHead)},
		"text for number":    {`"pull_request":{"number":7`, `"pull_request":{"number":"7"`},
		"cut":                {`"id":1}}`, ``},
	} {
		text := strings.Replace(goodEvent, change[0], change[1], 1)
		if text == goodEvent {
			t.Fatal(what)
		}
		if e, err := parseEvent("pull_request_target", []byte(text), ours); fault.KindOf(err) != fault.Usage || err == nil || e != (event{}) {
			t.Errorf("%s: %+v, %v", what, e, err)
		}
	}
	// A label that was there before is nobody's word now.
	if e, err := parseEvent("pull_request_target", []byte(strings.Replace(goodEvent, "labeled", "synchronize", 1)), ours); err != nil || e.Label != "" {
		t.Errorf("%+v, %v", e, err)
	}
}

func FuzzEvent(f *testing.F) {
	f.Add("pull_request_target", goodEvent)
	f.Add("schedule", `{"repository":{"full_name":"acme/tools"}}`)
	f.Fuzz(func(t *testing.T, name, text string) {
		e, err := parseEvent(name, []byte(text), ours)
		if err != nil {
			if e != (event{}) {
				t.Errorf("%+v beside %v", e, err)
			}
			harmless(t, logLine(err.Error()))
			return
		}
		if e.ofPull() && (e.Number <= 0 || !isCommit(e.Head)) || !e.ofPull() && (e.Number != 0 || e.Head != "" || e.Label != "") {
			t.Errorf("%+v", e)
		}
	})
}

// TestOutput: what could set another output is refused.
func TestOutput(t *testing.T) {
	s := newScene(t)
	j, err := newJob(s.host("push", `{"repository":{"full_name":"acme/tools"}}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"a\nb=c", "a\rb", "A B", "a<<EOF", "$(x)", "ä", strings.Repeat("a", 101)} {
		if err := j.output("x", v); fault.KindOf(err) != fault.Internal {
			t.Errorf("%q: %v", v, err)
		}
	}
	if err := j.output("x", "action_required"); err != nil || s.read(s.outputs) != "x=action_required\n" {
		t.Errorf("%v, %q", err, s.read(s.outputs))
	}
}

// TestLogLine: nothing that a stranger wrote is a command for the runner.
func TestLogLine(t *testing.T) {
	for _, s := range breakOuts {
		harmless(t, logLine(s))
		harmless(t, logLine("patch-git: "+s))
		harmless(t, plain(s, 100))
	}
	if got := logLine("a\n::error::b\n  ::add-mask::c\x1b[31m"); got != "a\n  \\u{3A}:error::b\n    \\u{3A}:add-mask::c\\u{1B}[31m" {
		t.Errorf("%q", got)
	}
}
