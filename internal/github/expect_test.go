package github_test

import (
	"net/http"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

// A branch is moved from the commit that the caller saw and from no other: a
// colleague's commit is neither overwritten nor lost.
func TestCommitExpects(t *testing.T) {
	for name, c := range map[string]struct {
		branch string          // "" is the one that there is
		expect string          // "seen" is the commit of the attempt before
		before func(st *stage) // what somebody does meanwhile
		kind   fault.Kind
		reason string // "" is moved
	}{
		"where it was seen":         {expect: "seen"},
		"taken for new":             {kind: fault.Unavailable, reason: "head_moved"},
		"a colleague pushed":        {expect: "seen", before: push, kind: fault.Unavailable, reason: "head_moved"},
		"somewhere else altogether": {expect: "first", kind: fault.Unavailable, reason: "head_moved"},
		"there is none":             {branch: "none", expect: "seen", kind: fault.Unavailable, reason: "head_moved"},
		"the default branch":        {branch: "main", expect: "first", kind: fault.Usage, reason: "branch"},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			ada := st.client(st.gh.Token("ada"))
			work := github.Commit{Branch: "work", Parent: st.first, Message: "one", Files: []github.CommitFile{{Path: "x", Data: []byte("one")}}}
			seen, err := ada.Commit(t.Context(), st.repo, work)
			ok(t, err)
			if c.before != nil {
				c.before(st)
			}
			was := st.tools.Tip("work")
			work.Message, work.Files[0].Data = "two", []byte("two")
			work.Expect = map[string]string{"": "", "seen": seen, "first": st.first}[c.expect]
			if c.branch != "" {
				work.Branch = c.branch
			}
			made := st.count(http.MethodPost, "/repos/ada/tools/git/commits")
			sha, err := ada.Commit(t.Context(), st.repo, work)
			if c.reason != "" {
				refused(t, err, c.kind, c.reason)
				if st.tools.Tip("work") != was || st.tools.Tip("main") != st.first || st.tools.Tip("none") != "" || st.count(http.MethodPost, "/repos/ada/tools/git/commits") != made {
					t.Error("something was made")
				}
				return
			}
			ok(t, err)
			if st.tools.Tip("work") != sha || string(st.tools.File(sha, "x")) != "two" || st.tools.Message(sha+"^") != st.tools.Message(st.first) {
				t.Error("the branch is not there, or is no commit on top of its parent")
			}
		})
	}
}

func push(st *stage) {
	st.tools.Push("work", "", "a colleague's", map[string][]byte{"y": []byte("y")})
}

// Who makes the branch between the look and the move is seen by GitHub itself:
// the look is answered here as it was before.
func TestCommitRace(t *testing.T) {
	st := newStage(t)
	ada := st.client(st.gh.Token("ada"))
	work := github.Commit{Branch: "work", Parent: st.first, Message: "one", Files: []github.CommitFile{{Path: "x", Data: []byte("one")}}}
	push(st)
	theirs := st.tools.Tip("work")
	st.gh.Fail(githubtest.Fault{Method: http.MethodGet, Path: "/repos/ada/tools/git/ref/heads/work", Status: 404, Body: `{"message":"Not Found"}`})
	_, err := ada.Commit(t.Context(), st.repo, work)
	refused(t, err, fault.Unavailable, "head_moved")
	if st.tools.Tip("work") != theirs {
		t.Error("a colleague's commit is gone")
	}
}

// Whose commit it is, is GitHub's word; an address of nobody's is nobody.
func TestAuthor(t *testing.T) {
	st := newStage(t)
	ada := st.client(st.gh.Token("ada"))
	work := github.Commit{Branch: "work", Parent: st.first, Message: "m", Files: []github.CommitFile{{Path: "x", Data: []byte("x")}}}
	sha, err := ada.Commit(t.Context(), st.repo, work)
	ok(t, err)
	who, err := ada.Author(t.Context(), st.repo, sha)
	if ok(t, err); who.Login != "ada" || who.ID == 0 {
		t.Errorf("got %+v", who)
	}
	at := "/repos/ada/tools/commits/" + sha
	for body, kind := range map[string]fault.Kind{
		`{"sha":"` + sha + `","author":null}`: fault.Internal, `{"sha":"` + sha + `","author":{}}`: fault.Internal,
		`{"sha":"` + st.first + `","author":{"login":"ada","id":7}}`: fault.Unavailable,
	} {
		st.gh.Fail(githubtest.Fault{Path: at, Status: http.StatusOK, Body: body})
		who, err := ada.Author(t.Context(), st.repo, sha)
		if who != (github.User{}) || kind == fault.Internal && err != nil || kind != fault.Internal && fault.KindOf(err) != kind {
			t.Errorf("%s: %+v, %v", body, who, err)
		}
	}
}
