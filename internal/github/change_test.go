package github_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
	"github.com/patch-cat/patch-git/internal/limits"
)

func TestChanges(t *testing.T) {
	st := newStage(t)
	fork, n, _ := st.proposal(map[string][]byte{
		"tools/ab/abacus/1.1.0/tool.py": []byte("print(2)\n"),
		"tools/ab/abacus/1.1.0/ä ö.txt": []byte("names are as they are"),
		"tools/ab/abacus/1.0.0/tool.py": nil,
		"registry.yaml":                 []byte("name: other\n"),
	})
	fork.PushMode("new", "", "link", "120000", []byte("/etc/passwd"))
	fork.PushMode("new", "", "deep/submodule", "160000", []byte(st.first))
	head := fork.PushMode("new", "", "run.sh", "100755", []byte("#!/bin/sh\n"))
	_ = head
	head = fork.Tip("new")
	got, err := st.job("contents", "read", "pull-requests", "read").Changes(t.Context(), st.repo, n, head)
	ok(t, err)
	var told []string
	for _, c := range got {
		told = append(told, fmt.Sprintf("%s %s %s %d", c.Status, c.Mode, c.Path, c.Size))
		if (c.Status == "removed") != (c.SHA == "") {
			t.Errorf("%s has the object %q", c.Path, c.SHA)
		}
	}
	same(t, "changes", told, []string{
		"added 160000 deep/submodule 0",
		"added 120000 link 11",
		"modified 100644 registry.yaml 12",
		"added 100755 run.sh 10",
		"removed  tools/ab/abacus/1.0.0/tool.py 0",
		"added 100644 tools/ab/abacus/1.1.0/tool.py 9",
		"added 100644 tools/ab/abacus/1.1.0/ä ö.txt 21",
	})
	for _, c := range got {
		if c.Path == "tools/ab/abacus/1.1.0/tool.py" {
			data, err := st.job("contents", "read").Blob(t.Context(), st.repo, c.SHA, c.Size)
			if ok(t, err); string(data) != "print(2)\n" {
				t.Errorf("got %q", data)
			}
		}
	}
}

func TestChangesOfRenamesAndModes(t *testing.T) {
	st := newStage(t)
	fork, n, _ := st.proposal(map[string][]byte{"tools/ab/abacus/1.0.0/tool.py": nil, "tools/ab/other/1.0.0/tool.py": []byte("print(1)\n")})
	fork.PushMode("new", "", "registry.yaml", "100755", []byte("name: tools\n"))
	got, err := st.client("").Changes(t.Context(), st.repo, n, fork.Tip("new"))
	ok(t, err)
	var told []string
	for _, c := range got {
		told = append(told, fmt.Sprintf("%s %s %s %s", c.Status, c.Mode, c.Path, c.Previous))
	}
	same(t, "changes", told, []string{
		"modified 100755 registry.yaml ",
		"renamed 100644 tools/ab/other/1.0.0/tool.py tools/ab/abacus/1.0.0/tool.py",
	})
}

// The pull request is judged as it was when its head was looked at; what is
// pushed meanwhile makes everything that was read worthless.
func TestChangesOfAHeadThatMoves(t *testing.T) {
	list := fmt.Sprintf("/repos/ada/tools/pulls/%d/files", 1)
	for name, f := range map[string]*githubtest.Fault{
		"before":            {Method: http.MethodGet, Path: "/repos/ada/tools/pulls/1"},
		"before the list":   {Method: http.MethodGet, Path: list},
		"after the list":    {Method: http.MethodGet, Path: "/repos/ada/tools/git/commits/"},
		"in the last look":  {Method: http.MethodGet, Path: "/repos/ada/tools/pulls/1", After: 1},
		"nobody pushes":     nil,
		"somebody comments": {Method: http.MethodGet, Path: list},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			fork, n, head := st.proposal(oneTool)
			if f != nil {
				f := *f
				f.Do = func() {
					if name == "somebody comments" {
						st.tools.Comment(n, "bob", "ping")
					} else {
						fork.Push("new", "", "more", map[string][]byte{"evil.py": []byte("x")})
					}
				}
				st.gh.Fail(f)
			}
			got, err := st.client("").Changes(t.Context(), st.repo, n, head)
			if name == "nobody pushes" || name == "somebody comments" {
				if ok(t, err); len(got) != 1 {
					t.Errorf("got %v", got)
				}
				return
			}
			refused(t, err, fault.Findings, "head_moved")
			if got != nil {
				t.Errorf("and yet %v", got)
			}
		})
	}
}

