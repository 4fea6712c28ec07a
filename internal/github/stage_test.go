package github_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

// stage is a GitHub with a registry, and a clock that only waits move.
type stage struct {
	t     *testing.T
	gh    *githubtest.Server
	base  string
	repo  github.Repo
	tools *githubtest.Repo
	first string // the first commit of main

	now   time.Time
	waits []string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	t.Parallel() // the git program is what takes the time
	st := &stage{t: t, now: time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC), repo: github.Repo{Owner: "ada", Name: "tools"}}
	st.gh = githubtest.New(githubtest.Options{T: t, Now: func() time.Time { return st.now }})
	st.base = st.gh.Start()
	st.gh.Account(githubtest.Account{Login: "ada", ID: 7})
	st.gh.Account(githubtest.Account{Login: "bob", ID: 8})
	st.tools = st.gh.AddRepo("ada/tools")
	st.first = st.tools.Push("main", "", "first", map[string][]byte{"registry.yaml": []byte("name: tools\n"), "tools/ab/abacus/1.0.0/tool.py": []byte("print(1)\n")})
	return st
}

// client makes a client with a token.
func (st *stage) client(token string) *github.Client {
	st.t.Helper()
	c, err := github.New(github.Options{
		API: st.base, HTTP: &http.Client{}, Token: token,
		Now: func() time.Time { return st.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			st.now = st.now.Add(d)
			return ctx.Err()
		},
		Wait: func(why string, d time.Duration) { st.waits = append(st.waits, fmt.Sprint(why, " ", d)) },
	})
	if err != nil {
		st.t.Fatal(err)
	}
	return c
}

// job is a client with the token of a workflow's job.
func (st *stage) job(perms ...string) *github.Client {
	return st.client(st.gh.JobToken("ada/tools", perms...))
}

// proposal is a pull request of bob's from his fork.
func (st *stage) proposal(files map[string][]byte) (fork *githubtest.Repo, number int, head string) {
	st.t.Helper()
	fork = st.tools.Fork("bob")
	head = fork.Push("new", st.tools.Tip("main"), "a tool", files)
	return fork, st.tools.Pull("bob", fork, "new", "abacus 1.1.0", "please"), head
}

var oneTool = map[string][]byte{"tools/ab/abacus/1.1.0/tool.py": []byte("print(2)\n")}

// count tells how often a request was made.
func (st *stage) count(method, path string) int {
	n := 0
	for _, r := range st.gh.Requests() {
		if r.Method == method && r.Path == path {
			n++
		}
	}
	return n
}

// refused holds an error against a kind and a reason.
func refused(t *testing.T, err error, kind fault.Kind, reason string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind || fault.ReasonOf(err) != reason {
		t.Errorf("got %v (%v, %q), want %v, %q", err, fault.KindOf(err), fault.ReasonOf(err), kind, reason)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same[E comparable](t *testing.T, what string, got, want []E) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func has(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q lacks %q", text, part)
	}
}
