package githubtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

// watched is a T that remembers what the double complains of.
type watched struct {
	*testing.T
	said []string
}

func (w *watched) Errorf(format string, args ...any) {
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

type scene struct {
	t     *testing.T
	watch *watched
	gh    *githubtest.Server
	repo  *githubtest.Repo
	first string
	fork  *githubtest.Repo
	head  string
	pull  int
}

func newScene(t *testing.T) *scene {
	t.Helper()
	t.Parallel()
	sc := &scene{t: t, watch: &watched{T: t}}
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	sc.gh = githubtest.New(githubtest.Options{T: sc.watch, Now: func() time.Time { return now }})
	sc.repo = sc.gh.AddRepo("ada/tools")
	sc.first = sc.repo.Push("main", "", "first", map[string][]byte{"a": []byte("a\n"), "old": []byte("one\ntwo\nthree\n")})
	sc.fork = sc.repo.Fork("bob")
	sc.head = sc.fork.Push("new", sc.first, "second", map[string][]byte{"b/c": []byte("c\n"), "old": nil, "new": []byte("one\ntwo\nthree\n")})
	sc.pull = sc.repo.Pull("bob", sc.fork, "new", "title", "body")
	return sc
}

// ask makes a request; body is JSON or "".
func (sc *scene) ask(token, method, path, body string, change ...func(*http.Request)) (int, http.Header, []byte) {
	sc.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Accept", "application/vnd.github+json")
	r.Header.Set("User-Agent", "test")
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	sc.gh.ServeHTTP(w, r)
	data, err := io.ReadAll(w.Result().Body)
	if err != nil {
		sc.t.Fatal(err)
	}
	return w.Code, w.Header(), data
}

// TestAnswersHaveTheirShapes asks every route there is and holds what comes back
// against what is documented.
func TestAnswersHaveTheirShapes(t *testing.T) {
	sc := newScene(t)
	all := readShapes(t)
	ada, bob := sc.gh.Token("ada"), sc.gh.Token("bob")
	job := sc.gh.JobToken("ada/tools", "checks", "write", "contents", "write", "pull-requests", "write", "issues", "write", "actions", "write")
	sc.repo.Comment(sc.pull, "bob", "hello")
	sc.repo.Label(sc.pull, "patch-git: new")
	sc.repo.Review(sc.pull, "ada", "APPROVED")
	sc.repo.Check(sc.first, "other", "somebody", "", 3)
	sc.repo.Issue("bob", "an issue", "", "bug")
	run := sc.repo.AddRun(githubtest.Run{File: "publish.yml", Head: sc.first, Event: "push", Branch: "main", Status: "completed", Conclusion: "failure"})
	sc.fork.Push("other", sc.first, "third", map[string][]byte{"d": []byte("d")})
	const base = "/repos/ada/tools"
	last := map[string]any{}
	get := func(name string) string { s, _ := last[name].(string); return s }
	id := func() string { n, _ := last["id"].(float64); return fmt.Sprintf("%.0f", n) }
	asked := map[string]bool{}
	step := func(token, method, path, body string, status int, kind, route string) {
		t.Helper()
		code, h, data := sc.ask(token, method, path, body)
		asked[method+" "+route] = true
		var v any
		d := json.NewDecoder(bytes.NewReader(data))
		if err := d.Decode(&v); err != nil || d.More() {
			t.Fatalf("%s %s: %d %q: %v", method, path, code, data, err)
		}
		if code != status {
			t.Fatalf("%s %s: %d %s", method, path, code, data)
		}
		for _, name := range []string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Ratelimit-Used", "X-Ratelimit-Resource", "Date"} {
			if h.Get(name) == "" {
				t.Errorf("%s %s: no %s", method, path, name)
			}
		}
		if !strings.HasPrefix(h.Get("Content-Type"), "application/json") {
			t.Errorf("%s %s: %s", method, path, h.Get("Content-Type"))
		}
		r := &reader{text: kind}
		if why := all.fits(method+" "+path, v, r.either()); why != "" {
			t.Error(why)
		}
		last, _ = v.(map[string]any)
	}
	repo := "/repos/{owner}/{repo}"
	step(ada, "GET", "/user", "", 200, "@public-user", "/user")
	step("", "GET", "/users/bob", "", 200, "@public-user", "/users/{login}")
	step("", "GET", base, "", 200, "@full-repository", repo)
	step(bob, "GET", "/repos/bob/tools", "", 200, "@full-repository", repo)
	step(ada, "GET", base+"/collaborators/bob/permission", "", 200, "@repository-collaborator-permission", repo+"/collaborators/{login}/permission")
	step(sc.gh.Token("carol"), "POST", base+"/forks", `{"default_branch_only":true}`, 202, "@full-repository", repo+"/forks")
	step(bob, "POST", "/repos/bob/tools/merge-upstream", `{"branch":"main"}`, 200, "@merged-upstream", repo+"/merge-upstream")

	step(ada, "POST", base+"/git/blobs", `{"content":"eA==","encoding":"base64"}`, 201, "@short-blob", repo+"/git/blobs")
	blob := get("sha")
	step("", "GET", base+"/git/blobs/"+blob, "", 200, "@blob", repo+"/git/blobs/{sha}")
	step("", "GET", base+"/git/commits/"+sc.first, "", 200, "@git-commit", repo+"/git/commits/{sha}")
	tree, _ := last["tree"].(map[string]any)
	step("", "GET", fmt.Sprint(base, "/git/trees/", tree["sha"], "?recursive=1"), "", 200, "@git-tree", repo+"/git/trees/{sha}")
	step(ada, "POST", base+"/git/trees", fmt.Sprintf(`{"base_tree":%q,"tree":[{"path":"x/y","mode":"100644","type":"blob","sha":%q},{"path":"a","mode":"100644","type":"blob","sha":null}]}`, tree["sha"], blob), 201, "@git-tree", repo+"/git/trees")
	step(ada, "POST", base+"/git/commits", fmt.Sprintf(`{"message":"m","tree":%q,"parents":[%q]}`, get("sha"), sc.first), 201, "@git-commit", repo+"/git/commits")
	made := get("sha")
	step(ada, "POST", base+"/git/refs", fmt.Sprintf(`{"ref":"refs/heads/some/branch","sha":%q}`, made), 201, "@git-ref", repo+"/git/refs")
	step(ada, "PATCH", base+"/git/refs/heads/some/branch", fmt.Sprintf(`{"sha":%q,"force":true}`, sc.first), 200, "@git-ref", repo+"/git/refs/{ref...}")
	step("", "GET", base+"/git/ref/heads/some/branch", "", 200, "@git-ref", repo+"/git/ref/{ref...}")

	step(bob, "POST", base+"/pulls", `{"title":"t","head":"bob:other","base":"main","body":""}`, 201, "@pull-request", repo+"/pulls")
	step("", "GET", base+"/pulls?state=all", "", 200, "[@pull-request-simple]", repo+"/pulls")
	step("", "GET", base+"/pulls/1", "", 200, "@pull-request", repo+"/pulls/{number}")
	step("", "GET", base+"/pulls/1/files", "", 200, "[@diff-entry]", repo+"/pulls/{number}/files")
	step("", "GET", base+"/pulls/1/reviews", "", 200, "[@pull-request-review]", repo+"/pulls/{number}/reviews")
	step(bob, "PATCH", base+"/pulls/3", `{"state":"closed"}`, 200, "@pull-request", repo+"/pulls/{number}")
	step(job, "PUT", base+"/pulls/1/merge", fmt.Sprintf(`{"sha":%q,"merge_method":"squash","commit_title":"t","commit_message":""}`, sc.head), 200, "@pull-request-merge-result", repo+"/pulls/{number}/merge")
	step("", "GET", base+"/commits/"+get("sha")+"/pulls", "", 200, "[@pull-request-simple]", repo+"/commits/{ref}/pulls")
	step("", "GET", base+"/pulls/1", "", 200, "@pull-request", repo+"/pulls/{number}")

	step("", "GET", base+"/issues?state=all&sort=created&direction=asc", "", 200, "[@issue]", repo+"/issues")
	step(job, "POST", base+"/issues", `{"title":"t","body":"b","labels":["x"]}`, 201, "@issue", repo+"/issues")
	step(job, "PATCH", base+"/issues/2", `{"title":"u"}`, 200, "@issue", repo+"/issues/{number}")
	step(job, "POST", base+"/issues/1/comments", `{"body":"b"}`, 201, "@issue-comment", repo+"/issues/{number}/comments")
	step(job, "PATCH", base+"/issues/comments/"+id(), `{"body":"c"}`, 200, "@issue-comment", repo+"/issues/comments/{id}")
	step("", "GET", base+"/issues/1/comments", "", 200, "[@issue-comment]", repo+"/issues/{number}/comments")
	step(job, "POST", base+"/labels", `{"name":"made here","color":"ffffff"}`, 201, "@label", repo+"/labels")
	step("", "GET", base+"/labels/made%20here", "", 200, "@label", repo+"/labels/{name}")
	step(job, "POST", base+"/issues/1/labels", `["made here"]`, 200, "[@label]", repo+"/issues/{number}/labels")
	step("", "GET", base+"/issues/1/labels", "", 200, "[@label]", repo+"/issues/{number}/labels")
	step(job, "DELETE", base+"/issues/1/labels/made%20here", "", 200, "[@label]", repo+"/issues/{number}/labels/{name}")

	step(job, "POST", base+"/check-runs", fmt.Sprintf(`{"name":"patch-git","head_sha":%q,"status":"in_progress"}`, sc.first), 201, "@check-run", repo+"/check-runs")
	step(job, "PATCH", base+"/check-runs/"+id(), `{"status":"completed","conclusion":"success","completed_at":"2026-11-22T08:00:00Z","output":{"title":"t","summary":"s","annotations":[{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"}]}}`, 200, "@check-run", repo+"/check-runs/{id}")
	step("", "GET", base+"/commits/"+sc.first+"/check-runs", "", 200, "{total_count:number check_runs:[@check-run]}", repo+"/commits/{ref}/check-runs")

	step(job, "GET", base+"/actions/workflows/publish.yml/runs?event=push&branch=main", "", 200, "{total_count:number workflow_runs:[@workflow-run]}", repo+"/actions/workflows/{file}/runs")
	step(job, "POST", fmt.Sprint(base, "/actions/runs/", run, "/rerun"), "", 201, "{}", repo+"/actions/runs/{id}/rerun")
	step(job, "GET", fmt.Sprint(base, "/actions/runs/", run), "", 200, "@workflow-run", repo+"/actions/runs/{id}")

	for _, route := range sc.gh.Routes() {
		if !asked[route] {
			t.Errorf("%s was not asked", route)
		}
	}
	if sc.watch.said != nil {
		t.Errorf("the double complains: %q", sc.watch.said)
	}
	// What a workflow is told of has the same shapes.
	event := sc.repo.Event("opened", sc.pull, "bob")
	var v map[string]any
	data, err := json.Marshal(event)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]string{"pull_request": "pull-request", "repository": "repository", "sender": "simple-user"} {
		if why := all.fits(name, v[name], shape{ref: kind}); why != "" {
			t.Error(why)
		}
	}
}

