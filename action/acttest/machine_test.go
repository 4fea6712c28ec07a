//go:build linux

package acttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// started is a forge with a repository of one commit, and the run of a workflow
// of testdata for a push of it.
func started(t *testing.T, file string) (*forge, *run) {
	t.Helper()
	f := newForge(t)
	data, err := os.ReadFile(filepath.Join("testdata", "workflows", file))
	if err != nil {
		t.Fatal(err)
	}
	tip := f.seed(t, map[string][]byte{".github/workflows/" + file: data, "README": []byte("a registry\n")})
	ada := f.person("ada", 7, true)
	f.queue("push", "", "main", nil, tip, "refs/heads/main", tip, map[string]any{"ref": "refs/heads/main", "after": tip, "deleted": false}, ada, false)
	r := f.next(t)
	if r == nil {
		t.Fatal("nothing runs")
	}
	return f, r
}

// seed makes the registry's repository with one commit on main.
func (f *forge) seed(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := f.bare(registryRepo)
	f.addRegistry(t)
	clone := t.TempDir()
	git(t, clone, "init", "-q", "-b", "main", ".")
	for name, data := range files {
		keep(t, filepath.Join(clone, name), data, 0o644)
	}
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-q", "-m", "the beginning")
	git(t, clone, "push", "-q", dir, "HEAD:refs/heads/main")
	return git(t, clone, "rev-parse", "HEAD")
}

// TestMachine: a job has here what it has at GitHub, and no more.
func TestMachine(t *testing.T) {
	f, r := started(t, "machine.yml")
	f.play(t, r)
	for job, want := range map[string]string{"reads": "success", "fails": "failure", "skipped": "", "always": "success"} {
		if got := r.result(job); got != want {
			t.Errorf("job %s: %q, want %q", job, got, want)
		}
	}
	if got := r.conclusion(); got != "failure" {
		t.Errorf("the run is a %s", got)
	}
	log := r.text()
	for _, want := range []string{
		"needs says " + r.sha + " push refs/heads/main " + repositoryID, "token ghs_", "oidc none", "has an identity", "not pushed",
		"results success failure skipped", "artifact file", "the old token is dead", "always | pushed", "GH013",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log has no %q", want)
		}
	}
	for _, not := range []string{"there is a terminal", "after the failure", "never", "reads | pushed", "the old token works"} {
		if strings.Contains(log, "| "+not) {
			t.Errorf("the log has %q", not)
		}
	}
	if got := r.summary(); got != "### from the job\n" {
		t.Errorf("the summary is %q", got)
	}
	if c := r.commands(); len(c) == 0 || c[0].Command != "error" || c[0].Arg != "an annotation" || c[0].Pairs["line"] != "3" {
		t.Errorf("the commands are %+v", c)
	}
	branches := refs(t, f.bare(registryRepo))
	if branches["refs/heads/main"] != r.sha || branches["refs/heads/made"] != r.sha || branches["refs/heads/stolen"] != "" {
		t.Errorf("the branches are %v", branches)
	}
}

// TestMachineDies: a machine that fails does so at once, with all that runs on it.
func TestMachineDies(t *testing.T) {
	f, r := started(t, "steps.yml")
	f.onStep = func(r *run, s stepStart) string {
		if s.Step == "b" {
			time.AfterFunc(300*time.Millisecond, r.kill)
		}
		return ""
	}
	f.play(t, r)
	if log := r.text(); !strings.Contains(log, "| begin-b") || strings.Contains(log, "| end-b") || r.conclusion() != "cancelled" || r.took > 20*time.Second {
		t.Errorf("it ended as %s after %v:\n%s", r.conclusion(), r.took, log)
	}
	// The same run once more, and nobody fails.
	f.onStep = func(_ *run, s stepStart) string {
		if s.Step == "b" {
			return "this step is left out"
		}
		return ""
	}
	again := f.rerun(r)
	f.play(t, f.next(t))
	if again.Attempt != 2 || again.ID != r.ID || again.conclusion() != "failure" || !strings.Contains(again.text(), "this step is left out") {
		t.Errorf("run %d.%d ended as %s", again.ID, again.Attempt, again.conclusion())
	}
}
