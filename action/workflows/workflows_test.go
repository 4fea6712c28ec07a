package workflows

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

const root = "../.."

// TestOwnWorkflows: this repository runs what it gives to others.
func TestOwnWorkflows(t *testing.T) {
	all, err := Files("")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(Names())+1 {
		t.Fatalf("%d files", len(all))
	}
	for _, f := range all {
		own, err := os.ReadFile(filepath.Join(root, f.Path))
		if err != nil || !bytes.Equal(own, f.Data) {
			t.Errorf("%s of this repository differs from the template: %v", f.Path, err)
		}
	}
}

// TestAction: another registry takes the program from a commit.
func TestAction(t *testing.T) {
	const commit = "patch-cat/patch-git@0123456789abcdef0123456789abcdef01234567"
	own, err := Files("")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Files(commit)
	if err != nil {
		t.Fatal(err)
	}
	last := len(all) - 1
	if !bytes.Contains(all[last].Data, []byte("uses: "+commit+"\n")) || bytes.Contains(all[last].Data, []byte("uses: ./")) {
		t.Errorf("%s is\n%s", all[last].Path, all[last].Data)
	}
	for i := range last {
		if !bytes.Equal(own[i].Data, all[i].Data) {
			t.Errorf("%s differs from registry to registry", own[i].Path)
		}
	}
}

// TestActionlint lets actionlint look at the workflows, and shows that it looks.
func TestActionlint(t *testing.T) {
	lint := func(path string, data []byte) []*actionlint.Error {
		t.Helper()
		l, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		project, err := actionlint.NewProject(root)
		if err != nil {
			t.Fatal(err)
		}
		found, err := l.Lint(path, data, project)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	all, err := Files("")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all[:len(all)-1] {
		path := filepath.Join(root, f.Path)
		for _, e := range lint(path, f.Data) {
			t.Errorf("%s: %v", f.Path, e)
		}
		broken := bytes.Replace(f.Data, []byte("mode: "), []byte("mood: "), 1)
		if found := lint(path, broken); len(found) == 0 {
			t.Errorf("%s: an input that the action does not have is not found", f.Path)
		}
	}
}

var (
	uses   = regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.*)$`)
	pinned = regexp.MustCompile(`^(?:\./|\./\.github/actions/patch-git|[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
	runs   = regexp.MustCompile(`(?m)^\s*(?:- )?run: `)
)

// TestLeast holds the workflows against what they promise beyond what a linter knows.
func TestLeast(t *testing.T) {
	all, err := Files("")
	if err != nil {
		t.Fatal(err)
	}
	action, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(all, File{"action.yml", action}) {
		text := string(f.Data)
		for _, m := range uses.FindAllStringSubmatch(text, -1) {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned by commit", f.Path, m[1])
			}
		}
		if strings.Contains(text, "actions/cache") || strings.Contains(text, "cache: true") {
			t.Errorf("%s has a cache", f.Path)
		}
		// What GitHub fills in before a shell reads the line is code.
		for line := range strings.SplitSeq(text, "\n") {
			if runs.MatchString(line) && strings.Contains(line, "${{") {
				t.Errorf("%s: %s", f.Path, line)
			}
		}
		if strings.HasSuffix(f.Path, "action.yml") {
			continue
		}
		if !strings.Contains(text, "\npermissions: {}\n") || strings.Contains(text, "write-all") || strings.Contains(keyless(t, f, text), "secrets.") {
			t.Errorf("%s does not begin with no permission, or has a secret", f.Path)
		}
		if runs.MatchString(text) {
			t.Errorf("%s runs a script of its own", f.Path)
		}
		jobs := strings.Count(text, "\n    runs-on: ")
		if n := strings.Count(text, "\n    timeout-minutes: "); jobs == 0 || n != jobs {
			t.Errorf("%s: %d of %d jobs have a timeout", f.Path, n, jobs)
		}
		if n := strings.Count(text, "\n    permissions:\n"); n != jobs {
			t.Errorf("%s: %d of %d jobs name their permissions", f.Path, n, jobs)
		}
		if n := strings.Count(text, "uses: actions/checkout@"); n != strings.Count(text, "persist-credentials: false") {
			t.Errorf("%s: a checkout keeps the token", f.Path)
		}
		// Who cancels a run stops it, merges too.
		if strings.Contains(text, "always()") {
			t.Errorf("%s goes on where it was cancelled", f.Path)
		}
		if !strings.Contains(text, "\nconcurrency:\n") {
			t.Errorf("%s may run twice at a time", f.Path)
		}
	}
}

// keyless is a workflow without its one secret, the key of the model: in the job
// judge of quarantine.yml alone, by an input of the step that asks the model,
// out of an environment of that job.
func keyless(t *testing.T, f File, text string) string {
	t.Helper()
	if f.Path != ".github/workflows/quarantine.yml" {
		return text
	}
	const key = "          judge-key: ${{ secrets.PATCH_GIT_JUDGE_KEY }}\n"
	head, rest, _ := strings.Cut(text, "\n  judge:\n")
	judge, tail, _ := strings.Cut(rest, "\n  report:\n")
	if strings.Count(judge, key) != 1 || !strings.Contains(judge, "\n    environment: quarantine-llm\n") {
		t.Errorf("the job judge is\n%s", judge)
	}
	if strings.Count(judge, "permissions:\n      contents: read\n    steps:") != 1 {
		t.Errorf("the job that has the key may do more than read:\n%s", judge)
	}
	return head + strings.Replace(judge, key, "", 1) + tail
}
