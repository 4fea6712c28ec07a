package github_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

// The whole way of a contribution: fork, commit without a clone, pull request,
// a second commit after main has moved on.
func TestContribute(t *testing.T) {
	st := newStage(t)
	ctx := t.Context()
	st.tools.SlowForks(3)
	bob := st.client(st.gh.Token("bob"))
	fork, err := bob.Fork(ctx, st.repo)
	ok(t, err)
	if fork.Repo.String() != "bob/tools" || fork.Parent != st.repo || !fork.Push || len(st.waits) != 3 {
		t.Errorf("got %+v after %v", fork, st.waits)
	}
	again, err := bob.Fork(ctx, st.repo)
	if ok(t, err); again != fork || st.count(http.MethodPost, "/repos/ada/tools/forks") != 1 {
		t.Errorf("got %+v", again)
	}
	change := github.Commit{Branch: "abacus-1.1.0", Parent: st.first, Message: "abacus 1.1.0", Files: []github.CommitFile{
		{Path: "tools/ab/abacus/1.1.0/tool.py", Data: []byte("print(2)\n")},
		{Path: "tools/ab/abacus/1.1.0/bytes.bin", Data: []byte{0, 0xff, '\r', '\n'}},
		{Path: "tools/ab/abacus/1.1.0/empty", Data: nil},
	}}
	sha, err := bob.Commit(ctx, fork.Repo, change)
	ok(t, err)
	theirs := st.gh.Repo("bob/tools")
	if theirs.Tip(change.Branch) != sha || theirs.Tip("main") != st.first {
		t.Error("the branch is not there, or main moved")
	}
	for _, f := range change.Files {
		if got := theirs.File(sha, f.Path); string(got) != string(f.Data) {
			t.Errorf("%s holds %q", f.Path, got)
		}
	}
	if string(theirs.File(sha, "registry.yaml")) != "name: tools\n" || theirs.Message(sha) != "abacus 1.1.0" {
		t.Error("what was there before is gone, or the message")
	}
	p, err := bob.OpenPull(ctx, st.repo, github.NewPull{Head: "bob:" + change.Branch, Base: "main", Title: "abacus 1.1.0", Body: "please"})
	ok(t, err)
	if p.Head.SHA != sha || p.Author.ID != 8 || p.Base.SHA != st.first {
		t.Errorf("got %+v", p)
	}
	// main moves on; the contribution is made anew on top of it.
	tip := st.tools.Push("main", "", "other", map[string][]byte{"tools/zz/zebra/1.0.0/tool.py": []byte("z")})
	change.Parent, change.Files = tip, change.Files[:1]
	next, err := bob.Commit(ctx, fork.Repo, change)
	ok(t, err)
	p, err = bob.UpdatePull(ctx, st.repo, github.NewPull{Number: p.Number, Title: "abacus 1.1.0 (2)", Body: ""})
	ok(t, err)
	if p.Head.SHA != next || p.Title != "abacus 1.1.0 (2)" {
		t.Errorf("got %+v", p)
	}
	changes, err := bob.Changes(ctx, st.repo, p.Number, next)
	if ok(t, err); len(changes) != 1 || changes[0].Path != "tools/ab/abacus/1.1.0/tool.py" {
		t.Errorf("got %+v", changes)
	}
	if _, body, _ := st.tools.Text(p.Number); body != "" {
		t.Errorf("the body is %q", body)
	}
	_, err = bob.OpenPull(ctx, st.repo, github.NewPull{Head: "bob:" + change.Branch, Base: "main", Title: "again"})
	refused(t, err, fault.Findings, "refused")
}

