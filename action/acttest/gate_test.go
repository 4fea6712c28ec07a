//go:build linux

package acttest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// may tells whether the job's token has a permission.
func (j *liveJob) may(scope, level string) bool {
	has := j.def.Permissions[scope]
	if j.run.foreign && has == "write" {
		has = "read" // the most that a fork's workflow gets
	}
	return has == "write" || has == level
}

// permissions are those of the job's token, as the double takes them.
func (j *liveJob) permissions() (list []string) {
	for _, scope := range scopes {
		for _, level := range []string{"write", "read"} {
			if scope != "id-token" && j.may(scope, level) {
				list = append(list, scope, level)
				break
			}
		}
	}
	return list
}

// gate is api.github.com: the double, before which a scene may have its word,
// and behind which it is found out whom the request starts.
func (f *forge) gate(w http.ResponseWriter, r *http.Request) {
	who := f.bearer(secretOf(r))
	var j *liveJob
	if who != nil {
		j = who.job
	}
	if f.onCall != nil && f.onCall(j, w, r) {
		return
	}
	if after := f.onCalled; after != nil {
		defer after(j, r)
	}
	if j != nil && f.actions(w, r, j) {
		return
	}
	if strings.HasSuffix(r.URL.Path, "/merge") && r.Method == http.MethodPut && !f.passed(r.URL.Path) {
		answer(w, http.StatusMethodNotAllowed, map[string]any{"message": `Repository rule violations found: Required status check "patch-git" is expected.`})
		return
	}
	seen := &watcher{ResponseWriter: w}
	f.double.ServeHTTP(seen, r)
	// Whose token it is, a job is not told, and who asks knows that.
	if j != nil && !j.run.foreign && seen.status == http.StatusForbidden && r.URL.Path != "/user" {
		f.t.Errorf("job %s of %s may not %s %s", j.def.ID, j.run.w.File, r.Method, r.URL.Path)
	}
	if who != nil && r.Method != http.MethodGet && seen.status/100 == 2 {
		f.pushing.Lock()
		defer f.pushing.Unlock()
		f.settleRefs(who)
		f.observe(who)
	}
}

// watcher remembers the status of an answer.
type watcher struct {
	http.ResponseWriter

	status int
}

func (w *watcher) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *watcher) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets the double cut a connection.
func (w *watcher) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func secretOf(r *http.Request) string {
	secret := r.Header.Get("Authorization")
	for _, kind := range []string{"Bearer ", "bearer ", "token "} {
		secret = strings.TrimPrefix(secret, kind)
	}
	return secret
}

// passed is the ruleset: nothing is merged without the check patch-git, made by
// a workflow, on the very head.
func (f *forge) passed(path string) bool {
	var p map[string]any
	f.get(f.t, strings.TrimSuffix(path, "/merge"), &p)
	c := f.checkOf(f.t, text(p, "head", "sha"))
	return c != nil && text(c, "conclusion") == "success" && text(c, "app", "slug") == "github-actions"
}

// checkOf is the newest check patch-git of a commit, nil where there is none. A
// fork's workflow may have a job of that name, too.
func (f *forge) checkOf(tb testing.TB, sha string) map[string]any {
	tb.Helper()
	var list struct {
		Runs []map[string]any `json:"check_runs"`
	}
	f.get(tb, "/repos/"+registryRepo+"/commits/"+sha+"/check-runs?check_name=patch-git", &list)
	if len(list.Runs) == 0 {
		return nil
	}
	return list.Runs[0]
}

// settleRefs finds the branches of the registry that a request moved.
func (f *forge) settleRefs(by *caller) {
	now := refs(f.t, f.bare(registryRepo))
	f.mu.Lock()
	before := f.watched
	f.watched = now
	f.mu.Unlock()
	if by.job != nil {
		return
	}
	for ref, sha := range now {
		if before != nil && before[ref] != sha {
			f.push(ref, before[ref], sha, by)
		}
	}
}

// actions answers what GitHub tells of runs, which the forge knows itself.
func (f *forge) actions(w http.ResponseWriter, r *http.Request, j *liveJob) bool {
	at, ok := strings.CutPrefix(r.URL.Path, "/repos/"+registryRepo+"/actions/")
	if !ok {
		return false
	}
	if level := map[bool]string{true: "read", false: "write"}[r.Method == http.MethodGet]; !j.may("actions", level) {
		f.t.Errorf("job %s of %s may not %s %s", j.def.ID, j.run.w.File, r.Method, r.URL.Path)
		answer(w, http.StatusForbidden, map[string]any{"message": "Resource not accessible by integration"})
		return true
	}
	parts := strings.Split(at, "/")
	f.mu.Lock()
	all := f.runs
	f.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && len(parts) == 3 && parts[0] == "workflows" && parts[2] == "runs":
		q, list := r.URL.Query(), []any{}
		latest := map[int64]*run{}
		for _, x := range all {
			latest[x.ID] = x
		}
		for _, x := range slices.Backward(all) {
			if x.w.File != parts[1] || latest[x.ID] != x || q.Get("event") != "" && q.Get("event") != x.event ||
				q.Get("head_sha") != "" && q.Get("head_sha") != x.head() || q.Get("branch") != "" && "refs/heads/"+q.Get("branch") != x.ref {
				continue
			}
			if s := q.Get("status"); s != "" && s != x.status() && s != x.conclusion() {
				continue
			}
			list = append(list, x.api())
		}
		answer(w, http.StatusOK, map[string]any{"total_count": len(list), "workflow_runs": list})
	case len(parts) >= 2 && parts[0] == "runs":
		var found *run
		for _, x := range all {
			if fmt.Sprint(x.ID) == parts[1] {
				found = x
			}
		}
		switch {
		case found == nil:
			answer(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
		case r.Method == http.MethodGet && len(parts) == 2:
			answer(w, http.StatusOK, found.api())
		case r.Method == http.MethodPost && len(parts) == 3 && parts[2] == "rerun":
			if found.status() != "completed" {
				answer(w, http.StatusForbidden, map[string]any{"message": "This workflow is already running"})
				return true
			}
			f.rerun(found)
			answer(w, http.StatusCreated, map[string]any{})
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// rerun queues a run once more, as what it was: the event, the commit and the
// workflow file stay the same.
func (f *forge) rerun(r *run) *run {
	again := &run{ID: r.ID, Attempt: r.Attempt + 1, w: r.w, event: r.event, payload: r.payload, ref: r.ref, sha: r.sha, at: r.at, actor: r.actor, foreign: r.foreign}
	f.add(again)
	return again
}
