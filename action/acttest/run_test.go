//go:build linux

package acttest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sigtest"
)

// run is one attempt of a workflow run.
type run struct {
	ID      int64
	Attempt int
	w       *workflow
	event   string
	payload map[string]any
	ref     string
	sha     string // GITHUB_SHA
	at      string // the commit that its workflow file is of
	actor   *caller
	made    time.Time
	foreign bool // a pull request's own workflow: it reads, and knows no secret

	f        *forge
	dir      string
	results  string // artifacts, and what was deployed
	tracking string // RUNNER_TRACKING_ID: all of its processes have it
	secret   string // act's GITHUB_TOKEN, in whose place each job gets its own
	act      *exec.Cmd

	mu       sync.Mutex
	jobs     []*liveJob
	log      []logLine
	results1 map[string]string // of jobs
	checks   map[string]int64  // of jobs
	stage    string            // queued, in_progress, completed
	outcome  string
	killed   bool
	took     time.Duration
}

// liveJob is a job of a run, with what GitHub gives to it.
type liveJob struct {
	run   *run
	def   job
	token string
	done  bool
	home  string
	set   map[string]string

	issuer string // of identity tokens
}

// logLine is one of act's log.
type logLine struct {
	Level     string            `json:"level"`
	Message   string            `json:"msg"`
	Job       string            `json:"jobID"`
	Step      string            `json:"step"`
	StepID    []string          `json:"stepID"`
	JobResult string            `json:"jobResult"`
	StepDone  string            `json:"stepResult"`
	Raw       bool              `json:"raw_output"`
	Command   string            `json:"command"`
	Arg       string            `json:"arg"`
	Pairs     map[string]string `json:"kvPairs"`
	Content   string            `json:"content"` // of a summary
	Written   string            `json:"raw"`     // the line, of a command that a step wrote
}

func (r *run) status() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return or(r.stage, "queued")
}

func (r *run) conclusion() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outcome
}

// result is how a job ended: success, failure, skipped, or "" where it did not.
func (r *run) result(job string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.results1[job]
}

// api is the run as GitHub shows it.
func (r *run) api() map[string]any {
	var conclusion any
	if c := r.conclusion(); c != "" {
		conclusion = c
	}
	branch := strings.TrimPrefix(r.ref, "refs/heads/")
	if b := text(r.payload, "pull_request", "head", "ref"); b != "" {
		branch = b
	}
	return map[string]any{
		"id": r.ID, "name": r.w.Name, "path": ".github/workflows/" + r.w.File, "run_attempt": r.Attempt, "run_number": 1, "event": r.event,
		"status": r.status(), "conclusion": conclusion, "head_sha": r.head(), "head_branch": branch, "workflow_id": 1,
		"html_url":   fmt.Sprintf("https://%s/%s/actions/runs/%d", gitHost, registryRepo, r.ID),
		"created_at": r.made.Format(time.RFC3339), "updated_at": r.made.Format(time.RFC3339), "run_started_at": r.made.Format(time.RFC3339),
	}
}

// head is the commit that a run is about: of a pull request its head, whatever
// code the run has.
func (r *run) head() string { return or(text(r.payload, "pull_request", "head", "sha"), r.sha) }

// text is what the run's log says, for people.
func (r *run) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, l := range r.log {
		fmt.Fprintf(&b, "%s | %s\n", l.Job, strings.TrimRight(l.Message, "\n"))
	}
	return b.String()
}

// summary is what the steps wrote for the page of the run.
func (r *run) summary() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	last := ""
	for _, l := range r.log {
		// act repeats that of a composite action for each action around it.
		if l.Command == "summary" && l.Content != last {
			b.WriteString(l.Content)
			last = l.Content
		}
	}
	return b.String()
}

// commands are the workflow commands that steps wrote, such as "error".
func (r *run) commands() (all []logLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.log {
		if l.Command != "" && l.Written != "" {
			all = append(all, l)
		}
	}
	return all
}

// settle plays what is to run, one after the other, until nothing is left, and
// returns what it played. Of runs that wait in one group the newest is played,
// as GitHub has it.
func (f *forge) settle(t *testing.T) (played []*run) {
	t.Helper()
	for {
		r := f.next(t)
		if r == nil {
			return played
		}
		f.play(t, r)
		played = append(played, r)
		if len(played) > 40 {
			t.Fatal("the workflows start each other for ever")
		}
	}
}

// next takes the first run that waits, nil where none does.
func (f *forge) next(t *testing.T) *run {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.pending) > 0 {
		r := f.pending[0]
		f.pending = f.pending[1:]
		group := f.group(t, r)
		if group != "" && slices.ContainsFunc(f.pending, func(o *run) bool { return f.group(t, o) == group }) {
			r.stage, r.outcome = "completed", "cancelled"
			continue
		}
		return r
	}
	return nil
}

