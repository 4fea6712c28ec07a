//go:build linux

package acttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/github/githubtest"
	"github.com/patch-cat/patch-git/internal/sigtest"
)

// The registry of these tests, by the numbers that sigtest has for it.
const (
	registryRepo = "acme/tools"
	repositoryID = "900000001"
	ownerID      = "800000001"
)

// caller is who makes a request: a person, or a job by its own token.
type caller struct {
	login string
	id    int64
	admin bool // of the registry
	token string
	job   *liveJob
}

// mayPush tells whether git may write to a repository for the caller.
func (c *caller) mayPush(repository string) bool {
	if c.job != nil {
		return repository == registryRepo && c.job.may("contents", "write")
	}
	owner, _, _ := strings.Cut(repository, "/")
	return c.login == owner || c.admin
}

// forge plays GitHub: repositories, accounts, events, and which workflow runs
// for which of them with what rights.
type forge struct {
	*world

	t        *testing.T
	dir      string
	double   *githubtest.Server
	owner    *caller // of the registry, who may everything
	runner   string  // token of what makes the checks of jobs
	server   *httptest.Server
	sigstore *sigtest.Sigstore
	site     *pages
	edition  string // of the program that workflows run
	release  string // folder of the composite action as released

	pushing sync.Mutex

	mu       sync.Mutex
	people   []*caller
	runs     []*run
	pending  []*run
	numbers  int64
	watched  map[string]string // the registry's branches
	pulls    map[int]map[string]any
	mayTrial bool // a maintainer lets workflows of outsiders run
	// What the registry's settings have for workflows that are its own.
	vars, secrets map[string]string

	// What a scene does in the middle of something.
	onStep           func(r *run, s stepStart) string // a reason not to run it
	onDone           func(r *run, s stepEnd)
	onCall           func(j *liveJob, w http.ResponseWriter, r *http.Request) bool // true: it was answered
	onCalled         func(j *liveJob, r *http.Request)                             // it did what it did, and nobody has the answer yet
	onPush, onPushed func(j *liveJob)                                              // before git takes a push, and after
	onSign           func(r *run)                                                  // before a job gets its identity
}

// newForge makes a GitHub without repositories.
func newForge(t *testing.T) *forge {
	t.Helper()
	wanted(t)
	f := &forge{
		world: newWorld(t), t: t, dir: t.TempDir(), numbers: 7000000000, mayTrial: true,
		pulls: map[int]map[string]any{}, site: &pages{base: "/tools"},
	}
	var err error
	if f.sigstore, err = sigtest.New(sigtest.Options{}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /step/start", f.stepStarts)
	mux.HandleFunc("POST /step/end", f.stepEnds)
	mux.HandleFunc("GET /identity/{run}/{job}", f.identity)
	f.server = httptest.NewServer(mux)
	t.Cleanup(f.server.Close)
	f.at(gitHost, http.HandlerFunc(f.serveWeb))
	f.at(apiHost, http.HandlerFunc(f.gate))
	f.at(pagesHost, f.site)
	f.edition = "patch-git"
	f.release = f.makeRelease()
	f.double = githubtest.New(githubtest.Options{T: t, Dir: filepath.Join(f.dir, "repositories")})
	f.double.Account(githubtest.Account{Login: "acme", ID: 800000001, Type: "Organization"})
	f.owner = f.person("acme", 800000001, true)
	return f
}

// bare is the folder of a repository.
func (f *forge) bare(repository string) string {
	return filepath.Join(f.dir, "repositories", filepath.FromSlash(path.Clean("/"+repository))+".git")
}

// serveWeb is github.com: repositories, and the releases of this program.
func (f *forge) serveWeb(w http.ResponseWriter, r *http.Request) {
	if file, ok := strings.CutPrefix(r.URL.Path, "/patch-cat/patch-git/releases/download/v"+releaseVersion+"/"); ok {
		if !strings.HasPrefix(file, "patch-git-action_linux_") {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, program(f.edition))
		return
	}
	f.serveGit(w, r)
}

// person makes an account.
func (f *forge) person(login string, id int64, admin bool) *caller {
	f.double.Account(githubtest.Account{Login: login, ID: id})
	p := &caller{login: login, id: id, admin: admin, token: f.double.Token(login)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.people = append(f.people, p)
	return p
}

// bearer is whose secret that is, nil where it is nobody's.
func (f *forge) bearer(secret string) *caller {
	f.mu.Lock()
	defer f.mu.Unlock()
	if secret == "" {
		return nil
	}
	for _, p := range f.people {
		if p.token == secret {
			return p
		}
	}
	for _, r := range f.runs {
		for _, j := range r.jobs {
			if j.token == secret {
				if j.done {
					return nil // GitHub withdraws it when the job ends
				}
				return &caller{login: "github-actions[bot]", id: 41898282, token: secret, job: j}
			}
		}
	}
	return nil
}

// number is a new number of a run.
func (f *forge) number() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.numbers++
	return f.numbers
}

// get asks the double as somebody who may everything.
func (f *forge) get(tb testing.TB, at string, into any) {
	tb.Helper()
	f.call(tb, http.MethodGet, at, nil, into)
}

// call makes a request of GitHub's API as somebody who may everything.
func (f *forge) call(tb testing.TB, method, at string, body, into any) {
	tb.Helper()
	f.ask(tb, f.owner.token, method, at, body, into)
}

// ask makes a request past the gate, which starts nothing.
func (f *forge) ask(tb testing.TB, token, method, at string, body, into any) {
	tb.Helper()
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			tb.Fatal(err)
		}
		in = bytes.NewReader(data)
	}
	r := httptest.NewRequest(method, "https://"+apiHost+at, in)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "application/vnd.github.v3+json")
	r.Header.Set("User-Agent", "acttest")
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	f.double.ServeHTTP(w, r)
	if w.Code/100 != 2 {
		tb.Errorf("%s %s: %d %s", method, at, w.Code, w.Body)
		return
	}
	if into != nil {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			tb.Errorf("%s %s: %v", method, at, err)
		}
	}
}

