package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/judge/judgetest"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

const source = `# ---
# name: word_count
# description: Counts words.
# ---
"""A tool."""
import json


def main(text):
    # A word is what stands between blanks.
    return {"words": len(text.split())}
`

// material is a release of one tool; change is what a test makes of its files.
func material(change ...string) *Material {
	t := &spec.Tool{
		Format: spec.FormatPatch, Name: "word_count", Version: "1.0.0", Description: "Counts words.",
		Inputs:       []spec.Input{{Name: "text", Type: spec.TypeString, Description: "The text."}},
		Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: "3.12", Packages: []string{"attrs==1.2.3"}},
	}
	code, notes := source, "# Notes\n\nIt counts words.\n"
	for i := 0; i+1 < len(change); i += 2 {
		switch change[i] {
		case "description":
			t.Description = change[i+1]
		case "code":
			code += change[i+1]
		case "notes":
			notes += change[i+1]
		}
	}
	return Collect(t, []spec.File{{Path: "NOTES.md", Data: []byte(notes)}, {Path: "tool.py", Data: []byte(code)}}, []string{"read"})
}

// asking is a judge of the model.
func asking(t *testing.T, m *judgetest.Server, kind string) *Judge {
	t.Helper()
	env := m.Env(kind)
	c, err := Configured(func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	j := New(c, func() *http.Client { return &http.Client{Transport: &http.Transport{}} })
	j.Say = func(text string) { t.Log(text) }
	return j
}

func ran(t *testing.T, j *Judge, m *Material) *Judgement {
	t.Helper()
	out, err := j.Run(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	// What was said is read again as it was written.
	again, err := Parse(out.Encode(), m)
	if err != nil || string(again.Encode()) != string(out.Encode()) {
		t.Fatalf("%v: %s", err, out.Encode())
	}
	return out
}

var kinds = []string{"openai", "anthropic"}

func TestHonest(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		server := judgetest.New(t)
		j := asking(t, server, kind)
		out := ran(t, j, material())
		if out.Outcome != Pass || out.Findings != nil || out.Failures != nil || out.Model != "double-1" || out.Prompts != Prompts() {
			t.Errorf("%s: %s", kind, out.Encode())
		}
		// Four units in two wordings, and four known texts.
		asked := server.Asked()
		if out.Requests != 12 || len(asked) != 12 || server.Requests() != 12 {
			t.Errorf("%s: %d requests of %d", kind, len(asked), out.Requests)
		}
		nonces := map[string]bool{}
		for _, a := range asked {
			nonces[a.Nonce] = true
			if strings.Contains(a.Raw, "TXT-0") || strings.Contains(a.Raw, "PY-0") {
				t.Errorf("a finding of a rule is told: %s", a.Raw)
			}
			isCode := slices.ContainsFunc(a.Lines, func(l judgetest.Line) bool { return strings.HasPrefix(l.Text, "def main") })
			if strings.Contains(a.User, "Known of the tool") != isCode {
				t.Errorf("what is known stands beside the wrong block: %s", a.User)
			}
		}
		if len(nonces) != 12 {
			t.Errorf("%d numbers for 12 blocks", len(nonces))
		}
		// Bad and good ones in each unit kind, found at their line.
		for _, c := range []struct {
			what, text string
			unit       UnitKind
			outcome    Outcome
			verdict    Verdict
		}{
			{"description", "It is EVIL.", UnitFields, Fail, Malicious},
			{"description", "It is ODD.", UnitFields, NeedsHuman, Suspicious},
			{"notes", "EVIL is here\n", UnitProse, Fail, Malicious},
			{"notes", "ODD is here\n", UnitProse, NeedsHuman, Suspicious},
			{"code", "EVIL = 1\n", UnitCode, Fail, Malicious},
			{"code", "# ODD\n", UnitProse, NeedsHuman, Suspicious},
		} {
			m := material(c.what, c.text)
			out := ran(t, j, m)
			units, _ := m.Units()
			if out.Outcome != c.outcome || len(out.Findings) == 0 {
				t.Fatalf("%s %s: %s", kind, c.text, out.Encode())
			}
			seen := false
			for _, f := range out.Findings {
				text, ok := units[f.Unit].quoted(f.Line)
				seen = seen || units[f.Unit].Kind == c.unit
				if !ok || f.Verdict != c.verdict || !strings.Contains(text, strings.TrimSpace(strings.Split(c.text, " is")[0])) && !strings.Contains(text, "EVIL") && !strings.Contains(text, "ODD") {
					t.Errorf("%s: %+v at %q", c.text, f, text)
				}
			}
			if !seen {
				t.Errorf("%s: no finding in a unit of %s: %s", c.text, c.unit, out.Encode())
			}
		}
	}
}

// TestNoSilentPass: whatever goes wrong, with whatever text, the outcome is that
// somebody has to look, and says why.
func TestNoSilentPass(t *testing.T) {
	t.Parallel()
	want := map[string]Failure{
		"slow": Unreachable, "cut": Unreachable, "busy": Unreachable, "broken": Unreachable,
		"redirect": Refused, "redirect-home": Refused, "denied": Refused, "absent": Refused, "bad-request": Refused,
		"canary-blind": Canary, "paranoid": Canary, "half-paranoid": Canary,
	}
	texts := map[string]*Material{
		"clean": material(), "evil fields": material("description", "EVIL"), "odd notes": material("notes", "ODD\n"), "evil code": material("code", "EVIL = 1\n"),
	}
	runs := 0
	for _, trick := range judgetest.Tricks() {
		for _, kind := range kinds {
			server := judgetest.New(t)
			server.Behave(trick)
			j := asking(t, server, kind)
			if trick == "slow" {
				j.wire.most = 50 * time.Millisecond
			}
			failure := want[trick]
			if failure == "" {
				failure = Malformed
			}
			for name, m := range texts {
				var log strings.Builder
				j.Say = func(text string) { log.WriteString(text) }
				out := ran(t, j, m)
				runs++
				if out.Outcome != NeedsHuman && (out.Outcome != Fail || name == "clean") || !slices.Contains(out.Failures, failure) {
					t.Errorf("%s, %s, %s: %s", trick, kind, name, out.Encode())
				}
				if strings.Contains(log.String(), judgetest.Key) || strings.ContainsAny(log.String(), "\x1b") || strings.Contains(log.String(), "::error") {
					t.Errorf("%s, %s: the log has what a stranger wrote, or the key: %s", trick, kind, log.String())
				}
			}
			if n := server.Requests(); (failure == Refused || failure == Unreachable) && n > 4*limits.JudgeParallel+4 {
				t.Errorf("%s: a model that does not answer was asked %d times", trick, n)
			}
		}
	}
	t.Logf("%d runs", runs)
	// No server at all.
	server := judgetest.New(t)
	j := asking(t, server, "openai")
	server.Stop()
	if out := ran(t, j, material()); out.Outcome != NeedsHuman || !slices.Equal(out.Failures, []Failure{Unreachable}) {
		t.Errorf("%s", out.Encode())
	}
	// Nobody configured one.
	none := New(Config{}, nil)
	if out := ran(t, none, material()); out.Outcome != NeedsHuman || !slices.Equal(out.Failures, []Failure{Disabled}) || out.Requests != 0 {
		t.Errorf("%s", out.Encode())
	}
	// Somebody stopped it.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := asking(t, judgetest.New(t), "openai").Run(ctx, material()); fault.KindOf(err) != fault.Interrupted || out != nil {
		t.Errorf("%v, %v", out, err)
	}
}

