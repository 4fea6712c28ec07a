package github_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

func TestRepository(t *testing.T) {
	st := newStage(t)
	fork := st.tools.Fork("bob")
	for name, tc := range map[string]struct {
		token string
		repo  github.Repo
		push  bool
	}{
		"its owner":           {st.gh.Token("ada"), st.repo, true},
		"a stranger":          {st.gh.Token("bob"), st.repo, false},
		"nobody":              {"", st.repo, false},
		"a job that may not":  {st.gh.JobToken("ada/tools"), st.repo, false},
		"a job that may":      {st.gh.JobToken("ada/tools", "contents", "write"), st.repo, true},
		"the fork's owner":    {st.gh.Token("bob"), github.Repo{Owner: "bob", Name: "tools"}, true},
		"in another spelling": {st.gh.Token("ada"), github.Repo{Owner: "ADA", Name: "Tools"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := st.client(tc.token).Repository(t.Context(), tc.repo)
			ok(t, err)
			if r.Push != tc.push || r.Default != "main" || r.ID == 0 {
				t.Errorf("got %+v", r)
			}
			if tc.repo.Owner == "bob" && (r.Parent != st.repo || r.ID != fork.ID || r.Owner.ID != 8) || tc.repo.Owner != "bob" && (r.Repo != st.repo || r.Parent != github.Repo{}) {
				t.Errorf("got %+v", r)
			}
		})
	}
	_, err := st.client("").Repository(t.Context(), github.Repo{Owner: "ada", Name: "nothing"})
	refused(t, err, fault.NotFound, "absent")
	st.tools.Private = true
	_, err = st.client(st.gh.Token("bob")).Repository(t.Context(), st.repo)
	refused(t, err, fault.NotFound, "absent")
	_, err = st.client("ghp_wrong").Repository(t.Context(), st.repo)
	refused(t, err, fault.Denied, "token")
}

// Names go into the path of a request as they are: one that leads elsewhere is
// refused before anything is asked.
func TestNamesThatLeadElsewhere(t *testing.T) {
	st := newStage(t)
	c := st.client(st.gh.Token("ada"))
	ctx := t.Context()
	sha := st.first
	for name, ask := range map[string]func() error{
		"owner":    func() error { _, err := c.Repository(ctx, github.Repo{Owner: "..", Name: "user"}); return err },
		"name":     func() error { _, err := c.Repository(ctx, github.Repo{Owner: "ada", Name: ".."}); return err },
		"slash":    func() error { _, err := c.Repository(ctx, github.Repo{Owner: "ada", Name: "x/../../user"}); return err },
		"query":    func() error { _, err := c.Repository(ctx, github.Repo{Owner: "ada", Name: "x?y"}); return err },
		"escaped":  func() error { _, err := c.Repository(ctx, github.Repo{Owner: "ada", Name: "%2e%2e"}); return err },
		"empty":    func() error { _, err := c.Repository(ctx, github.Repo{}); return err },
		"login":    func() error { _, err := c.Permission(ctx, st.repo, "../x"); return err },
		"nobody":   func() error { _, err := c.User(ctx, ""); return err },
		"sha":      func() error { _, err := c.Blob(ctx, st.repo, "../trees/x", 10); return err },
		"short":    func() error { _, err := c.Blob(ctx, st.repo, sha[:39], 10); return err },
		"commit":   func() error { _, err := c.PullsOfCommit(ctx, st.repo, "main"); return err },
		"head":     func() error { _, _, err := c.PullOf(ctx, st.repo, "main"); return err },
		"branch":   func() error { _, _, err := c.PullOf(ctx, st.repo, "bob:a..b"); return err },
		"number":   func() error { _, err := c.Pull(ctx, st.repo, 0); return err },
		"workflow": func() error { _, err := c.Rerun(ctx, st.repo, "../publish.yml"); return err },
		"file":     func() error { _, err := c.Runs(ctx, st.repo, "publish", sha); return err },
	} {
		t.Run(name, func(t *testing.T) {
			before := len(st.gh.Requests())
			if err := ask(); fault.KindOf(err) != fault.Usage {
				t.Errorf("got %v (%v)", err, fault.KindOf(err))
			}
			if asked := st.gh.Requests()[before:]; len(asked) > 0 {
				t.Errorf("asked %v", asked)
			}
		})
	}
}

