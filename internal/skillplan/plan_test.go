package skillplan

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

const skill = `---
manifest_version: "1.0"
name: work-log
description: Write a log.
inputs:
  required:
    - name: day
      description: The day
      schema: {type: string, pattern: "^[0-9/.]*$"}
  optional:
    - name: count
      description: How many
      schema: {type: integer, default: 5, maximum: 9}
    - name: api_key
      description: A key
      sensitive: true
      schema: {type: string}
env:
  required:
    - {name: TOKEN, description: A token, sensitive: true}
  optional:
    - {name: PROJECT}
preconditions:
  commands:
    - {cmd: prog, min_version: "2.9", max_version: "3.11"}
    - {cmd: other}
  files:
    - {path: scripts/a.sh}
    - {path: here.txt, base: cwd}
outputs:
  files:
    - {pattern: "logs/{{day}}-{{count}}.md"}
execution: {timeout: 2}
---
`

// world is a skill, a repository and a folder of programs.
type world struct {
	root, repo, dir, bin string
	env                  map[string]string
	inputs               []Given
	text                 string
	box                  fake
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		root: filepath.Join(top, "work-log"), repo: filepath.Join(top, "repo"), dir: filepath.Join(top, "repo", "sub"), bin: filepath.Join(top, "bin"),
		inputs: []Given{{"day", "2026"}}, text: skill,
		box: fake{says: "prog version 2.40.1 (Some OS 9)"},
	}
	w.env = map[string]string{"PATH": w.bin, "TOKEN": "hunter2secret", "PROJECT": "x"}
	write(t, filepath.Join(w.root, "scripts", "a.sh"), "x", 0o644)
	write(t, filepath.Join(w.repo, ".git", "HEAD"), "ref: refs/heads/main", 0o644)
	write(t, filepath.Join(w.dir, "here.txt"), "x", 0o644)
	write(t, filepath.Join(w.bin, "prog"), "x", 0o755)
	write(t, filepath.Join(w.bin, "other"), "x", 0o755)
	return w
}

func write(t *testing.T, path, text string, perm os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
}