// TestDisagreement: two questions that disagree make no error, and no pass.
func TestDisagreement(t *testing.T) {
	t.Parallel()
	server := judgetest.New(t)
	j := asking(t, server, "openai")
	if out := ran(t, j, material("notes", "EVIL\n")); out.Outcome != Fail {
		t.Errorf("both: %s", out.Encode())
	}
	server.Behave("disagree")
	out := ran(t, j, material("notes", "EVIL\n"))
	if out.Outcome != NeedsHuman || len(out.Findings) != 1 || out.Findings[0].Verdict != Suspicious || out.Failures != nil {
		t.Errorf("one: %s", out.Encode())
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	server := judgetest.New(t)
	j := asking(t, server, "openai")
	lines := func(n int) string { return strings.Repeat("some words in a line\n", n) }
	for name, c := range map[string]struct {
		m    *Material
		want Failure
	}{
		"as many windows as there may be": {material("notes", lines(JudgeMostNotes-2)), ""},
		"one line more":                   {material("notes", lines(JudgeMostNotes-1)), Budget},
		"64 KiB of code":                  {material("code", strings.Repeat("x = 1\n", (limits.JudgeText-1000)/6)), ""},
		"more than 64 KiB":                {material("code", strings.Repeat("x = 1\n", limits.JudgeText/6)), Budget},
		"no UTF-8":                        {material("code", "# \xff\n"), Unreadable},
		"nothing":                         {Collect(nil, nil, nil), Unreadable},
		"all marks":                       {material("notes", strings.Join(marks[:], "")+"\n"), Unreadable},
		"all marks but one":               {material("notes", strings.Join(marks[1:], "")+"\n"), ""},
	} {
		before := server.Requests()
		out := ran(t, j, c.m)
		if c.want == "" && out.Outcome != Pass || c.want != "" && (out.Outcome != NeedsHuman || !slices.Equal(out.Failures, []Failure{c.want})) {
			t.Errorf("%s: %s", name, out.Encode())
		}
		if c.want == Budget && server.Requests() != before {
			t.Errorf("%s: the model was asked", name)
		}
		if out.Requests > limits.JudgeRequests {
			t.Errorf("%s: %d requests", name, out.Requests)
		}
	}
}

// JudgeMostNotes is how many lines of notes there may be beside the other three
// units: five windows of the eight units.
const JudgeMostNotes = limits.JudgeLines + 4*(limits.JudgeLines-limits.JudgeOverlap)

// TestNonceInText: a text that has the number of its block is not shown.
func TestNonceInText(t *testing.T) {
	t.Parallel()
	zeros := strings.NewReader(strings.Repeat("\x00", nonceBytes+1))
	u := &Unit{Kind: UnitProse, Lines: []Line{{1, "Block " + strings.Repeat("0", 2*nonceBytes) + " ends."}}}
	if _, err := show(u, zeros); FailureOf(err) != Unreadable || err == nil {
		t.Errorf("%v", err)
	}
	u.Lines[0].Text = "Block " + strings.Repeat("1", 2*nonceBytes) + " ends."
	s, err := show(u, strings.NewReader(strings.Repeat("\x00", nonceBytes+1)))
	if err != nil || strings.Contains(s.block, "Block 1") || !strings.Contains(s.block, "Block"+s.mark+"1") {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := show(u, strings.NewReader("short")); fault.KindOf(err) != fault.Internal {
		t.Errorf("%v", err)
	}
}

// TestParseJudgement: what a job wrote is believed only as far as it fits.
func TestParseJudgement(t *testing.T) {
	t.Parallel()
	m := material("notes", "EVIL\n")
	server := judgetest.New(t)
	good := ran(t, asking(t, server, "openai"), m)
	pass := ran(t, asking(t, server, "openai"), material())
	if _, err := Parse(pass.Encode(), m); fault.ReasonOf(err) != "judgement" {
		t.Errorf("of something else: %v", err)
	}
	forged := *pass
	forged.Material = m.Digest()
	if _, err := Parse(forged.Encode(), m); err != nil {
		t.Errorf("the twin of what follows: %v", err)
	}
	for name, change := range map[string]func(*Judgement){
		"passes with findings":   func(j *Judgement) { j.Outcome = Pass },
		"milder":                 func(j *Judgement) { j.Outcome = NeedsHuman },
		"no outcome":             func(j *Judgement) { j.Outcome = "" },
		"passes for nothing":     func(j *Judgement) { *j = forged; j.Requests = 0 },
		"passes without a model": func(j *Judgement) { *j = forged; j.Model = "" },
		"passes by other words":  func(j *Judgement) { *j = forged; j.Prompts = m.Digest() },
		"passes with a failure":  func(j *Judgement) { *j = forged; j.Failures = []Failure{Canary} },
		"an unknown failure":     func(j *Judgement) { j.Failures = []Failure{"fine"} },
		"a code":                 func(j *Judgement) { j.Findings = slices.Clone(j.Findings); j.Findings[0].Code = "::error::" },
		"a unit":                 func(j *Judgement) { j.Findings = slices.Clone(j.Findings); j.Findings[0].Unit = 99 },
		"a line":                 func(j *Judgement) { j.Findings = slices.Clone(j.Findings); j.Findings[0].Line = 99 },
		"a verdict": func(j *Judgement) {
			j.Findings = slices.Clone(j.Findings)
			j.Findings[0].Verdict = Clean
			j.Outcome = NeedsHuman
		},
		"a name that is a text":   func(j *Judgement) { j.Model = "m\n::error::" },
		"too many requests":       func(j *Judgement) { j.Requests = limits.JudgeRequests + 1 },
		"a number of requests -1": func(j *Judgement) { j.Requests = -1 },
	} {
		j := *good
		change(&j)
		if _, err := Parse(j.Encode(), m); fault.ReasonOf(err) != "judgement" || fault.KindOf(err) != fault.NotVerified {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, data := range map[string]string{
		"nothing":        "",
		"a member more":  strings.Replace(string(good.Encode()), "{", `{"x":1,`, 1),
		"a member twice": strings.Replace(string(good.Encode()), "{", `{"outcome":"pass",`, 1),
		"in capitals":    strings.Replace(string(good.Encode()), `"outcome"`, `"Outcome"`, 1),
		"more behind":    string(good.Encode()) + "{}",
		"no object":      "[]",
	} {
		if _, err := Parse([]byte(data), m); fault.ReasonOf(err) != "judgement" {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Of what could not be judged nothing passes.
	none := Collect(nil, nil, nil)
	forged.Material = none.Digest()
	forged.Requests = canaries
	if _, err := Parse(forged.Encode(), none); err == nil {
		t.Error("what could not be judged passes")
	}
}

// TestCanaries: there are enough known texts, an honest model knows them, and
// each of them is drawn.
func TestCanaries(t *testing.T) {
	t.Parallel()
	set, err := canarySet()
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	names := map[string]bool{}
	for _, c := range set {
		if c.bad {
			bad++
		}
		names[fmt.Sprint(c.unit.Lines)] = true
	}
	if bad < 12 || len(set)-bad < 12 || len(names) != len(set) {
		t.Errorf("%d bad ones, %d good ones, %d different", bad, len(set)-bad, len(names))
	}
	server := judgetest.New(t)
	j := asking(t, server, "openai")
	for i := range set {
		for w := range wordings {
			a, err := j.ask(t.Context(), task{unit: &set[i].unit, wording: w, facts: set[i].facts})
			if err != nil || (a.verdict == Clean) == set[i].bad {
				t.Errorf("%v: %+v, %v", set[i].unit.Lines, a, err)
			}
		}
	}
	drawn := map[string]int{}
	for range 400 {
		tasks, err := j.tasks([]Unit{{Kind: UnitProse, Lines: []Line{{1, "x"}}}}, "")
		if err != nil || len(tasks) != wordings+canaries {
			t.Fatalf("%d tasks, %v", len(tasks), err)
		}
		sides := map[string]int{}
		for _, task := range tasks {
			if task.at < 0 {
				drawn[fmt.Sprint(task.unit.Lines)]++
				sides[fmt.Sprint(task.bad, task.wording)]++
			}
		}
		if len(sides) != canaries {
			t.Fatalf("the known texts do not stand under each wording: %v", sides)
		}
	}
	if len(drawn) != len(set) {
		t.Errorf("%d of %d were ever drawn", len(drawn), len(set))
	}
	for _, text := range []string{"", "\n== worse prose\nx\n", "\n== bad\nx\n", "\n== bad prose\n", "\n== bad song\nx\n", "\n== bad code\nx\n", "\n== bad prose {}\nx\n"} {
		if _, err := readCanaries(text); err == nil {
			t.Errorf("%q is a set", text)
		}
	}
}

// TestPromptsAreWhole: nothing of a stranger's is in a question, and each kind
// has two different ones.
func TestPromptsAreWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range []UnitKind{UnitFields, UnitProse, UnitCode} {
		for w := range wordings {
			s := system(k, w)
			seen[s] = true
			if strings.Contains(s, "%") || len(s) < 1000 {
				t.Errorf("%s %d: %s", k, w, s)
			}
		}
	}
	if len(seen) != 3*wordings || !json.Valid(verdictSchema()) || !json.Valid(summarySchema()) {
		t.Errorf("%d questions", len(seen))
	}
	for _, c := range codes {
		if c.Words() == "" {
			t.Errorf("%s has no words", c)
		}
	}
	for _, f := range failures {
		if f.Words() == Failure("").Words() || !f.Flag().Operational() {
			t.Errorf("%s has no words or no flag", f)
		}
	}
}