func TestPeople(t *testing.T) {
	st := newStage(t)
	st.tools.Let("carol", "maintain")
	st.tools.Let("dave", "triage")
	st.tools.Let("erin", "write")
	st.gh.Account(githubtest.Account{Login: "dependabot[bot]", Type: "Bot"})
	c := st.client(st.gh.Token("ada"))
	for login, want := range map[string]string{
		"ada": "admin", "carol": "maintain", "dave": "triage", "erin": "write", "bob": "read", "dependabot[bot]": "read", "nobody-at-all": "none",
	} {
		got, err := c.Permission(t.Context(), st.repo, login)
		ok(t, err)
		if got != want {
			t.Errorf("%s has %q, want %q", login, got, want)
		}
	}
	st.tools.Private = true
	got, err := c.Permission(t.Context(), st.repo, "bob")
	if ok(t, err); got != "none" {
		t.Errorf("a stranger has %q in a private repository", got)
	}
	st.tools.Private = false
	_, err = st.client(st.gh.Token("bob")).Permission(t.Context(), st.repo, "ada")
	refused(t, err, fault.Denied, "token")

	who, err := c.Viewer(t.Context())
	if ok(t, err); who != (github.User{Login: "ada", ID: 7}) {
		t.Errorf("the viewer is %+v", who)
	}
	_, err = st.job("contents", "write").Viewer(t.Context())
	refused(t, err, fault.Denied, "token")
	who, err = c.User(t.Context(), "BOB")
	if ok(t, err); who != (github.User{Login: "bob", ID: 8}) {
		t.Errorf("got %+v", who)
	}
	_, err = c.User(t.Context(), "nobody-at-all")
	refused(t, err, fault.NotFound, "absent")
}

func TestPull(t *testing.T) {
	st := newStage(t)
	_, n, head := st.proposal(oneTool)
	st.tools.Label(n, "patch-git: new")
	c := st.job("pull-requests", "read")
	p, err := c.Pull(t.Context(), st.repo, n)
	ok(t, err)
	if p.Head.SHA != head || p.Head.Repo.String() != "bob/tools" || p.Base.SHA != st.first || p.Base.Branch != "main" || p.Base.RepoID != st.tools.ID ||
		p.Author.ID != 8 || p.State != "open" || p.Merged || p.Draft || p.Title != "abacus 1.1.0" || p.URL == "" || !p.Created.Equal(st.now) {
		t.Errorf("got %+v", p)
	}
	same(t, "labels", p.Labels, []string{"patch-git: new"})
	of, found, err := c.PullOf(t.Context(), st.repo, "bob:new")
	if ok(t, err); !found || of.Number != n {
		t.Errorf("got %+v, %v", of, found)
	}
	_, found, err = c.PullOf(t.Context(), st.repo, "bob:old")
	if ok(t, err); found {
		t.Error("found a pull request of a branch that is none")
	}
	st.tools.Draft(n, true)
	if p, err = c.Pull(t.Context(), st.repo, n); err != nil || !p.Draft {
		t.Errorf("a draft: %+v, %v", p, err)
	}
	// The fork goes, and the pull request stays.
	st.gh.Delete("bob/tools")
	p, err = c.Pull(t.Context(), st.repo, n)
	if ok(t, err); p.Head.Repo != (github.Repo{}) || p.Head.RepoID != 0 || p.Head.SHA != head {
		t.Errorf("head %+v", p.Head)
	}
	_, err = c.Pull(t.Context(), st.repo, 99)
	refused(t, err, fault.NotFound, "absent")
}

// A push with git to the fork is seen by the interface at the next request.
func TestPullFollowsItsBranch(t *testing.T) {
	st := newStage(t)
	fork, n, head := st.proposal(oneTool)
	c := st.client("")
	next := fork.Push("new", "", "more", map[string][]byte{"tools/ab/abacus/1.1.0/data.txt": []byte("x")})
	p, err := c.Pull(t.Context(), st.repo, n)
	if ok(t, err); p.Head.SHA != next || next == head {
		t.Errorf("the head is %s, want %s", p.Head.SHA, next)
	}
}

func TestListsGoToTheEnd(t *testing.T) {
	st := newStage(t)
	fork := st.tools.Fork("bob")
	const all = 53
	head := fork.Push("b", st.first, "b", map[string][]byte{"b": []byte("b")})
	for i := range all {
		branch := fmt.Sprintf("b%d", i)
		fork.Branch(branch, head)
		st.tools.Pull("bob", fork, branch, branch, "")
		if i == 40 {
			st.tools.Issue("bob", "an issue", "")
		}
	}
	pulls, err := st.client("").Pulls(t.Context(), st.repo)
	ok(t, err)
	seen := map[int]bool{}
	for _, p := range pulls {
		seen[p.Number] = true
	}
	if len(pulls) != all || len(seen) != all {
		t.Errorf("got %d pull requests, %d different ones", len(pulls), len(seen))
	}
}