// as makes a request as a person does in the browser, which starts workflows.
func (f *forge) as(tb testing.TB, who *caller, method, at string, body any) int {
	tb.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		tb.Fatal(err)
	}
	r := httptest.NewRequest(method, "https://"+apiHost+at, bytes.NewReader(data))
	r.Header.Set("Authorization", "Bearer "+who.token)
	r.Header.Set("Accept", "application/vnd.github.v3+json")
	r.Header.Set("User-Agent", "acttest")
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	f.gate(w, r)
	return w.Code
}

// pushed tells the workflows of a push.
func (f *forge) pushed(repository string, before, after map[string]string, by *caller) {
	if repository == registryRepo {
		f.mu.Lock()
		f.watched = after
		f.mu.Unlock()
	}
	if repository == registryRepo && by.job == nil { // what a job's token pushes starts nothing
		for _, ref := range slices.Sorted(maps.Keys(after)) {
			if before[ref] != after[ref] {
				f.push(ref, before[ref], after[ref], by)
			}
		}
	}
	f.observe(by)
}

// push queues the workflows that the pushed commit has.
func (f *forge) push(ref, before, after string, by *caller) {
	branch := strings.TrimPrefix(ref, "refs/heads/")
	payload := map[string]any{
		"ref": ref, "before": or(before, strings.Repeat("0", 40)), "after": after, "created": before == "", "deleted": false, "forced": false,
		"head_commit": map[string]any{"id": after}, "pusher": map[string]any{"name": by.login},
		"repository": f.repository(), "sender": account(by.login, by.id),
	}
	f.queue("push", "", branch, nil, after, ref, after, payload, by, false)
}

// observe finds out what the last request changed, as far as workflows are told
// of it.
func (f *forge) observe(by *caller) {
	f.mu.Lock()
	known := f.pulls
	f.mu.Unlock()
	var all []map[string]any
	f.get(f.t, "/repos/"+registryRepo+"/pulls?state=all&per_page=100", &all)
	now := map[int]map[string]any{}
	for _, p := range all {
		number := int(p["number"].(float64))
		now[number] = p
		was := known[number]
		switch {
		case was == nil && text(p, "state") == "open":
			f.pullEvent("opened", number, nil, by)
		case was == nil:
		case text(was, "state") != text(p, "state") && text(p, "state") == "closed":
			f.pullEvent("closed", number, nil, by)
		case text(was, "state") != text(p, "state"):
			f.pullEvent("reopened", number, nil, by)
		case text(was, "head", "sha") != text(p, "head", "sha") && text(p, "state") == "open":
			f.pullEvent("synchronize", number, nil, by)
		}
		if was != nil {
			had := labels(was)
			for _, l := range labels(p) {
				if !slices.Contains(had, l) {
					f.pullEvent("labeled", number, map[string]any{"label": map[string]any{"name": l}}, by)
				}
			}
		}
	}
	f.mu.Lock()
	f.pulls = now
	f.mu.Unlock()
}