// group is whom a run waits for.
func (f *forge) group(t *testing.T, r *run) string {
	t.Helper()
	g, err := interpolate(r.w.Concurrency.Group, func(name string) (string, bool) {
		switch name {
		case "github.workflow":
			return r.w.Name, true
		case "github.run_id":
			return fmt.Sprint(r.ID), true
		case "github.ref":
			return r.ref, true
		}
		path, ok := strings.CutPrefix(name, "github.event.")
		if n, isNumber := r.payload[path].(float64); isNumber {
			return strconv.FormatFloat(n, 'f', -1, 64), true
		}
		if path == "pull_request.number" {
			return fmt.Sprint(r.payload["number"]), true
		}
		return text(r.payload, strings.Split(path, ".")...), ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// played finds the run of a workflow among those that were played.
func played(t *testing.T, all []*run, file string) *run {
	t.Helper()
	var found *run
	for _, r := range all {
		if r.w.File == file {
			found = r
		}
	}
	if found == nil {
		var names []string
		for _, r := range all {
			names = append(names, r.w.File+" for "+r.event)
		}
		t.Fatalf("%s did not run, but %q", file, names)
	}
	return found
}

// runTime is plenty for one run of a workflow.
const runTime = 3 * time.Minute

// play runs a workflow to its end.
func (f *forge) play(t *testing.T, r *run) {
	t.Helper()
	f.prepare(t, r)
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	defer cancel()
	uses, err := f.uses(r)
	if err != nil {
		t.Fatal(err)
	}
	shells := filepath.Join(r.dir, "shell")
	secrets := "GITHUB_TOKEN=" + r.secret + "\n"
	for name, value := range f.secrets {
		if !r.foreign {
			secrets += name + "=" + value + "\n"
		}
	}
	keep(t, filepath.Join(r.dir, "secrets"), []byte(secrets), 0o600)
	args := []string{
		r.event, "-W", filepath.Join(r.dir, "work", ".github", "workflows", r.w.File), "-C", filepath.Join(r.dir, "work"), "-e", filepath.Join(r.dir, "event.json"),
		"--json", "--secret-file", filepath.Join(r.dir, "secrets"), "--no-skip-checkout", "--no-cache-server", "--container-daemon-socket", "-",
		"--action-cache-path", filepath.Join(r.dir, "cache"), "--action-offline-mode", "--actor", r.actor.login, "--rm", "--concurrent-jobs", "2", "--defaultbranch", "main",
	}
	for _, m := range r.w.Machines {
		args = append(args, "-P", m+"=-self-hosted")
	}
	for name, value := range f.vars {
		args = append(args, "--var", name+"="+value)
	}
	for action, dir := range uses {
		args = append(args, "--local-repository", action+"="+dir)
	}
	env := map[string]string{
		"GITHUB_REPOSITORY": registryRepo, "GITHUB_REPOSITORY_ID": repositoryID, "GITHUB_REPOSITORY_OWNER_ID": ownerID, "GITHUB_REPOSITORY_OWNER": "acme",
		"GITHUB_REF": r.ref, "SHA_REF": r.sha, "GITHUB_RUN_ID": fmt.Sprint(r.ID), "GITHUB_RUN_ATTEMPT": fmt.Sprint(r.Attempt), "GITHUB_ACTOR_ID": fmt.Sprint(r.actor.id),
		"GITHUB_TRIGGERING_ACTOR": r.actor.login, "GITHUB_WORKFLOW_REF": registryRepo + "/.github/workflows/" + r.w.File + "@" + r.ref, "GITHUB_WORKFLOW_SHA": r.at,
		"RUNNER_ENVIRONMENT": "github-hosted", "RUNNER_NAME": "GitHub Actions 1",
	}
	maps.Copy(env, f.env())
	for name, value := range env {
		args = append(args, "--env", name+"="+value)
	}
	r.act = exec.CommandContext(ctx, program("act"), args...)
	r.act.Env = []string{
		"PATH=" + shells + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(r.dir, "home"), "XDG_CONFIG_HOME=" + filepath.Join(r.dir, "home"), "XDG_CACHE_HOME=" + filepath.Join(r.dir, "home"),
		"ACT_DISABLE_VERSION_CHECK=1", "RUNNER_TRACKING_ID=" + r.tracking, forgeURL + "=" + f.server.URL, runKey + "=" + r.tracking, realBash + "=" + bash(t),
		lane + "=1", "LANG=C.UTF-8", "PATCH_GIT_TEST_DRIVERS=" + os.Getenv("PATCH_GIT_TEST_DRIVERS"),
	}
	r.act.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	r.act.Cancel = func() error { r.kill(); return nil }
	out, err := r.act.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.act.Stderr = r.act.Stdout
	began := time.Now()
	if err := r.act.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() { defer close(read); r.read(out) }()
	<-read
	err = r.act.Wait()
	r.end(err, time.Since(began))
	if ctx.Err() != nil && t.Context().Err() == nil {
		t.Errorf("%s did not end after %v", r.w.File, runTime)
	}
	t.Logf("%s for %s (run %d.%d): %s, %v in %.1f s", r.w.File, r.event, r.ID, r.Attempt, r.outcome, r.results1, r.took.Seconds())
}

// prepare makes the machine of a run.
func (f *forge) prepare(t *testing.T, r *run) {
	t.Helper()
	r.f, r.dir = f, filepath.Join(f.dir, "runs", fmt.Sprintf("%d.%d", r.ID, r.Attempt))
	r.tracking, r.secret, r.results = "github_"+rand.Text(), "ghs_"+rand.Text(), filepath.Join(r.dir, "results")
	r.results1 = map[string]string{}
	for _, d := range []string{"work", "home", "shell", "results", "cache"} {
		if err := os.MkdirAll(filepath.Join(r.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(r.dir, "shell", shellName)); err != nil {
		t.Fatal(err)
	}
	// A machine of GitHub's has these; what they do is played.
	for name, script := range map[string]string{"gh": ghDouble, "uv": uvDouble} {
		if _, err := exec.LookPath(name); err != nil || name == "gh" {
			keep(t, filepath.Join(r.dir, "home", "bin", name), []byte(script), 0o755)
		}
	}
	keep(t, filepath.Join(r.dir, "work", ".github", "workflows", r.w.File), r.w.text, 0o644)
	event, err := json.Marshal(r.payload)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, filepath.Join(r.dir, "event.json"), event, 0o644)
	r.mu.Lock()
	r.stage = "in_progress"
	r.mu.Unlock()
	t.Cleanup(func() {
		r.kill()
		if t.Failed() {
			t.Logf("the log of %s for %s, run %d.%d:\n%s", r.w.File, r.event, r.ID, r.Attempt, r.text())
		}
	})
}

func bash(t *testing.T) string {
	t.Helper()
	file, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// read takes in act's log.
func (r *run) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		data, err := lines.ReadBytes('\n')
		if data = bytes.TrimSpace(data); len(data) > 0 {
			var l logLine
			if json.Unmarshal(data, &l) != nil {
				l.Message = string(data)
			}
			r.mu.Lock()
			r.log = append(r.log, l)
			if l.JobResult != "" {
				r.results1[l.Job] = l.JobResult
			}
			r.mu.Unlock()
			if l.JobResult != "" {
				r.finish(l.Job)
				r.f.jobCheck(r, l.Job, l.JobResult)
			}
		}
		if err != nil {
			return
		}
	}
}

// finish withdraws the token of a job.
func (r *run) finish(id string) {
	r.f.mu.Lock()
	defer r.f.mu.Unlock()
	for _, j := range r.jobs {
		if j.def.ID == id && !j.done {
			j.done = true
			r.f.double.Revoke(j.token)
		}
	}
}

func (r *run) end(err error, took time.Duration) {
	for id := range r.w.Jobs {
		r.finish(id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stage, r.took = "completed", took
	switch {
	case r.killed:
		r.outcome = "cancelled"
	case err != nil || slices.Contains(slices.Collect(maps.Values(r.results1)), "failure"):
		r.outcome = "failure"
	default:
		r.outcome = "success"
	}
}

// kill ends a run as a machine that fails does: nothing of it cleans up. As
// GitHub's runner does it finds the processes by what they have inherited.
func (r *run) kill() {
	r.mu.Lock()
	ended := r.stage == "completed"
	r.killed = r.killed || !ended
	r.mu.Unlock()
	mark := []byte("RUNNER_TRACKING_ID=" + r.tracking)
	for range 100 {
		alive := false
		all, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range all {
			if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, mark) {
				if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
					alive = syscall.Kill(pid, syscall.SIGKILL) == nil || alive
				}
			}
		}
		if !alive {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// jobCheck is the check that GitHub makes of every job, by its name, on the
// commit that the run is about. conclusion is "" while the job runs.
func (f *forge) jobCheck(r *run, job, conclusion string) {
	body := map[string]any{"name": job, "head_sha": r.head(), "status": "in_progress"}
	if conclusion != "" {
		body["status"], body["conclusion"] = "completed", conclusion
	}
	f.mu.Lock()
	id := r.checks[job]
	f.mu.Unlock()
	method, at := http.MethodPost, "/repos/"+registryRepo+"/check-runs"
	if id != 0 {
		method, at = http.MethodPatch, fmt.Sprintf("%s/%d", at, id)
		delete(body, "head_sha")
	}
	var made struct {
		ID int64 `json:"id"`
	}
	f.ask(f.t, f.runner, method, at, body, &made)
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.checks == nil {
		r.checks = map[string]int64{}
	}
	r.checks[job] = made.ID
}

// runOf is the run that a shell speaks for.
func (f *forge) runOf(key string) *run {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.runs {
		if r.tracking == key && key != "" {
			return r
		}
	}
	return nil
}

// job is the live job of a name, made when its first step begins.
func (r *run) job(id string) (*liveJob, error) {
	f := r.f
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range r.jobs {
		if j.def.ID == id {
			return j, nil
		}
	}
	defer func() { go f.jobCheck(r, id, "") }()
	def, ok := r.w.Jobs[id]
	if !ok {
		return nil, fmt.Errorf("%s has no job %q", r.w.File, id)
	}
	j := &liveJob{run: r, def: def, home: filepath.Join(r.dir, "home-"+id)}
	j.token = f.double.JobToken(registryRepo, j.permissions()...)
	j.set = map[string]string{"HOME": j.home, "RUNNER_RESULTS": r.results}
	// Sigstore is another one here, and every machine was told so.
	v := f.sigstore.Serve(f.t, r.claims(def))
	f.trust(f.t, filepath.Join(j.home, ".local", "share", "patch-cat", "trust"), v)
	if j.may("id-token", "write") {
		j.issuer = v.TokenURL
		j.set["ACTIONS_ID_TOKEN_REQUEST_URL"], j.set["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] = f.server.URL+"/identity/"+r.tracking+"/"+id+"?api-version=2.0", v.RequestToken
	}
	r.jobs = append(r.jobs, j)
	return j, nil
}

// claims are what GitHub vouches for in the identity token of a job.
func (r *run) claims(def job) sigtest.Claims {
	c := sigtest.GitHub("acme", "tools")
	c.Ref, c.SHA, c.EventName = r.ref, r.sha, r.event
	c.WorkflowRef = registryRepo + "/.github/workflows/" + r.w.File + "@" + r.ref
	c.JobWorkflowRef, c.WorkflowSHA, c.JobWorkflowSHA = c.WorkflowRef, r.at, r.at
	c.RunID, c.RunAttempt, c.Environment = fmt.Sprint(r.ID), fmt.Sprint(r.Attempt), def.Environment
	return c
}

// identity gives a job its identity token.
func (f *forge) identity(w http.ResponseWriter, q *http.Request) {
	r := f.runOf(q.PathValue("run"))
	if r == nil {
		http.NotFound(w, q)
		return
	}
	j, err := r.job(q.PathValue("job"))
	if err != nil || j.issuer == "" {
		http.NotFound(w, q)
		return
	}
	if f.onSign != nil {
		f.onSign(r)
	}
	u, err := url.Parse(j.issuer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	u.RawQuery = q.URL.RawQuery
	out := q.Clone(q.Context())
	out.URL, out.Host, out.RequestURI = u, u.Host, ""
	resp, err := (&http.Transport{}).RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

func (f *forge) stepStarts(w http.ResponseWriter, q *http.Request) {
	var s stepStart
	if err := json.NewDecoder(q.Body).Decode(&s); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r := f.runOf(s.Run)
	if r == nil {
		http.Error(w, "no such run", http.StatusNotFound)
		return
	}
	j, err := r.job(s.Job)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	order := stepOrder{Replace: map[string]string{r.secret: j.token}, Set: maps.Clone(j.set)}
	path := ""
	for _, v := range s.Env {
		if p, ok := strings.CutPrefix(v, "PATH="); ok {
			path = p
		}
	}
	dirs := slices.DeleteFunc(strings.Split(path, ":"), func(d string) bool { return d == filepath.Join(r.dir, "shell") })
	order.Set["PATH"] = strings.Join(append([]string{filepath.Join(r.dir, "home", "bin")}, dirs...), ":")
	if f.onStep != nil {
		order.Refuse = f.onStep(r, s)
	}
	answer(w, http.StatusOK, order)
}

func (f *forge) stepEnds(w http.ResponseWriter, q *http.Request) {
	var s stepEnd
	if err := json.NewDecoder(q.Body).Decode(&s); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r := f.runOf(s.Run)
	if r == nil {
		http.Error(w, "no such run", http.StatusNotFound)
		return
	}
	if site := filepath.Join(r.results, "deployed.tar"); exists(site) {
		j, err := r.job(s.Job)
		if err == nil && !j.may("pages", "write") {
			err = fmt.Errorf("job %s deploys Pages without pages: write", s.Job)
		}
		if err == nil {
			err = f.site.deploy(site)
		}
		if err != nil {
			f.t.Error(err)
		}
		os.Remove(site)
	}
	if f.onDone != nil {
		f.onDone(r, s)
	}
	answer(w, http.StatusOK, struct{}{})
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
