package action

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/action/workflows"
	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// scene is a registry on a GitHub of its own, with one tool of ann's.
type scene struct {
	t       *testing.T
	gh      *githubtest.Server
	api     string
	repo    *githubtest.Repo
	fork    *githubtest.Repo // ann's
	dir     string           // checkout of main
	work    string           // documents between jobs
	state   string
	now     time.Time
	log     strings.Builder
	summary string
	outputs string
	runID   string
	wrap    func(hub) hub     // somebody in the middle; nil is nobody
	model   map[string]string // environment of the one step that asks a model
}

const registryName = "acme/tools"

// kept is where all scenes keep the bytecode of the program's own Python, which
// each would compile anew, and what that Python said of sources, which each would
// ask again.
var kept string

func TestMain(m *testing.M) {
	var err error
	if kept, err = os.MkdirTemp("", "kept"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(kept)
	os.Exit(code)
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, dir: filepath.Join(t.TempDir(), "reg"), work: t.TempDir(), state: t.TempDir(), now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	state := paths.Paths{Root: s.state}
	for _, dir := range []string{state.Programs(), state.Answers()} {
		shared := filepath.Join(kept, filepath.Base(dir))
		if err := errors.Join(os.MkdirAll(filepath.Dir(dir), 0o700), os.MkdirAll(shared, 0o700), os.Symlink(shared, dir)); err != nil {
			t.Fatal(err)
		}
	}
	s.gh = githubtest.New(githubtest.Options{T: t, Now: func() time.Time { return s.now }})
	s.api = s.gh.Start()
	s.repo = s.gh.AddRepo(registryName)
	s.gh.Account(githubtest.Account{Login: "ann", ID: 7})
	s.gh.Account(githubtest.Account{Login: "bob", ID: 8})
	s.repo.Let("mia", "maintain")
	w, err := contribute.New(s.host("", "{}"), "patch-git test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Workflows(s.dir, contribute.ThisRepository); err != nil {
		t.Fatal(err)
	}
	if _, err := w.InitGitHub(s.dir, registryName); err != nil {
		t.Fatal(err)
	}
	s.published(w)
	s.main(map[string]string{
		"tools/wo/word_count/0.1.0/tool.py": source("word_count", "0.1.0"),
		"tools/wo/word_count/tool.yaml":     "owners:\n  - login: ann\n    id: 7\n",
	})
	s.fork = s.repo.Fork("ann")
	return s
}

// published puts beside the checkout what the job checks out of the branch
// published: a tree in which nothing is published yet.
func (s *scene) published(w *contribute.Workshop) {
	s.t.Helper()
	made := filepath.Join(s.t.TempDir(), "made")
	if _, err := w.Init(s.t.Context(), made, registryName, filepath.Join(s.t.TempDir(), "key")); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(made, "published"), filepath.Join(s.dir, "published")); err != nil {
		s.t.Fatal(err)
	}
}

