package github_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

const marker = "patch-git:report"

func TestSticky(t *testing.T) {
	st := newStage(t)
	_, n, _ := st.proposal(oneTool)
	for range 60 {
		st.tools.Comment(n, "bob", "chatter")
	}
	c := st.job("pull-requests", "write")
	first, err := c.Sticky(t.Context(), st.repo, n, marker, "one")
	ok(t, err)
	for range 60 { // it moves to another page
		st.tools.Comment(n, "bob", "chatter")
	}
	again, err := c.Sticky(t.Context(), st.repo, n, marker, "two\r\n")
	ok(t, err)
	all := st.tools.Comments(n)
	if len(all) != 121 || first == "" || first != again || all[60].Body != "<!-- patch-git:report -->\ntwo\r\n" || all[60].Login != "github-actions[bot]" {
		t.Errorf("%d comments, %q and %q, %+v", len(all), first, again, all[60])
	}
	edits := st.count(http.MethodPatch, fmt.Sprint("/repos/ada/tools/issues/comments/", all[60].ID))
	_, err = c.Sticky(t.Context(), st.repo, n, marker, "two")
	ok(t, err)
	if now := st.count(http.MethodPatch, fmt.Sprint("/repos/ada/tools/issues/comments/", all[60].ID)); now != edits {
		t.Error("a comment that says the same was edited")
	}
	_, err = c.Sticky(t.Context(), st.repo, n, "patch-git:other", "three") // another marker, another comment
	if ok(t, err); len(st.tools.Comments(n)) != 122 {
		t.Errorf("%d comments", len(st.tools.Comments(n)))
	}
}

// A stranger who writes the marker first, or whose login looks like the bot's,
// does not get his comment edited and does not keep ours away.
func TestStickyBehindAStranger(t *testing.T) {
	hidden := "<!-- patch-git:report -->\nAll is well. Merge it!"
	for name, by := range map[string]githubtest.Account{
		"a stranger":            {Login: "bob"},
		"another bot":           {Login: "evil[bot]", Type: "Bot"},
		"the login of the bot":  {Login: "github-actions"},
		"the owner by himself":  {Login: "ada"},
		"nobody: only in words": {},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			_, n, _ := st.proposal(oneTool)
			if by.Login == "" { // ours, but the marker is quoted in the middle of a text
				st.tools.Comment(n, "github-actions[bot]", "as bob wrote:\n"+hidden)
			} else {
				st.gh.Account(by)
				st.tools.Comment(n, by.Login, hidden)
			}
			was := st.tools.Comments(n)[0]
			c := st.job("pull-requests", "write")
			for _, body := range []string{"one", "two"} {
				_, err := c.Sticky(t.Context(), st.repo, n, marker, body)
				ok(t, err)
			}
			all := st.tools.Comments(n)
			if len(all) != 2 || all[0] != was || all[1].Login != "github-actions[bot]" || !strings.HasSuffix(all[1].Body, "\ntwo") {
				t.Errorf("got %+v", all)
			}
		})
	}
}

// The token of a person edits what the person wrote, and not what the bot did.
func TestStickyOfAPerson(t *testing.T) {
	st := newStage(t)
	_, n, _ := st.proposal(oneTool)
	bot, ada := st.job("pull-requests", "write"), st.client(st.gh.Token("ada"))
	for _, body := range []string{"one", "two"} {
		_, err := bot.Sticky(t.Context(), st.repo, n, marker, body)
		ok(t, err)
		_, err = ada.Sticky(t.Context(), st.repo, n, marker, body+" by ada")
		ok(t, err)
	}
	all := st.tools.Comments(n)
	if len(all) != 2 || all[0].Login != "github-actions[bot]" || all[1].Login != "ada" || !strings.HasSuffix(all[1].Body, "two by ada") {
		t.Errorf("got %+v", all)
	}
	_, err := st.client("").Sticky(t.Context(), st.repo, n, marker, "nobody's")
	refused(t, err, fault.Denied, "token")
}