func (w *world) plan(t *testing.T) *Plan {
	t.Helper()
	doc, findings := manifest.Read("SKILL.md", []byte(w.text), manifest.Lenient)
	if doc == nil || spec.Blocking(findings) {
		t.Fatalf("the skill is refused: %v", findings)
	}
	p, err := Make(t.Context(), Request{
		Tool: &doc.Tool, Root: w.root, Dir: w.dir, Inputs: w.inputs,
		Lookup: func(n string) (string, bool) { v, ok := w.env[n]; return v, ok },
		Box:    func() (Runner, error) { return &w.box, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fake answers as a program in a sandbox would.
type fake struct {
	says string
	exit int
	err  error
	jobs []sandbox.Job
	out  func(sandbox.Job) sandbox.Outcome
}

func (f *fake) Run(_ context.Context, job sandbox.Job) (sandbox.Outcome, error) {
	f.jobs = append(f.jobs, job)
	if f.out != nil {
		return f.out(job), f.err
	}
	return sandbox.Outcome{Exit: f.exit, Stdout: []byte(f.says)}, f.err
}

func codes(list []Problem) (out []string) {
	for _, b := range list {
		out = append(out, b.Code)
	}
	return out
}

// TestProblems: the plan is OK, and with one thing changed one thing speaks against it.
func TestProblems(t *testing.T) {
	if p := newWorld(t).plan(t); !p.OK() || p.Err() != nil || p.Commands[0].Version != "2.40.1" {
		t.Fatalf("the twin of all cases: %+v", p)
	}
	outside := func(t *testing.T, at string) {
		t.Helper()
		if err := os.RemoveAll(at); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/etc", at); err != nil {
			t.Fatal(err)
		}
	}
	text := func(old, with string) func(*testing.T, *world) {
		return func(_ *testing.T, w *world) { w.text = strings.Replace(w.text, old, with, 1) }
	}
	input := func(name, value string) func(*testing.T, *world) {
		return func(_ *testing.T, w *world) {
			w.inputs = append(slices.DeleteFunc(w.inputs, func(g Given) bool { return g.Name == name }), Given{name, value})
		}
	}
	for name, c := range map[string]struct {
		change func(*testing.T, *world)
		code   string
		rule   Rule
		untold bool
	}{
		"required missing":   {func(_ *testing.T, w *world) { w.inputs = nil }, "missing_input", 3, false},
		"unknown input":      {input("days", "1"), "unknown_input", 3, false},
		"given twice":        {func(_ *testing.T, w *world) { w.inputs = append(w.inputs, w.inputs[0]) }, "input_twice", 3, false},
		"pattern":            {input("day", "today"), "wrong_input", 4, false},
		"not JSON":           {input("count", "many"), "wrong_input", 4, false},
		"above the maximum":  {input("count", "10"), "wrong_input", 4, false},
		"dots by a value":    {input("day", "../../.."), "bad_output", 4, false},
		"dots in the middle": {input("day", "1/../../2"), "bad_output", 4, false},
		"empty value":        {input("day", ""), "bad_output", 4, false},
		"no command":         {func(t *testing.T, w *world) { _ = os.Remove(filepath.Join(w.bin, "other")) }, "missing_command", 5, false},
		"not executable":     {func(t *testing.T, w *world) { _ = os.Chmod(filepath.Join(w.bin, "other"), 0o644) }, "missing_command", 5, false},
		"relative PATH":      {func(_ *testing.T, w *world) { w.env["PATH"] = "bin" }, "missing_command", 5, false},
		"too old":            {func(_ *testing.T, w *world) { w.box.says = "2.8.99" }, "old_command", 5, false},
		"too new":            {func(_ *testing.T, w *world) { w.box.says = "v3.12" }, "new_command", 5, false},
		"cannot be asked":    {func(_ *testing.T, w *world) { w.box.exit = 2 }, "untold_version", 5, true},
		"says nothing":       {func(_ *testing.T, w *world) { w.box.says = "hello" }, "untold_version", 5, true},
		"no sandbox":         {func(_ *testing.T, w *world) { w.box.err = errors.New("none") }, "untold_version", 5, true},
		"hangs": {func(_ *testing.T, w *world) {
			w.box.out = func(sandbox.Job) sandbox.Outcome { return sandbox.Outcome{Exit: -1, TimedOut: true} }
		}, "untold_version", 5, true},
		"no file": {func(_ *testing.T, w *world) { _ = os.Remove(filepath.Join(w.root, "scripts/a.sh")) }, "missing_file", 5, false},
		"a folder": {func(t *testing.T, w *world) {
			write(t, filepath.Join(w.root, "scripts/b/c"), "", 0o644)
			w.text = strings.Replace(w.text, "a.sh", "b", 1)
		}, "no_file", 5, false},
		"a link out": {func(t *testing.T, w *world) {
			outside(t, filepath.Join(w.root, "scripts"))
			w.text = strings.Replace(w.text, "a.sh", "passwd", 1)
		}, "escapes", 5, false},
		"a link up": {func(t *testing.T, w *world) {
			_ = os.Remove(filepath.Join(w.dir, "here.txt"))
			_ = os.Symlink("../../work-log/scripts/a.sh", filepath.Join(w.dir, "here.txt"))
		}, "escapes", 5, false},
		"output by a link":      {func(t *testing.T, w *world) { outside(t, filepath.Join(w.repo, "logs")) }, "escapes", 5, false},
		"no repository":         {func(_ *testing.T, w *world) { _ = os.RemoveAll(filepath.Join(w.repo, ".git")) }, "no_repository", 5, false},
		"env not set":           {func(_ *testing.T, w *world) { delete(w.env, "TOKEN") }, "missing_env", 6, false},
		"env set to nothing":    {func(_ *testing.T, w *world) { w.env["TOKEN"] = "" }, "missing_env", 6, false},
		"absolute by a pattern": {func(t *testing.T, w *world) { text("logs/{{day}}", "{{day}}/x")(t, w); input("day", "/1")(t, w) }, "bad_output", 4, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.change(t, w)
			p := w.plan(t)
			if got := slices.Compact(codes(p.Problems)); len(got) != 1 || p.Problems[0].Code != c.code || p.Problems[0].Rule != c.rule || p.Problems[0].Untold != c.untold {
				t.Fatalf("got %+v", p.Problems)
			}
			want := fault.Findings
			if c.untold {
				want = fault.Unavailable
			}
			if fault.KindOf(p.Err()) != want {
				t.Errorf("the error is %v", p.Err())
			}
			// Nothing runs while something speaks against it [SK-54].
			before := len(w.box.jobs)
			if _, err := p.Run(t.Context(), &w.box, []string{"prog"}); err == nil || len(w.box.jobs) != before {
				t.Errorf("it ran: %v", err)
			}
		})
	}
}

// TestEverythingAtOnce: all problems are listed, by rule and then by the manifest.
func TestEverythingAtOnce(t *testing.T) {
	w := newWorld(t)
	w.inputs, w.env = []Given{{"count", "x"}, {"none", ""}}, map[string]string{"PATH": ""}
	_ = os.Remove(filepath.Join(w.root, "scripts/a.sh"))
	_ = os.Remove(filepath.Join(w.dir, "here.txt"))
	want := []string{"unknown_input", "missing_input", "wrong_input", "missing_command", "missing_command", "missing_file", "missing_file", "missing_env"}
	for range 3 {
		if got := codes(w.plan(t).Problems); !slices.Equal(got, want) {
			t.Fatalf("got %q", got)
		}
	}
}

func TestWarnings(t *testing.T) {
	w := newWorld(t)
	w.env["PROJECT"] = ""
	w.text = strings.Replace(w.text, "execution: {timeout: 2}", "execution: {destructive: true, interactive: true}", 1)
	p := w.plan(t)
	if got, want := codes(p.Warnings), []string{"destructive", "interactive", "empty_env", "unmapped", "unmapped"}; !p.OK() || !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if p.Inputs[1].From != "default" || string(p.Inputs[1].Value) != "5" || p.Inputs[2].From != "unset" || p.Inputs[2].Value != nil {
		t.Errorf("inputs are %+v", p.Inputs)
	}
}

// TestNothingSensitive: neither a value nor one of its encodings is in anything that
// is shown or written [SK-9, SK-20].
func TestNothingSensitive(t *testing.T) {
	w := newWorld(t)
	const key = `k3y "quoted"/ü&`
	w.inputs = append(w.inputs, Given{"api_key", key})
	w.text = strings.Replace(w.text, "logs/{{day}}", "logs/{{day}}-{{api_key}}", 1)
	w.inputs[0].Value = "1"
	spelled := []string{key, "hunter2secret"}
	for lead := range 3 {
		for _, v := range []string{key, "hunter2secret"} {
			text := strings.Repeat("x", lead) + v
			spelled = append(spelled, base64.StdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text+"tail")))
		}
	}
	if quoted, err := json.Marshal(key); err == nil {
		spelled = append(spelled, string(quoted))
	}
	w.box.out = func(job sandbox.Job) sandbox.Outcome {
		if len(job.Argv) > 1 {
			return sandbox.Outcome{Stdout: []byte("prog 3.0")}
		}
		if !slices.Contains(job.Env, "SKILL_INPUT_API_KEY="+key) || !slices.Contains(job.Env, "TOKEN=hunter2secret") || !slices.Contains(job.Env, "SKILL_INPUT_COUNT=5") {
			t.Errorf("the environment is %q", job.Env)
		}
		if job.Limits.Wall != 2*time.Second || job.Network {
			t.Errorf("limits %v, network %v", job.Limits, job.Network)
		}
		return sandbox.Outcome{Stdout: []byte(strings.Join(spelled, "\n")), Stderr: []byte(strings.Join(spelled, "\t"))}
	}
	p := w.plan(t)
	ran, err := p.Run(t.Context(), &w.box, []string{"prog"})
	if err != nil {
		t.Fatal(err)
	}
	trace, err := NewTrace(p, ran, false, false)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "trace.json")
	if err := WriteTrace(file, trace); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil || !json.Valid(written) {
		t.Fatalf("the trace is no JSON: %v\n%s", err, written)
	}
	for _, shown := range []string{string(written), ran.Stdout, ran.Stderr, strings.Join(ran.Missing, " ")} {
		for _, s := range append(spelled, "k3y", "hunter2", "aHVudGVyMnNlY3JldA", "NrM3k", "azN5") {
			if strings.Contains(shown, s) {
				t.Errorf("%s is in\n%s", s, shown)
			}
		}
	}
	if len(ran.Missing) != 1 {
		t.Errorf("missing are %q", ran.Missing)
	}
}

