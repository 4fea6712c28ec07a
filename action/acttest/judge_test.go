//go:build linux

package acttest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patch-cat/patch-git/internal/judge/judgetest"
)

// TestJudge: a registry that wants a model asks it, merges what it passes and
// keeps what it does not; and of all steps of all workflows one has the key.
func TestJudge(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	bob := g.sits(t, g.bob)
	g.accepted(t, bob)
	g.policy(t, "judge: off", "judge: required")

	// Nobody named a model, so a person has to look.
	n := g.publishes(t, bob, g.tool("word_count", "0.2.0"))
	g.settle(t)
	if got := g.concluded(t, n); got != "action_required" || g.merged(t, n) || !strings.Contains(strings.Join(g.comments(t, n), ""), "no model is configured") {
		t.Fatalf("the check says %q; merged: %v; %q", got, g.merged(t, n), g.comments(t, n))
	}

	model := judgetest.New(t)
	g.vars, g.secrets = model.Env("openai"), map[string]string{}
	g.secrets["PATCH_GIT_JUDGE_KEY"] = g.vars["PATCH_GIT_JUDGE_KEY"]
	delete(g.vars, "PATCH_GIT_JUDGE_KEY")
	var mu sync.Mutex
	var with []string // steps that have the key
	steps := 0
	g.onStep = func(r *run, s stepStart) string {
		mu.Lock()
		defer mu.Unlock()
		steps++
		// act gives a composite action its inputs as variables, too; GitHub does not.
		if slices.ContainsFunc(s.Env, func(v string) bool {
			return strings.Contains(v, judgetest.Key) && !strings.HasPrefix(v, "INPUT_JUDGE")
		}) {
			with = append(with, r.w.File+" "+s.Job)
		}
		return ""
	}
	n = g.publishes(t, bob, g.tool("word_count", "0.3.0"))
	runs := g.settle(t)
	if !g.merged(t, n) || model.Requests() == 0 {
		t.Fatalf("not merged after %d requests: %q", model.Requests(), g.comments(t, n))
	}
	mu.Lock()
	if !slices.Equal(with, []string{"quarantine.yml judge"}) || steps < 10 {
		t.Errorf("of %d steps these have the key: %q", steps, with)
	}
	mu.Unlock()
	for _, r := range runs {
		r.mu.Lock()
		for _, l := range r.log {
			if strings.Contains(l.Message+l.Written, judgetest.Key) {
				t.Errorf("the key is in the log of %s: %s", r.w.File, l.Message)
			}
		}
		r.mu.Unlock()
		err := filepath.WalkDir(r.results, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if strings.Contains(string(data), judgetest.Key) {
				t.Errorf("the key is in %s", path)
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
	}

	// What it objects to is not merged.
	n = g.publishes(t, bob, g.tool("word_count", "0.4.0", "import json", "import json  # EVIL"))
	g.settle(t)
	if got := g.concluded(t, n); got != "failure" || g.merged(t, n) || !strings.Contains(strings.Join(g.comments(t, n), ""), "LLM-002") {
		t.Errorf("the check says %q; merged: %v; %q", got, g.merged(t, n), g.comments(t, n))
	}
	// One that sees nothing wrong anywhere is found out.
	model.Behave("canary-blind")
	n = g.publishes(t, bob, g.tool("word_count", "0.5.0"))
	g.settle(t)
	if got := g.concluded(t, n); got != "action_required" || g.merged(t, n) {
		t.Errorf("the check says %q; merged: %v", got, g.merged(t, n))
	}
}

// policy changes registry.yaml on main.
func (g *registered) policy(t *testing.T, from, to string) {
	t.Helper()
	dir, clone := g.bare(registryRepo), filepath.Join(t.TempDir(), "clone")
	git(t, t.TempDir(), "clone", "-q", dir, clone)
	file := filepath.Join(clone, "registry.yaml")
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), from) {
		t.Fatalf("%q is not in %s: %v", from, data, err)
	}
	keep(t, file, []byte(strings.Replace(string(data), from, to, 1)), 0o644)
	git(t, clone, "commit", "-q", "-a", "-m", "policy")
	before := refs(t, dir)["refs/heads/main"]
	after := git(t, clone, "rev-parse", "HEAD")
	git(t, dir, "fetch", "-q", clone, after)
	git(t, dir, "update-ref", "refs/heads/main", after)
	g.mu.Lock()
	g.watched = refs(t, dir)
	g.mu.Unlock()
	g.push("refs/heads/main", before, after, g.ada)
	g.settle(t)
}