// main puts files onto the default branch and into its checkout.
func (s *scene) main(files map[string]string) {
	s.t.Helper()
	for path, text := range files {
		s.write(filepath.Join(s.dir, filepath.FromSlash(path)), text)
	}
	all := map[string][]byte{}
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && (d.Name() == ".git" || d.Name() == "published") {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		all[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(filepath.Join(s.dir, ".git", "HEAD"), s.repo.Push("main", "", "main", all)+"\n")
}

func (s *scene) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// source is a tool that passes.
func source(name, version string) string {
	return strings.Replace(string(contribute.Template(spec.Name(name), "")), "version: 0.1.0", "version: "+version, 1)
}

// propose opens a pull request of ann's and returns its number.
func (s *scene) propose(branch string, files map[string]string) int {
	s.t.Helper()
	s.push(branch, files)
	return s.repo.Pull("ann", s.fork, branch, "::error::a title @octocat", "text")
}

func (s *scene) push(branch string, files map[string]string) {
	s.t.Helper()
	data := map[string][]byte{}
	for path, text := range files {
		data[path] = []byte(text)
	}
	from := ""
	if s.fork.Tip(branch) == "" {
		from = s.repo.Tip("main")
	}
	s.fork.Push(branch, from, "a change", data)
}

// jobs says which job of which workflow has which verb.
var jobs = map[string][2]string{
	"quarantine": {"quarantine.yml", "static"}, "judge": {"quarantine.yml", "judge"}, "report": {"quarantine.yml", "report"},
	"trial": {"trial.yml", "trial"}, "publish": {"publish.yml", "publish"}, "nightly": {"nightly.yml", "nightly"},
}

// grantsOf are the permissions that a workflow's file gives a job.
func grantsOf(t *testing.T, file, job string) []string {
	t.Helper()
	files, err := workflows.Files("")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if filepath.Base(f.Path) != file {
			continue
		}
		_, text, _ := strings.Cut(string(f.Data), "\n  "+job+":\n")
		_, text, _ = strings.Cut(text, "    permissions:\n")
		var out []string
		for line := range strings.SplitSeq(text, "\n") {
			if !strings.HasPrefix(line, "      ") {
				break
			}
			line, _, _ = strings.Cut(line, "#")
			name, level, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if name != "id-token" {
				out = append(out, name, level)
			}
		}
		return out
	}
	t.Fatalf("there is no job %s in %s", job, file)
	return nil
}

// host is the machine of a job that has the event.
func (s *scene) host(event, payload string, perms ...string) *host.Host {
	s.t.Helper()
	files := s.t.TempDir()
	env := map[string]string{
		"GITHUB_REPOSITORY": registryName, "GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": filepath.Join(files, "event.json"),
		"GITHUB_API_URL": s.api, "GITHUB_OUTPUT": filepath.Join(files, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(files, "summary"), "RUNNER_TEMP": files, "GITHUB_RUN_ID": s.runID,
	}
	s.summary, s.outputs = env["GITHUB_STEP_SUMMARY"], env["GITHUB_OUTPUT"]
	if perms != nil {
		env["GITHUB_TOKEN"] = s.gh.JobToken(registryName, perms...)
	}
	s.write(env["GITHUB_EVENT_PATH"], payload)
	return &host.Host{
		Paths: paths.Paths{Root: s.state}, Now: func() time.Time { return s.now }, Getenv: func(k string) string { return env[k] },
		HTTP: func() *http.Client { return http.DefaultClient }, Stderr: &s.log, Stdout: &s.log, Dir: s.dir, GOOS: "linux", GOARCH: "amd64",
	}
}

// run plays one verb as the job of its workflow does, with that job's
// permissions and no more.
func (s *scene) run(verb, event, payload string) (answer, error) {
	s.t.Helper()
	at := jobs[verb]
	if verb == "quarantine" && event == "schedule" {
		at = [2]string{"nightly.yml", "rescan"}
	}
	h := s.host(event, payload, grantsOf(s.t, at[0], at[1])...)
	if plain := h.Getenv; verb == "judge" {
		h.Getenv = func(k string) string { return cmp.Or(s.model[k], plain(k)) }
	}
	j, err := newJob(h, Options{In: s.dir, Work: s.work, Version: "test", Say: s.hear})
	if err != nil {
		return answer{}, err
	}
	if s.wrap != nil {
		if err := j.connect(); err != nil {
			return answer{}, err
		}
		j.hub = s.wrap(j.hub)
	}
	j.pause = func(_ context.Context, d time.Duration) error { s.now = s.now.Add(d); return nil }
	return j.do(s.t.Context(), verb)
}

// hear keeps what goes into the log.
func (s *scene) hear(text string) { s.log.WriteString(text + "\n") }

// event is the payload of something that happened to a pull request.
func (s *scene) event(action string, number int, sender, label string) string {
	s.t.Helper()
	e := s.repo.Event(action, number, sender)
	if label != "" {
		e["label"] = map[string]any{"name": label}
	}
	data, err := json.Marshal(e)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// reviewAll plays quarantine.yml for an event, and returns what the report said.
func (s *scene) reviewAll(payload string) (answer, error) {
	s.t.Helper()
	for _, verb := range []string{"quarantine", "judge"} {
		if _, err := s.run(verb, "pull_request_target", payload); err != nil {
			s.t.Fatalf("%s: %v\n%s", verb, err, s.log.String())
		}
	}
	return s.run("report", "pull_request_target", payload)
}

func (s *scene) read(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

// conclusion is that of our check on the head of a pull request.
func (s *scene) conclusion(branch string) string {
	out := ""
	for _, c := range s.repo.Checks(s.fork.Tip(branch)) {
		if c.Name == checkName {
			out = c.Conclusion
		}
	}
	return out
}