// TestSensitiveSkill: every value of it is sensitive, its streams are in no trace, and
// nobody elevates the trace without review [SK-38].
func TestSensitiveSkill(t *testing.T) {
	w := newWorld(t)
	w.inputs = append(w.inputs, Given{"count", "7"})
	plain := w.plan(t)
	if err := Elevation(plain, true, false); err != nil {
		t.Errorf("the twin is refused: %v", err)
	}
	w.text = strings.Replace(w.text, "execution:", "sensitive: true\nexecution:", 1)
	p := w.plan(t)
	for _, in := range p.Inputs {
		if in.From != "unset" && string(in.Value) != string(struck) {
			t.Errorf("%s is shown as %s", in.Name, in.Value)
		}
	}
	ran := &Ran{Stdout: "a", Stderr: "b"}
	trace, err := NewTrace(p, ran, false, false)
	if err != nil || trace.Ran.Stdout+trace.Ran.Stderr != "" || trace.Elevation != "blocked" {
		t.Errorf("got %+v, %v", trace, err)
	}
	if _, err := NewTrace(p, ran, true, false); fault.KindOf(err) != fault.Denied || fault.KindOf(Elevation(p, true, false)) != fault.Denied {
		t.Errorf("it was elevated: %v", err)
	}
	if trace, err := NewTrace(p, ran, true, true); err != nil || trace.Elevation != "reviewed" {
		t.Errorf("reviewed: %v", err)
	}
}