// What GitHub cuts is never taken for the whole.
func TestChangesThatAreCut(t *testing.T) {
	st := newStage(t)
	files := map[string][]byte{}
	for i := range 120 {
		files[fmt.Sprintf("tools/ab/abacus/1.1.0/f%03d", i)] = []byte("x")
	}
	_, n, head := st.proposal(files)
	c := st.client("")
	got, err := c.Changes(t.Context(), st.repo, n, head)
	if ok(t, err); len(got) != 120 {
		t.Errorf("got %d files", len(got))
	}
	st.gh.CutFiles(119)
	_, err = c.Changes(t.Context(), st.repo, n, head)
	refused(t, err, fault.Findings, "truncated")
	st.gh.CutFiles(0)
	st.gh.CutTrees(119)
	_, err = c.Changes(t.Context(), st.repo, n, head)
	refused(t, err, fault.Findings, "truncated")
	st.gh.CutTrees(120)
	_, err = c.Changes(t.Context(), st.repo, n, head)
	ok(t, err)
}

// Folders are read one by one, each once, so that the size of the registry does
// not matter.
func TestChangesReadFewFolders(t *testing.T) {
	st := newStage(t)
	_, n, head := st.proposal(map[string][]byte{"tools/ab/abacus/1.1.0/tool.py": []byte("2"), "tools/ab/abacus/1.1.0/a": []byte("3"), "tools/ab/abacus/tool.yaml": []byte("4")})
	before := len(st.gh.Requests())
	_, err := st.client("").Changes(t.Context(), st.repo, n, head)
	ok(t, err)
	if n := len(st.gh.Requests()) - before; n != 9 { // pull, files, commit, five folders, pull
		t.Errorf("%d requests", n)
	}
}

// A path may have as many folders as its author likes: reading ends.
func TestTooManyFolders(t *testing.T) {
	t.Parallel()
	sha := strings.Repeat("1", 40)
	asked := 0
	depth := limits.PullFolders - 1
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		deep := strings.Repeat("d/", depth) + "f"
		switch {
		case strings.HasSuffix(r.URL.Path, "/files"):
			fmt.Fprintf(w, `[{"filename":%q,"status":"added","sha":%q}]`, deep, sha)
		case strings.Contains(r.URL.Path, "/git/commits/"):
			fmt.Fprintf(w, `{"sha":%q,"tree":{"sha":%[1]q}}`, sha)
		case strings.Contains(r.URL.Path, "/git/trees/"):
			fmt.Fprintf(w, `{"sha":%q,"tree":[{"path":"d","mode":"040000","sha":%[1]q},{"path":"f","mode":"100644","sha":%[1]q}]}`, sha)
		default:
			fmt.Fprintf(w, `{"number":1,"changed_files":1,"head":{"sha":%q}}`, sha)
		}
	}))
	t.Cleanup(srv.Close)
	c, err := github.New(github.Options{API: srv.URL, HTTP: srv.Client(), Now: time.Now})
	ok(t, err)
	got, err := c.Changes(t.Context(), github.Repo{Owner: "ada", Name: "tools"}, 1, sha)
	if ok(t, err); len(got) != 1 || got[0].Mode != "100644" {
		t.Errorf("got %+v", got)
	}
	depth, asked = 100*depth, 0
	_, err = c.Changes(t.Context(), github.Repo{Owner: "ada", Name: "tools"}, 1, sha)
	refused(t, err, fault.Findings, "truncated")
	if asked > limits.PullFolders+10 {
		t.Errorf("%d requests", asked)
	}
}

func TestBlob(t *testing.T) {
	st := newStage(t)
	c := st.client("")
	data := []byte("print(1)\n")
	const sha = "4d6ac1c3c6cbd5e0f1b1e5a2c0b9a0a6f0d8c8a1"
	_, err := c.Blob(t.Context(), st.repo, sha, 100)
	refused(t, err, fault.NotFound, "absent")
	real := ""
	_, n, head := st.proposal(map[string][]byte{"x": data, "empty": {}})
	changes, err := c.Changes(t.Context(), st.repo, n, head)
	ok(t, err)
	for _, one := range changes {
		got, err := c.Blob(t.Context(), st.repo, one.SHA, one.Size) // to the byte
		if ok(t, err); int64(len(got)) != one.Size {
			t.Errorf("%s has %d bytes, want %d", one.Path, len(got), one.Size)
		}
		if one.Path == "x" {
			real = one.SHA
		}
	}
	_, err = c.Blob(t.Context(), st.repo, real, int64(len(data))-1)
	refused(t, err, fault.Findings, "too_large")
	// Other bytes under the name.
	st.gh.Fail(githubtest.Fault{Path: "/repos/ada/tools/git/blobs/", Status: http.StatusOK, Body: "print(2)\n"})
	_, err = c.Blob(t.Context(), st.repo, real, 100)
	refused(t, err, fault.NotVerified, "digest")
	got, err := c.Blob(t.Context(), st.repo, real, 100)
	if ok(t, err); string(got) != string(data) {
		t.Errorf("got %q", got)
	}
}