func labels(pull map[string]any) (names []string) {
	list, _ := pull["labels"].([]any)
	for _, l := range list {
		if m, ok := l.(map[string]any); ok {
			names = append(names, text(m, "name"))
		}
	}
	return names
}

// pullEvent queues the workflows for a pull request, of both kinds.
func (f *forge) pullEvent(action string, number int, more map[string]any, by *caller) {
	if by.job != nil {
		return
	}
	var pull map[string]any
	f.get(f.t, fmt.Sprintf("/repos/%s/pulls/%d", registryRepo, number), &pull)
	payload := map[string]any{"action": action, "number": number, "pull_request": pull, "repository": f.repository(), "sender": account(by.login, by.id)}
	maps.Copy(payload, more)
	base, head, from := text(pull, "base", "ref"), text(pull, "head", "sha"), text(pull, "head", "repo", "full_name")
	dir := f.bare(registryRepo)
	tip := git(f.t, dir, "rev-parse", "refs/heads/main")
	git(f.t, dir, "fetch", "-q", f.bare(from), head)
	git(f.t, dir, "update-ref", fmt.Sprintf("refs/pull/%d/head", number), head)
	changed := strings.Split(git(f.t, dir, "diff", "--name-only", "--no-renames", tip+"..."+head), "\n")
	// The pull request's own workflow files, without rights; none where it
	// cannot be merged, and none before a maintainer lets them.
	if tree, err := tryGit(dir, "merge-tree", "--write-tree", tip, head); err == nil && f.mayTrial && action != "closed" {
		merge := git(f.t, dir, "commit-tree", "-p", tip, "-p", head, "-m", "merge", strings.Fields(tree)[0])
		ref := fmt.Sprintf("refs/pull/%d/merge", number)
		git(f.t, dir, "update-ref", ref, merge)
		f.queue("pull_request", action, base, changed, merge, ref, merge, payload, by, true)
	}
	// Code of the default branch, with its rights.
	f.queue("pull_request_target", action, base, changed, tip, "refs/heads/"+base, tip, payload, by, false)
}

// schedule is the nightly hour.
func (f *forge) schedule(cron string) {
	tip := git(f.t, f.bare(registryRepo), "rev-parse", "refs/heads/main")
	f.queue("schedule", "", "main", nil, tip, "refs/heads/main", tip,
		map[string]any{"schedule": cron, "repository": f.repository()}, &caller{login: "ada", id: 7}, false)
}

// queue makes the runs of all workflows that a commit has for an event.
func (f *forge) queue(event, action, branch string, changed []string, at, ref, sha string, payload map[string]any, by *caller, foreign bool) {
	dir := f.bare(registryRepo)
	list, err := tryGit(dir, "ls-tree", "--name-only", at+":.github/workflows")
	if err != nil {
		return // it has none
	}
	for name := range strings.Lines(list) {
		name = strings.TrimSpace(name)
		data := git(f.t, dir, "show", at+":.github/workflows/"+name)
		w, err := readWorkflow(".github/workflows/"+name, []byte(data))
		if err != nil {
			if !foreign {
				f.t.Error(err)
			}
			continue // GitHub shows a run that failed to start
		}
		if w.wants(event, action, branch, changed) {
			f.add(&run{ID: f.number(), Attempt: 1, w: w, event: event, payload: payload, ref: ref, sha: sha, at: at, actor: by, foreign: foreign})
		}
	}
}

func (f *forge) add(r *run) {
	r.made = time.Now().UTC()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs = append(f.runs, r)
	f.pending = append(f.pending, r)
}

// repository is what events say of the registry.
func (f *forge) repository() map[string]any {
	var r map[string]any
	f.get(f.t, "/repos/"+registryRepo, &r)
	return r
}

func account(login string, id int64) map[string]any {
	return map[string]any{"login": login, "id": id, "type": "User"}
}

// text is a string deep in a document, "" where there is none.
func text(v any, path ...string) string {
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	s, _ := v.(string)
	return s
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// keep writes a file of the tests, and its folders.
func keep(tb testing.TB, file string, data []byte, mode os.FileMode) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(file, data, mode); err != nil {
		tb.Fatal(err)
	}
}