func TestForks(t *testing.T) {
	t.Run("one's own", func(t *testing.T) {
		st := newStage(t)
		r, err := st.client(st.gh.Token("ada")).Fork(t.Context(), st.repo)
		if ok(t, err); r.Repo != st.repo || !r.Push {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("the name is taken by something else", func(t *testing.T) {
		st := newStage(t)
		st.gh.AddRepo("bob/tools")
		bob := st.client(st.gh.Token("bob"))
		for range 2 {
			r, err := bob.Fork(t.Context(), st.repo)
			if ok(t, err); r.Repo.String() != "bob/tools-1" || r.Parent != st.repo {
				t.Errorf("got %+v", r)
			}
		}
	})
	t.Run("of another repository", func(t *testing.T) {
		st := newStage(t)
		other := st.gh.AddRepo("eve/tools")
		other.Push("main", "", "evil", map[string][]byte{"x": []byte("x")})
		other.Fork("bob")
		r, err := st.client(st.gh.Token("bob")).Fork(t.Context(), st.repo)
		if ok(t, err); r.Repo.String() != "bob/tools-1" || r.Parent != st.repo {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("never there", func(t *testing.T) {
		st := newStage(t)
		st.tools.SlowForks(1 << 20)
		_, err := st.client(st.gh.Token("bob")).Fork(t.Context(), st.repo)
		refused(t, err, fault.Unavailable, "fork")
	})
	t.Run("a job has none", func(t *testing.T) {
		st := newStage(t)
		_, err := st.job("contents", "write").Fork(t.Context(), st.repo)
		refused(t, err, fault.Denied, "token")
	})
}

func TestCommitToAForkThatIsBehind(t *testing.T) {
	st := newStage(t)
	fork := st.tools.Fork("bob")
	tip := st.tools.Push("main", "", "news", map[string][]byte{"news": []byte("x")})
	bob := st.client(st.gh.Token("bob"))
	c := github.Commit{Branch: "b", Parent: tip, Message: "m", Files: []github.CommitFile{{Path: "x", Data: []byte("x")}}}
	// GitHub does not find the origin's newest commit in the fork at first.
	st.gh.Fail(githubtest.Fault{Path: "/repos/bob/tools/git/commits/" + tip, Status: http.StatusNotFound, Body: `{"message":"Not Found"}`})
	_, err := bob.Commit(t.Context(), github.Repo{Owner: "bob", Name: "tools"}, c)
	ok(t, err)
	if fork.Tip("main") != tip {
		t.Error("the fork's main was not brought up to date")
	}
	// A fork with commits of its own on main cannot be; nothing of it is touched.
	own := fork.Push("main", "", "mine", map[string][]byte{"mine": []byte("x")})
	tip = st.tools.Push("main", "", "more news", map[string][]byte{"news": []byte("y")})
	c.Parent, c.Branch = tip, "c"
	st.gh.Fail(githubtest.Fault{Path: "/repos/bob/tools/git/commits/" + tip, Status: http.StatusNotFound, Body: `{"message":"Not Found"}`})
	_, err = bob.Commit(t.Context(), github.Repo{Owner: "bob", Name: "tools"}, c)
	refused(t, err, fault.Findings, "fork")
	if fork.Tip("main") != own || fork.Tip("c") != "" {
		t.Error("the fork was changed")
	}
	_, err = st.client(st.gh.Token("ada")).Commit(t.Context(), st.repo, github.Commit{Branch: "b", Parent: own, Message: "m", Files: c.Files})
	refused(t, err, fault.NotFound, "absent")
}

func TestCommitRefused(t *testing.T) {
	st := newStage(t)
	ada := st.client(st.gh.Token("ada"))
	good := github.Commit{Branch: "new", Parent: st.first, Message: "m", Files: []github.CommitFile{{Path: "a/b", Data: []byte("x")}}}
	file := func(path string) func(*github.Commit) {
		return func(c *github.Commit) { c.Files = []github.CommitFile{{Path: path}} }
	}
	for name, change := range map[string]func(*github.Commit){
		"the default branch": func(c *github.Commit) { c.Branch = "main" },
		"no branch":          func(c *github.Commit) { c.Branch = "" },
		"a ref":              func(c *github.Commit) { c.Branch = "../tags/v1" },
		"a lock":             func(c *github.Commit) { c.Branch = "x.lock" },
		"an option":          func(c *github.Commit) { c.Branch = "-f" },
		"no parent":          func(c *github.Commit) { c.Parent = "" },
		"no message":         func(c *github.Commit) { c.Message = " \n" },
		"no files":           func(c *github.Commit) { c.Files = nil },
		"absolute":           file("/etc/passwd"),
		"upwards":            file("a/../../b"),
		"git's own":          file("a/.GIT/config"),
		"a folder":           file("a/"),
		"backslash":          file(`a\b`),
		"twice":              func(c *github.Commit) { c.Files = append(c.Files, c.Files[0]) },
	} {
		c := good
		change(&c)
		if _, err := ada.Commit(t.Context(), st.repo, c); err == nil {
			t.Errorf("%s: committed", name)
		}
		if st.tools.Tip("main") != st.first || st.tools.Tip("new") != "" {
			t.Fatalf("%s: a branch moved", name)
		}
	}
	_, err := ada.Commit(t.Context(), st.repo, good)
	ok(t, err)
	_, err = st.client(st.gh.Token("bob")).Commit(t.Context(), st.repo, good) // not his
	refused(t, err, fault.Denied, "token")
	// GitHub says that it stored something else.
	st.gh.Fail(githubtest.Fault{Method: http.MethodPost, Path: "/repos/ada/tools/git/blobs", Status: 201, Body: `{"sha":"` + st.first + `"}`})
	_, err = ada.Commit(t.Context(), st.repo, good)
	refused(t, err, fault.NotVerified, "digest")
}

// Every request of a commit may fail once, before or after it was carried out.
func TestCommitThroughFaults(t *testing.T) {
	st := newStage(t)
	ada := st.client(st.gh.Token("ada"))
	for i, done := range []bool{false, true} {
		for after := range 5 {
			f := githubtest.Cut(done)
			f.After = after
			st.gh.Fail(f)
			branch := fmt.Sprintf("b%d-%d", i, after)
			sha, err := ada.Commit(t.Context(), st.repo, github.Commit{Branch: branch, Parent: st.first, Message: "m", Files: []github.CommitFile{{Path: "x", Data: []byte(branch)}}})
			ok(t, err)
			if st.tools.Tip(branch) != sha || string(st.tools.File(sha, "x")) != branch {
				t.Errorf("%s is at %s, not %s", branch, st.tools.Tip(branch), sha)
			}
		}
	}
	if len(st.waits) != 10 || st.now.Sub(time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)) != 10*time.Second {
		t.Errorf("waits %v", st.waits)
	}
}

func TestOpenPullRefused(t *testing.T) {
	st := newStage(t)
	fork := st.tools.Fork("bob")
	fork.Push("new", st.first, "m", oneTool)
	bob := st.client(st.gh.Token("bob"))
	good := github.NewPull{Head: "bob:new", Base: "main", Title: "t"}
	for name, tc := range map[string]struct {
		change func(*github.NewPull)
		kind   fault.Kind
		reason string
	}{
		"no title":       {func(n *github.NewPull) { n.Title = "" }, fault.Usage, "title"},
		"two lines":      {func(n *github.NewPull) { n.Title = "a\nb" }, fault.Usage, "title"},
		"no such branch": {func(n *github.NewPull) { n.Head = "bob:none" }, fault.Findings, "refused"},
		"no head":        {func(n *github.NewPull) { n.Head = "new" }, fault.Usage, "branch"},
		"nothing new":    {func(n *github.NewPull) { n.Head = "bob:main" }, fault.Findings, "refused"},
		"no such base":   {func(n *github.NewPull) { n.Base = "none" }, fault.Findings, "refused"},
		"a base of dots": {func(n *github.NewPull) { n.Base = ".." }, fault.Usage, "branch"},
	} {
		n := good
		tc.change(&n)
		_, err := bob.OpenPull(t.Context(), st.repo, n)
		t.Log(name)
		refused(t, err, tc.kind, tc.reason)
	}
	_, err := bob.OpenPull(t.Context(), st.repo, good)
	ok(t, err)
	all, err := bob.Pulls(t.Context(), st.repo)
	if ok(t, err); len(all) != 1 {
		t.Errorf("%d pull requests", len(all))
	}
}