// Answers that lack what is always there, or contradict themselves, decide nothing.
func TestAnswersThatAreNone(t *testing.T) {
	for name, tc := range map[string]struct {
		path, body string
		ask        func(*stage, *github.Client, int, string) error
	}{
		"no json":              {"/repos/ada/tools", "<html>", askRepository},
		"an empty repository":  {"/repos/ada/tools", "{}", askRepository},
		"no default branch":    {"/repos/ada/tools", `{"id":1,"name":"tools","owner":{"login":"ada","id":7}}`, askRepository},
		"no owner":             {"/repos/ada/tools", `{"id":1,"name":"tools","default_branch":"main"}`, askRepository},
		"another pull request": {"/repos/ada/tools/pulls/1", `{"number":2,"state":"open"}`, askPull},
		"no head":              {"/repos/ada/tools/pulls/1", `{"number":1,"state":"open"}`, askPull},
		"an unknown status":    {"/repos/ada/tools/pulls/1/files", `[{"filename":"x","status":"blessed","sha":"1"}]`, askChanges},
		"a file twice":         {"/repos/ada/tools/pulls/1/files", `[{"filename":"x","status":"added"},{"filename":"x","status":"added"}]`, askChanges},
		"a file that is not":   {"/repos/ada/tools/pulls/1/files", `[{"filename":"x","status":"added","sha":"1"}]`, askChanges},
		"another object":       {"/repos/ada/tools/pulls/1/files", `[{"filename":"tools/ab/abacus/1.1.0/tool.py","status":"added","sha":"1"}]`, askChanges},
		"not removed":          {"/repos/ada/tools/pulls/1/files", `[{"filename":"registry.yaml","status":"removed"}]`, askChanges},
		"renamed from nowhere": {"/repos/ada/tools/pulls/1/files", `[{"filename":"x","status":"renamed"}]`, askChanges},
		"another commit":       {"/repos/ada/tools/git/commits/", `{"sha":"` + strings.Repeat("1", 40) + `","tree":{"sha":"` + strings.Repeat("2", 40) + `"}}`, askChanges},
		"another tree":         {"/repos/ada/tools/git/trees/", `{"sha":"` + strings.Repeat("1", 40) + `","tree":[]}`, askChanges},
		"a permission unknown": {"/repos/ada/tools/collaborators/", `{"permission":"god","role_name":"god"}`, func(st *stage, c *github.Client, _ int, _ string) error {
			_, err := c.Permission(st.t.Context(), st.repo, "bob")
			return err
		}},
		"nobody": {"/users/bob", `{}`, func(st *stage, c *github.Client, _ int, _ string) error {
			_, err := c.User(st.t.Context(), "bob")
			return err
		}},
		"a check of nothing": {"/repos/ada/tools/commits/", `{"total_count":1,"check_runs":[{}]}`, askChecks},
		"a check too few":    {"/repos/ada/tools/commits/", `{"total_count":1,"check_runs":[]}`, askChecks},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			st.t = t
			_, n, head := st.proposal(oneTool)
			c := st.client(st.gh.Token("ada"))
			if err := tc.ask(st, c, n, head); err != nil { // the twin
				t.Fatal(err)
			}
			st.gh.Fail(githubtest.Fault{Path: tc.path, Status: http.StatusOK, Body: tc.body})
			if err := tc.ask(st, c, n, head); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("got %v (%v)", err, fault.KindOf(err))
			}
		})
	}
}

func askRepository(st *stage, c *github.Client, _ int, _ string) error {
	_, err := c.Repository(st.t.Context(), st.repo)
	return err
}

func askPull(st *stage, c *github.Client, n int, _ string) error {
	_, err := c.Pull(st.t.Context(), st.repo, n)
	return err
}

func askChanges(st *stage, c *github.Client, n int, head string) error {
	_, err := c.Changes(st.t.Context(), st.repo, n, head)
	return err
}

func askChecks(st *stage, c *github.Client, _ int, _ string) error {
	_, err := c.Checks(st.t.Context(), st.repo, st.first, "patch-git")
	return err
}
