package github_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
	"github.com/patch-cat/patch-git/internal/limits"
)

// join makes a commit of the tree of one with these parents, on a branch.
func join(t *testing.T, r *githubtest.Repo, branch string, parents ...string) {
	t.Helper()
	args := []string{"-C", r.Dir, "-c", "safe.directory=*", "-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", parents[0] + "^{tree}", "-m", "join"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	out, err := exec.CommandContext(t.Context(), "git", args...).Output()
	ok(t, err)
	r.Branch(branch, strings.TrimSpace(string(out)))
}

// A pull request is linear where each of its commits has one parent; a merge at
// the head or below it is not, and what cannot be read is not either.
func TestLinear(t *testing.T) {
	st := newStage(t)
	fork, n, head := st.proposal(map[string][]byte{"tools/cd/cd/1.0.0/tool.py": []byte("print(2)\n")})
	c := st.job("contents", "read", "pull-requests", "read")
	linear := func(want bool) {
		t.Helper()
		got, err := c.Linear(t.Context(), st.repo, n, fork.Tip("new"))
		ok(t, err)
		if got != want {
			t.Errorf("linear: %v", got)
		}
	}
	linear(true)
	fork.Push("new", "", "more", map[string][]byte{"tools/cd/cd/1.0.0/a": []byte("a\n")})
	linear(true) // two commits
	_, err := c.Linear(t.Context(), st.repo, n, head)
	refused(t, err, fault.Findings, "head_moved")

	side := fork.Push("side", st.first, "side", map[string][]byte{"x": []byte("x")})
	join(t, fork, "new", fork.Tip("new"), side)
	linear(false)
	fork.Push("new", "", "above", map[string][]byte{"tools/cd/cd/1.0.0/b": []byte("b\n")})
	linear(false) // not the head but one below it

	// A merge of main that the base has does not belong to the pull request.
	join(t, st.tools, "main", st.tools.Tip("main"), st.tools.Push("other", st.first, "other", map[string][]byte{"y": []byte("y")}))
	fork.Push("new", "", "gone", nil)
	ok(t, exec.CommandContext(t.Context(), "git", "-C", fork.Dir, "-c", "safe.directory=*", "fetch", "-q", st.tools.Dir, "+main:new").Run())
	fork.Push("new", "", "on top", map[string][]byte{"z": []byte("z")})
	linear(true)

	var many strings.Builder // one process of git's
	for i := range limits.PullCommits {
		fmt.Fprintf(&many, "commit refs/heads/new\ncommitter x <x@x> %d +0000\ndata 0\n", i)
		if i == 0 {
			many.WriteString("from refs/heads/new^0\n")
		}
	}
	cmd := exec.CommandContext(t.Context(), "git", "-C", fork.Dir, "-c", "safe.directory=*", "fast-import", "--quiet", "--force")
	cmd.Stdin = strings.NewReader(many.String())
	ok(t, cmd.Run())
	linear(false)
	if got, err := c.Linear(t.Context(), st.repo, n, "x"); got || fault.KindOf(err) != fault.Usage {
		t.Errorf("%v, %v", got, err)
	}
}

// What differs between two commits is told down to the depth that is asked for.
func TestMoved(t *testing.T) {
	st := newStage(t)
	c := st.job("contents", "read")
	moved := func(want ...string) {
		t.Helper()
		tip, err := c.Tip(t.Context(), st.repo, "main")
		ok(t, err)
		if tip != st.tools.Tip("main") {
			t.Errorf("the tip is %s", tip)
		}
		got, err := c.Moved(t.Context(), st.repo, st.first, tip, "tools", 3)
		ok(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	moved()
	st.tools.Push("main", "", "a version", map[string][]byte{"tools/ab/abacus/1.1.0/tool.py": []byte("x"), "docs/a/b/c": []byte("x")})
	moved("docs", "tools/ab/abacus")
	st.tools.Push("main", "", "another", map[string][]byte{"tools/cd/cd/1/x": []byte("x"), "registry.yaml": []byte("name: other\n"), "docs/a/b/c": nil})
	moved("registry.yaml", "tools/ab/abacus", "tools/cd/cd")
	st.tools.Push("main", "", "a file for a folder", map[string][]byte{"tools/cd/cd/1/x": nil, "tools/cd": []byte("x"), "tools/ab/abacus/1.0.0/tool.py": nil, "tools/ab/abacus/1.1.0/tool.py": nil})
	moved("registry.yaml", "tools/ab/abacus", "tools/cd")
	_, err := c.Tip(t.Context(), st.repo, "nothing")
	refused(t, err, fault.NotFound, "absent")
	_, err = c.Moved(t.Context(), st.repo, strings.Repeat("a", 40), st.first, "tools", 3)
	refused(t, err, fault.NotFound, "absent")
}
