package github

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Whatever a server answers, the wait that comes of it is bounded, and only a
// 403 or a 429 makes us wait.
func FuzzPause(f *testing.F) {
	f.Add(403, "7", "", "", "")
	f.Add(429, "", "0", "1795334400", "")
	f.Add(403, "-1", "0", "-9223372036854775808", "secondary rate limit")
	f.Add(403, "9223372036854775807", "0", "9223372036854775807", "")
	f.Add(200, "Sun, 22 Nov 2026 08:00:00 GMT", "0", "1", "secondary rate limit")
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, status int, after, left, reset, body string) {
		h := http.Header{}
		h.Set("Retry-After", after)
		h.Set("X-RateLimit-Remaining", left)
		h.Set("X-RateLimit-Reset", reset)
		d, limited := pause(status, h, []byte(body), now)
		if limited && (d < time.Second || d > longest) || !limited && d != 0 {
			t.Errorf("waits %v", d)
		}
		if limited && status != 403 && status != 429 || status == 429 && !limited {
			t.Errorf("%d is a limit: %v", status, limited)
		}
	})
}

// What passes as a name is one part of a path, and leads nowhere else.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"ada/tools", "../user", "ada/..", "a/b/c", "ada/x?y", "ada/%2e%2e", "ada/.", "a.b/c", "main", "feature/x", "-f", "a..b", "x.lock", "github-actions[bot]", strings.Repeat("a", 40), "publish.yml"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		one := func(what, part string) {
			u, err := url.Parse("https://api.github.com/" + part + "/end")
			if err != nil || u.Path != "/"+part+"/end" || u.RawQuery != "" || u.Fragment != "" || u.JoinPath().Path != u.Path {
				t.Errorf("%s %q leads to %v, %v", what, s, u, err)
			}
		}
		if r, err := ParseRepo(s); err == nil {
			one("repository", r.String())
			if r.String() != s || strings.Count(s, "/") != 1 {
				t.Errorf("%q is read as %v", s, r)
			}
		}
		if checkLogin(s) == nil {
			one("login", s)
		}
		if checkBranch(s) == nil {
			one("branch", s)
		}
		if checkSHA(s) == nil {
			one("sha", s)
		}
		if checkWorkflow(s) == nil {
			one("workflow", s)
		}
		if checkToken(s) == nil && strings.ContainsAny(s, " \r\n\x00") {
			t.Errorf("the token %q", s)
		}
	})
}

// A list of files that is taken has each path once, a status of ours, and no
// object where a file was removed.
func FuzzChanges(f *testing.F) {
	f.Add(`[{"filename":"x","status":"added","sha":"1"}]`)
	f.Add(`[{"filename":"x","status":"renamed","previous_filename":"y"},{"filename":"x","status":"removed"}]`)
	f.Add(`[null,{}]`)
	f.Fuzz(func(t *testing.T, data string) {
		var files []*api.CommitFile
		if json.Unmarshal([]byte(data), &files) != nil {
			return
		}
		got, err := changes(files)
		if err != nil {
			if fault.KindOf(err) != fault.Unavailable {
				t.Error(err)
			}
			return
		}
		seen := map[string]bool{}
		for _, c := range got {
			known := c.Status == "added" || c.Status == "modified" || c.Status == "removed" && c.SHA == "" || c.Status == "renamed" && c.Previous != ""
			if c.Path == "" || seen[c.Path] || !known {
				t.Errorf("%+v", c)
			}
			seen[c.Path] = true
		}
		if len(got) != len(files) {
			t.Errorf("%d of %d", len(got), len(files))
		}
	})
}

// What is taken for a pull request, a repository, a run or a login is whole.
func FuzzAnswers(f *testing.F) {
	sha := strings.Repeat("1", 40)
	f.Add(`{"number":1,"state":"open","head":{"sha":"` + sha + `"},"base":{"sha":"` + sha + `","repo":{"id":1}}}`)
	f.Add(`{"id":1,"name":"tools","default_branch":"main","owner":{"login":"ada","id":7},"fork":true,"parent":null}`)
	f.Add(`{"id":1,"status":"completed","head_sha":"` + sha + `","created_at":"2026-11-22T08:00:00Z"}`)
	f.Add(`{"device_code":"d","user_code":"AB-12","verification_uri":"https://github.com/login/device","expires_in":900}`)
	f.Fuzz(func(t *testing.T, data string) {
		var p api.PullRequest
		if json.Unmarshal([]byte(data), &p) == nil {
			if got, err := pull(&p); err == nil && (got.Number <= 0 || len(got.Head.SHA) < 40 || got.Base.RepoID == 0) {
				t.Errorf("%+v", got)
			}
		}
		var r api.Repository
		if json.Unmarshal([]byte(data), &r) == nil {
			if got, err := repository(&r); err == nil && (got.Repo.check() != nil || got.ID == 0 || got.Owner.ID == 0 || got.Default == "") {
				t.Errorf("%+v", got)
			}
		}
		var w api.WorkflowRun
		if json.Unmarshal([]byte(data), &w) == nil {
			if got, err := run(&w); err == nil && (got.ID == 0 || got.Created.IsZero() || len(got.Head) < 40) {
				t.Errorf("%+v", got)
			}
		}
		var d deviceCode
		base := &url.URL{Scheme: "https", Host: "github.com"}
		if json.Unmarshal([]byte(data), &d) == nil && d.check(base) == nil {
			if !strings.HasPrefix(strings.ToLower(d.Address), "https://github.com") || strings.ContainsAny(d.UserCode+d.Address, "\x1b\n ") || d.Expires <= 0 {
				t.Errorf("%+v", d)
			}
		}
	})
}