func TestStickyThatIsTooLong(t *testing.T) {
	st := newStage(t)
	_, n, _ := st.proposal(oneTool)
	c := st.job("pull-requests", "write")
	head := len("<!-- " + marker + " -->\n")
	_, err := c.Sticky(t.Context(), st.repo, n, marker, strings.Repeat("x", 65536-head+1))
	refused(t, err, fault.Internal, "too_large")
	if len(st.tools.Comments(n)) != 0 {
		t.Error("something was written")
	}
	_, err = c.Sticky(t.Context(), st.repo, n, marker, strings.Repeat("x", 65536-head))
	ok(t, err)
	for _, bad := range []string{"", "a b", "-->", "a--b", "a\nb", "<b>"} {
		if _, err := c.Sticky(t.Context(), st.repo, n, bad, "x"); err == nil {
			t.Errorf("the marker %q was taken", bad)
		}
	}
}

// The answer to a comment is lost: the comment is there once and is found, and
// where it is not there it is made.
func TestStickyWhoseAnswerIsLost(t *testing.T) {
	for name, f := range map[string]githubtest.Fault{
		"cut, and done":     githubtest.Cut(true),
		"cut, and not done": githubtest.Cut(false),
		"502, and done":     {Status: http.StatusBadGateway, Done: true},
		"502, and not done": {Status: http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			_, n, _ := st.proposal(oneTool)
			st.gh.Fail(f.On(http.MethodPost, fmt.Sprintf("/repos/ada/tools/issues/%d/comments", n)))
			url, err := st.job("pull-requests", "write").Sticky(t.Context(), st.repo, n, marker, "one")
			ok(t, err)
			if all := st.tools.Comments(n); len(all) != 1 || !strings.HasSuffix(url, fmt.Sprint("issuecomment-", all[0].ID)) {
				t.Errorf("got %+v at %s", all, url)
			}
		})
	}
}

func TestIssue(t *testing.T) {
	st := newStage(t)
	st.tools.Issue("bob", "mine", "<!-- patch-git:rescan -->\nNothing to see", "patch-git")
	_, n, _ := st.proposal(oneTool) // a pull request is an issue too
	c := st.job("issues", "write")
	first, err := c.Issue(t.Context(), st.repo, "patch-git:rescan", "two tools", "body", []string{"patch-git", "new one"})
	ok(t, err)
	again, err := c.Issue(t.Context(), st.repo, "patch-git:rescan", "three tools", "more", []string{"patch-git"})
	ok(t, err)
	if first != again || !strings.HasSuffix(first, fmt.Sprint("/issues/", n+1)) {
		t.Errorf("%q and %q", first, again)
	}
	title, body, state := st.tools.Text(n + 1)
	if title != "three tools" || body != "<!-- patch-git:rescan -->\nmore" || state != "open" {
		t.Errorf("got %q, %q, %q", title, body, state)
	}
	same(t, "labels", st.tools.Labels(n+1), []string{"patch-git", "new one"})
	if title, _, _ := st.tools.Text(1); title != "mine" {
		t.Error("a stranger's issue was changed")
	}
	// A closed one is done: what comes up again is a new one.
	st.tools.CloseIssue(n + 1)
	third, err := c.Issue(t.Context(), st.repo, "patch-git:rescan", "one tool", "body", nil)
	if ok(t, err); third == first {
		t.Error("a closed issue was changed")
	}
	// An answer that is lost makes no second one.
	st.tools.CloseIssue(n + 2)
	st.gh.Fail(githubtest.Cut(true).On(http.MethodPost, "/repos/ada/tools/issues"))
	fourth, err := c.Issue(t.Context(), st.repo, "patch-git:rescan", "one tool", "body", nil)
	if ok(t, err); !strings.HasSuffix(fourth, fmt.Sprint("/issues/", n+3)) {
		t.Errorf("got %q", fourth)
	}
}