// A request that GitHub would refuse fails the test; the twin does not.
func TestMalformedRequests(t *testing.T) {
	sc := newScene(t)
	job := sc.gh.JobToken("ada/tools", "checks", "write", "issues", "write", "contents", "write", "pull-requests", "write")
	const base = "/repos/ada/tools"
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			if r.Header.Del(name); value != "" {
				r.Header.Set(name, value)
			}
		}
	}
	check := func(more string) string {
		return fmt.Sprintf(`{"name":"n","head_sha":%q,"output":{"title":"t","summary":"s"%s}}`, sc.first, more)
	}
	note := `{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"}`
	notes := func(n int) string {
		return `,"annotations":[` + strings.TrimSuffix(strings.Repeat(note+",", n), ",") + `]`
	}
	for name, tc := range map[string]struct {
		method, path, body string
		change             func(*http.Request)
		good               bool
	}{
		"a request":             {"GET", base, "", func(*http.Request) {}, true},
		"no agent":              {"GET", base, "", header("User-Agent", ""), false},
		"accepts anything":      {"GET", base, "", header("Accept", "*/*"), false},
		"another edition":       {"GET", base, "", header("X-GitHub-Api-Version", "2030-01-01"), false},
		"no edition":            {"GET", base, "", header("X-GitHub-Api-Version", ""), true},
		"an unknown path":       {"GET", base + "/secrets", "", nil, false},
		"an unknown method":     {"DELETE", base, "", nil, false},
		"a path upwards":        {"GET", "/repos/ada/x/../tools", "", nil, false},
		"an unknown parameter":  {"GET", base + "/pulls?page_size=3", "", nil, false},
		"a page too long":       {"GET", base + "/pulls?per_page=101", "", nil, false},
		"a page 0":              {"GET", base + "/pulls?page=0", "", nil, false},
		"a page":                {"GET", base + "/pulls?per_page=100&page=1", "", nil, true},
		"a body with GET":       {"GET", base, "{}", nil, false},
		"a comment":             {"POST", base + "/issues/1/comments", `{"body":"` + strings.Repeat("ä", 65536) + `"}`, nil, true},
		"a comment too long":    {"POST", base + "/issues/1/comments", `{"body":"` + strings.Repeat("x", 65537) + `"}`, nil, false},
		"a comment of nothing":  {"POST", base + "/issues/1/comments", `{"body":""}`, nil, false},
		"a comment of a number": {"POST", base + "/issues/1/comments", `{"body":1}`, nil, false},
		"no field":              {"POST", base + "/issues/1/comments", `{}`, nil, false},
		"an unknown field":      {"POST", base + "/issues/1/comments", `{"body":"x","colour":"red"}`, nil, false},
		"no JSON":               {"POST", base + "/issues/1/comments", `body=x`, nil, false},
		"two bodies":            {"POST", base + "/issues/1/comments", `{"body":"x"}{}`, nil, false},
		"no body":               {"POST", base + "/issues/1/comments", "", nil, false},
		"a form":                {"POST", base + "/issues/1/comments", `{"body":"x"}`, header("Content-Type", "application/x-www-form-urlencoded"), false},
		"50 annotations":        {"POST", base + "/check-runs", check(notes(50)), nil, true},
		"51 annotations":        {"POST", base + "/check-runs", check(notes(51)), nil, false},
		"an annotation's level": {"POST", base + "/check-runs", check(strings.ReplaceAll(notes(1), "notice", "error")), nil, false},
		"no line":               {"POST", base + "/check-runs", check(strings.ReplaceAll(notes(1), `"start_line":1,`, "")), nil, false},
		"a text too long":       {"POST", base + "/check-runs", check(`,"text":"` + strings.Repeat("x", 65536) + `"`), nil, false},
		"a conclusion":          {"POST", base + "/check-runs", fmt.Sprintf(`{"name":"n","head_sha":%q,"conclusion":"good"}`, sc.first), nil, false},
		"completed how":         {"POST", base + "/check-runs", fmt.Sprintf(`{"name":"n","head_sha":%q,"status":"completed"}`, sc.first), nil, false},
		"a list of labels":      {"POST", base + "/issues/1/labels", `["x"]`, nil, true},
		"labels of numbers":     {"POST", base + "/issues/1/labels", `[1]`, nil, false},
		"a label too long":      {"POST", base + "/labels", `{"name":"` + strings.Repeat("x", 51) + `"}`, nil, false},
		"a mode unknown":        {"POST", base + "/git/trees", `{"tree":[{"path":"a","mode":"100600","content":"x"}]}`, nil, false},
	} {
		sc.watch.said = nil
		change := tc.change
		if change == nil {
			change = func(*http.Request) {}
		}
		code, _, body := sc.ask(job, tc.method, tc.path, tc.body, change)
		if (sc.watch.said == nil) != tc.good || (code < 300) != tc.good {
			t.Errorf("%s: %d %s, complaints %q", name, code, body, sc.watch.said)
		}
	}
}

