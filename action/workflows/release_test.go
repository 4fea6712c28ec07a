package workflows

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"gopkg.in/yaml.v3"
)

// releasing is the workflow of this repository alone that makes releases.
const releasing = ".github/workflows/release.yml"

func readReleasing(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, releasing))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestReleaseIsNobodyElses: a registry is not given the workflow that makes
// releases of this program.
func TestReleaseIsNobodyElses(t *testing.T) {
	all, err := Files("patch-cat/patch-git@0123456789abcdef0123456789abcdef01234567")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Path == releasing {
			t.Errorf("%s is written for a registry", f.Path)
		}
	}
}

// TestReleaseActionlint lets actionlint look at the workflow, and shows that it looks.
func TestReleaseActionlint(t *testing.T) {
	text := readReleasing(t)
	lint := func(text string) []*actionlint.Error {
		t.Helper()
		l, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		found, err := l.Lint(filepath.Join(root, releasing), []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for _, e := range lint(text) {
		t.Error(e)
	}
	if len(lint(strings.Replace(text, "needs: build", "needs: bild", 1))) == 0 {
		t.Error("a job that is not there is not found")
	}
}

// TestReleaseLeast: what builds may do nothing, what may do something builds
// nothing, and nobody who pushes a name can put it into a script.
func TestReleaseLeast(t *testing.T) {
	text := readReleasing(t)
	type job struct {
		Permissions map[string]string
		Environment string
		Timeout     int `yaml:"timeout-minutes"`
		Steps       []struct {
			Uses, Run string
			With      map[string]string
		}
	}
	var w struct {
		On          map[string]struct{ Tags, Branches []string }
		Permissions map[string]string
		Jobs        map[string]job
	}
	if err := yaml.Unmarshal([]byte(text), &w); err != nil {
		t.Fatal(err)
	}
	if push := w.On["push"]; len(w.On) != 1 || len(push.Tags) != 1 || push.Tags[0] != "v*" || len(push.Branches) > 0 {
		t.Errorf("it runs for %+v", w.On)
	}
	if w.Permissions == nil || len(w.Permissions) > 0 || !strings.Contains(text, "\npermissions: {}\n") {
		t.Errorf("it begins with the permissions %v", w.Permissions)
	}
	if strings.Contains(text, "secrets.") || strings.Contains(text, "cache: true") || strings.Contains(text, "actions/cache") {
		t.Error("it has a secret or a cache")
	}
	want := map[string]string{"build": "contents: read", "release": "attestations: write contents: write id-token: write"}
	if len(w.Jobs) != len(want) {
		t.Errorf("the jobs are %v", w.Jobs)
	}
	for name, j := range w.Jobs {
		var may []string
		for _, k := range []string{"attestations", "contents", "id-token"} {
			if v := j.Permissions[k]; v != "" {
				may = append(may, k+": "+v)
			}
		}
		if got := strings.Join(may, " "); got != want[name] || len(may) != len(j.Permissions) || j.Timeout == 0 {
			t.Errorf("%s may %v for %d minutes", name, j.Permissions, j.Timeout)
		}
		for _, s := range j.Steps {
			if s.Uses != "" && !regexp.MustCompile(`^actions/[\w-]+@[0-9a-f]{40}$`).MatchString(s.Uses) {
				t.Errorf("%s is not GitHub's own, by its commit", s.Uses)
			}
			if strings.Contains(s.Run, "${{") {
				t.Errorf("GitHub fills in %s before a shell reads it", s.Run)
			}
			if strings.Contains(s.Uses, "/checkout@") && (name != "build" || s.With["persist-credentials"] != "false") {
				t.Errorf("%s checks out with %v", name, s.With)
			}
			if name == "release" && strings.Contains(s.Run, ".ci/") {
				t.Errorf("what signs runs %s", s.Run)
			}
		}
	}
	if w.Jobs["release"].Environment == "" {
		t.Error("no environment says who may release")
	}
	for _, m := range uses.FindAllStringSubmatch(text, -1) {
		if !pinned.MatchString(m[1]) {
			t.Errorf("%s does not say its version", m[1])
		}
	}
}