// TestLegacy: without manifest_version nothing is checked [SK-48].
func TestLegacy(t *testing.T) {
	w := newWorld(t)
	w.text, w.env, w.inputs = strings.Replace(w.text, "manifest_version: \"1.0\"\n", "", 1), map[string]string{}, nil
	if p := w.plan(t); !p.OK() || !slices.Equal(codes(p.Warnings), []string{"legacy"}) {
		t.Errorf("got %+v", p)
	}
}

func TestVersionIn(t *testing.T) {
	for text, want := range map[string]string{
		"git version 2.43.0 (Apple Git-145)": "2.43.0", "Python 3.11.4": "3.11.4", "jq-1.7.1": "1.7.1", "node v22": "22", "go version go1.22.3 linux/amd64": "1.22.3",
		"GNU bash, version 5.2.15(1)-release": "5.2.15", "": "", "none": "", "9 lives of 2.1": "2.1",
	} {
		if got := versionIn(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, c := range []struct {
		version, most string
		want          bool
	}{{"3.11.4", "3.11", false}, {"3.12", "3.11", true}, {"3.11", "3.11.4", false}, {"2.40", "2.9", true}, {"2.9.1", "2.40", false}} {
		if got := above(c.version, c.most); got != c.want {
			t.Errorf("%s above %s: %v", c.version, c.most, got)
		}
	}
}

// TestRepoRoot finds it as git does, and runs nothing.
func TestRepoRoot(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p ...string) string { return filepath.Join(append([]string{top}, p...)...) }
	write(t, at("main", ".git", "HEAD"), "x", 0o644)
	write(t, at("main", ".git", "worktrees", "w", "HEAD"), "x", 0o644)
	write(t, at("main", ".git", "modules", "m", "HEAD"), "x", 0o644)
	write(t, at("main", "m", ".git"), "gitdir: ../.git/modules/m\n", 0o644)
	write(t, at("w", ".git"), "gitdir: "+at("main", ".git", "worktrees", "w")+"\n", 0o644)
	write(t, at("main", "odd", ".git"), "gitdir: ../nowhere", 0o644)
	write(t, at("main", "text", ".git"), "nothing", 0o644)
	write(t, at("main", "empty", ".git", "x"), "", 0o644)
	for dir, want := range map[string]string{
		"main": "main", "main/deep/er": "main", "main/m": "main/m", "w": "w", "main/odd": "main", "main/text": "main", "main/empty": "main",
	} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if got := RepoRoot(at(dir)); got != at(want) {
			t.Errorf("%s: got %s", dir, got)
		}
	}
	if got := RepoRoot(at("w", "..")); got != "" && strings.HasPrefix(got, top) {
		t.Errorf("outside: got %s", got)
	}
}