// What a token may not is refused as GitHub does, and is no failure of the test.
func TestPermissions(t *testing.T) {
	sc := newScene(t)
	hidden := sc.gh.AddRepo("ada/hidden")
	hidden.Push("main", "", "m", map[string][]byte{"a": []byte("a")})
	hidden.Private = true
	sc.repo.Let("dave", "triage")
	body := `{"body":"x"}`
	for name, tc := range map[string]struct {
		token, method, path, body string
		want                      int
	}{
		"nobody reads":               {"", "GET", "/repos/ada/tools", "", 200},
		"nobody writes":              {"", "POST", "/repos/ada/tools/issues/1/comments", body, 401},
		"nobody in a private one":    {"", "GET", "/repos/ada/hidden", "", 404},
		"a wrong token":              {"ghp_wrong", "GET", "/repos/ada/tools", "", 401},
		"a stranger comments":        {sc.gh.Token("eve"), "POST", "/repos/ada/tools/issues/1/comments", body, 201},
		"a stranger labels":          {sc.gh.Token("eve"), "POST", "/repos/ada/tools/issues/1/labels", `["x"]`, 403},
		"triage labels":              {sc.gh.Token("dave"), "POST", "/repos/ada/tools/issues/1/labels", `["x"]`, 200},
		"triage merges":              {sc.gh.Token("dave"), "PUT", "/repos/ada/tools/pulls/1/merge", `{"merge_method":"squash"}`, 403},
		"a person's check":           {sc.gh.Token("ada"), "POST", "/repos/ada/tools/check-runs", fmt.Sprintf(`{"name":"n","head_sha":%q}`, sc.first), 403},
		"a job's check":              {sc.gh.JobToken("ada/tools", "checks", "write"), "POST", "/repos/ada/tools/check-runs", fmt.Sprintf(`{"name":"n","head_sha":%q}`, sc.first), 201},
		"a job without":              {sc.gh.JobToken("ada/tools", "contents", "write"), "POST", "/repos/ada/tools/check-runs", fmt.Sprintf(`{"name":"n","head_sha":%q}`, sc.first), 403},
		"a job elsewhere":            {sc.gh.JobToken("ada/tools", "issues", "write"), "POST", "/repos/bob/tools/issues", `{"title":"t"}`, 403},
		"a job reads elsewhere":      {sc.gh.JobToken("ada/tools"), "GET", "/repos/bob/tools", "", 200},
		"a job in a private one":     {sc.gh.JobToken("ada/tools", "contents", "read"), "GET", "/repos/ada/hidden", "", 404},
		"its job lacks pulls":        {sc.gh.JobToken("ada/hidden", "contents", "read"), "GET", "/repos/ada/hidden/pulls", "", 403},
		"its job has pulls":          {sc.gh.JobToken("ada/hidden", "pull-requests", "read"), "GET", "/repos/ada/hidden/pulls", "", 200},
		"whose token a job has":      {sc.gh.JobToken("ada/tools"), "GET", "/user", "", 403},
		"a fine token without":       {sc.gh.FineToken("ada", "issues", "write"), "PATCH", "/repos/ada/tools/git/refs/heads/main", fmt.Sprintf(`{"sha":%q}`, sc.first), 403},
		"a fine token with":          {sc.gh.FineToken("ada", "contents", "write"), "PATCH", "/repos/ada/tools/git/refs/heads/main", fmt.Sprintf(`{"sha":%q}`, sc.first), 200},
		"and no more than the owner": {sc.gh.FineToken("eve", "contents", "write"), "PATCH", "/repos/ada/tools/git/refs/heads/main", fmt.Sprintf(`{"sha":%q}`, sc.first), 403},
	} {
		code, h, got := sc.ask(tc.token, tc.method, tc.path, tc.body)
		if code != tc.want {
			t.Errorf("%s: %d %s, want %d", name, code, got, tc.want)
		}
		if name == "a job without" && h.Get("X-Accepted-Github-Permissions") != "checks=write" {
			t.Errorf("%s: %q", name, h.Get("X-Accepted-Github-Permissions"))
		}
	}
	ended := sc.gh.JobToken("ada/tools")
	sc.gh.Revoke(ended)
	if code, _, _ := sc.ask(ended, "GET", "/repos/ada/tools", ""); code != 401 {
		t.Errorf("the token of a job that ended: %d", code)
	}
	if sc.watch.said != nil {
		t.Errorf("the double complains: %q", sc.watch.said)
	}
}