func TestPullsOfCommit(t *testing.T) {
	st := newStage(t)
	_, n, head := st.proposal(oneTool)
	c := st.job("contents", "write", "pull-requests", "write")
	sha, err := c.Merge(t.Context(), st.repo, n, head, "abacus 1.1.0 (#1)")
	ok(t, err)
	pulls, err := c.PullsOfCommit(t.Context(), st.repo, sha)
	ok(t, err)
	if len(pulls) != 1 || !pulls[0].Merged || pulls[0].MergeCommit != sha || pulls[0].Author.ID != 8 {
		t.Errorf("got %+v", pulls)
	}
	pulls, err = c.PullsOfCommit(t.Context(), st.repo, st.first)
	if ok(t, err); len(pulls) != 0 {
		t.Errorf("the first commit came of %+v", pulls)
	}
}

func TestMerged(t *testing.T) {
	st := newStage(t)
	fork := st.tools.Fork("bob")
	c := st.client(st.gh.Token("ada"))
	at := map[int]time.Time{}
	for i := range 5 {
		branch := fmt.Sprintf("b%d", i)
		head := fork.Push(branch, st.tools.Tip("main"), branch, map[string][]byte{branch: []byte(branch)})
		n := st.tools.Pull("bob", fork, branch, branch, "")
		if i == 3 {
			ok(t, c.Close(t.Context(), st.repo, n)) // closed is not merged
			continue
		}
		_, err := c.Merge(t.Context(), st.repo, n, head, branch)
		ok(t, err)
		at[i] = st.now
		st.now = st.now.Add(10 * time.Hour)
	}
	for want, since := range map[int]time.Time{4: at[0], 3: at[0].Add(time.Second), 1: at[4], 0: at[4].Add(time.Second)} {
		got, err := c.Merged(t.Context(), st.repo, "main", github.User{Login: "bob", ID: 8}, since)
		if ok(t, err); got != want {
			t.Errorf("since %v: %d were merged, want %d", since, got, want)
		}
	}
	got, err := c.Merged(t.Context(), st.repo, "main", github.User{Login: "bob", ID: 9}, at[0])
	if ok(t, err); got != 0 {
		t.Errorf("a namesake has %d", got)
	}
}

func TestReviews(t *testing.T) {
	st := newStage(t)
	fork, n, head := st.proposal(oneTool)
	st.tools.Review(n, "ada", "APPROVED")
	st.tools.Review(n, "carol", "CHANGES_REQUESTED")
	st.tools.Review(n, "", "APPROVED") // an account that is gone
	st.tools.Review(n, "dave", "COMMENTED")
	next := fork.Push("new", "", "more", map[string][]byte{"x": []byte("x")})
	st.tools.Review(n, "ada", "COMMENTED") // takes nothing back
	st.tools.Review(n, "carol", "APPROVED")
	st.tools.Review(n, "erin", "DISMISSED")
	got, err := st.client("").Reviews(t.Context(), st.repo, n)
	ok(t, err)
	id := func(login string) github.User {
		return github.User{Login: login, ID: st.gh.Account(githubtest.Account{Login: login}).ID}
	}
	same(t, "reviews", got, []github.Approval{
		{User: id("ada"), State: "APPROVED", Commit: head},
		{User: id("carol"), State: "APPROVED", Commit: next},
		{User: id("erin"), State: "DISMISSED", Commit: next},
	})
}

func TestChecksTellTheApp(t *testing.T) {
	st := newStage(t)
	st.tools.Check(st.first, "patch-git", "github-actions", "failure", 1)
	st.tools.Check(st.first, "patch-git", "github-actions", "success", 1) // newer, in the same suite
	st.tools.Check(st.first, "patch-git", "github-actions", "failure", 2)
	st.tools.Check(st.first, "patch-git", "somebody-else", "success", 3)
	st.tools.Check(st.first, "other", "github-actions", "success", 1)
	got, err := st.job("checks", "read").Checks(t.Context(), st.repo, st.first, "patch-git")
	ok(t, err)
	var told []string
	for _, k := range got {
		told = append(told, k.App+" "+k.Conclusion)
	}
	same(t, "checks", told, []string{"github-actions success", "github-actions failure", "somebody-else success"})
}