// The repositories are git's: what the interface writes git reads, and what git
// pushes the interface sees.
func TestRealRepositories(t *testing.T) {
	sc := newScene(t)
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=b", "-c", "user.email=b@b", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("clone", "-q", "-b", "new", sc.fork.Dir, ".")
	if got := run("rev-parse", "HEAD"); got != sc.head {
		t.Errorf("cloned %s, want %s", got, sc.head)
	}
	run("commit", "-q", "--allow-empty", "-m", "by git")
	run("push", "-q", "origin", "new")
	want := run("rev-parse", "HEAD")
	_, _, data := sc.ask("", "GET", "/repos/ada/tools/pulls/1", "")
	var p struct {
		Head struct{ SHA string } `json:"head"`
	}
	if err := json.Unmarshal(data, &p); err != nil || p.Head.SHA != want {
		t.Errorf("the head is %q, want %q (%v)", p.Head.SHA, want, err)
	}
	// The base has it, under the name that GitHub gives it.
	run("fetch", "-q", sc.repo.Dir, "refs/pull/1/head")
	if got := run("rev-parse", "FETCH_HEAD"); got != want {
		t.Errorf("refs/pull/1/head is %s", got)
	}
	// A repository that was there before is kept.
	again := githubtest.New(githubtest.Options{T: sc.watch, Dir: strings.TrimSuffix(sc.repo.Dir, "/ada/tools.git")})
	if tip := again.AddRepo("ada/tools").Tip("main"); tip != sc.first {
		t.Errorf("its tip is %q", tip)
	}
}

func TestFaultsInOrder(t *testing.T) {
	sc := newScene(t)
	sc.gh.Fail(githubtest.Fault{Method: "GET", Path: "/repos/ada/tools", After: 1, Times: 2, Status: 503})
	sc.gh.Fail(githubtest.Fault{Path: "/repos/bob/", Status: 418, Times: -1})
	var got []int
	for range 5 {
		code, _, _ := sc.ask("", "GET", "/repos/ada/tools", "")
		got = append(got, code)
	}
	for range 3 {
		code, _, _ := sc.ask("", "GET", "/repos/bob/tools", "")
		got = append(got, code)
	}
	if fmt.Sprint(got) != "[200 503 503 200 200 418 418 418]" {
		t.Errorf("got %v", got)
	}
	if n := len(sc.gh.Requests()); n != 8 {
		t.Errorf("%d requests are remembered", n)
	}
}
