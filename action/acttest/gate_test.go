//go:build linux

package acttest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// right is a permission that a request needs. Of several that would do, the
// first is what GitHub names in its answer.
type right struct {
	method, path string
	scopes       []string
	level        string
}

// rights are what GitHub's documentation ("Permissions required for GitHub
// Apps") lists for the requests that may occur. A request without a line here
// is refused, so that none goes unnoticed. Reading is asked for as in a private
// repository.
var rights = []right{
	{"GET", ``, []string{"metadata"}, "read"},
	{"GET", `/collaborators/[^/]+/permission`, []string{"metadata"}, "read"},
	{"GET", `/pulls(/\d+(/(files|reviews|commits))?)?`, []string{"pull-requests"}, "read"},
	{"GET", `/commits/[0-9a-f]+/pulls`, []string{"pull-requests"}, "read"},
	{"GET", `/compare/.+`, []string{"contents"}, "read"},
	{"GET", `/commits(/[^/]+)?`, []string{"contents"}, "read"},
	{"GET", `/git/(trees|blobs|commits|ref|refs|matching-refs)/.+`, []string{"contents"}, "read"},
	{"GET", `/contents/.+`, []string{"contents"}, "read"},
	{"GET", `/commits/[^/]+/check-runs`, []string{"checks"}, "read"},
	{"GET", `/check-runs/\d+(/annotations)?`, []string{"checks"}, "read"},
	{"POST", `/check-runs`, []string{"checks"}, "write"},
	{"PATCH", `/check-runs/\d+`, []string{"checks"}, "write"},
	{"GET", `/issues(/\d+)?(/comments)?`, []string{"issues", "pull-requests"}, "read"},
	{"GET", `/issues/comments/\d+`, []string{"issues", "pull-requests"}, "read"},
	{"POST", `/issues/\d+/comments`, []string{"pull-requests", "issues"}, "write"},
	{"PATCH", `/issues/comments/\d+`, []string{"pull-requests", "issues"}, "write"},
	{"GET", `/issues/\d+/(labels|events|timeline)`, []string{"issues", "pull-requests"}, "read"},
	{"POST", `/issues/\d+/labels`, []string{"pull-requests", "issues"}, "write"},
	{"PUT", `/issues/\d+/labels`, []string{"pull-requests", "issues"}, "write"},
	{"DELETE", `/issues/\d+/labels/.+`, []string{"pull-requests", "issues"}, "write"},
	{"GET", `/labels(/.+)?`, []string{"issues", "pull-requests"}, "read"},
	{"POST", `/labels`, []string{"issues", "pull-requests"}, "write"},
	{"POST", `/issues`, []string{"issues"}, "write"},
	{"PATCH", `/issues/\d+`, []string{"issues", "pull-requests"}, "write"},
	{"PATCH", `/pulls/\d+`, []string{"pull-requests"}, "write"},
	{"PUT", `/pulls/\d+/merge`, []string{"contents"}, "write"},
	{"GET", `/actions/workflows/[^/]+/runs`, []string{"actions"}, "read"},
	{"GET", `/actions/runs(/\d+)?`, []string{"actions"}, "read"},
	{"POST", `/actions/runs/\d+/rerun`, []string{"actions"}, "write"},
}

// may tells whether the job's token has a permission.
func (j *liveJob) may(scope, level string) bool {
	has := j.def.Permissions[scope]
	if j.run.foreign && has == "write" {
		has = "read" // the most that a fork's workflow gets
	}
	return scope == "metadata" || has == "write" || has == level
}

// allowed tells whether the job may make a request, and else what it lacks.
func (j *liveJob) allowed(r *http.Request) (ok bool, lacks string) {
	at, ours := strings.CutPrefix(r.URL.Path, "/repos/"+registryRepo)
	if !ours {
		// Who somebody is, and other people's public repositories, anybody reads;
		// whose token it is, a token of a job is not told.
		return r.Method == http.MethodGet && r.URL.Path != "/user", r.URL.Path
	}
	known := false
	for _, x := range rights {
		if x.method != r.Method || !regexp.MustCompile(`^`+x.path+`$`).MatchString(at) {
			continue
		}
		known = true
		for _, s := range x.scopes {
			if j.may(s, x.level) {
				return true, ""
			}
		}
		lacks = strings.Join(x.scopes, " or ") + ": " + x.level
	}
	if !known {
		lacks = "a line in the table of rights"
	}
	return false, lacks
}

// gate is api.github.com: it looks whose token it is and what that may, before
// the double answers.
func (f *forge) gate(w http.ResponseWriter, r *http.Request) {
	secret := r.Header.Get("Authorization")
	for _, kind := range []string{"Bearer ", "bearer ", "token "} {
		secret = strings.TrimPrefix(secret, kind)
	}
	who := f.bearer(secret)
	if secret != "" && who == nil {
		answer(w, http.StatusUnauthorized, map[string]any{"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest"})
		return
	}
	if who != nil && who.job != nil {
		if ok, lacks := who.job.allowed(r); !ok {
			f.t.Errorf("job %s of %s: %s %s needs %s", who.job.def.ID, who.job.run.w.File, r.Method, r.URL.Path, lacks)
			answer(w, http.StatusForbidden, map[string]any{"message": "Resource not accessible by integration"})
			return
		}
		r.Header.Set("Authorization", "Bearer "+f.bot)
	}
	if f.onCall != nil {
		var j *liveJob
		if who != nil {
			j = who.job
		}
		if f.onCall(j, w, r) {
			return
		}
	}
	if f.actions(w, r) {
		return
	}
	f.api.ServeHTTP(w, r)
	if who != nil && r.Method != http.MethodGet {
		f.settleRefs(who)
		f.observe(who)
	}
}

// settleRefs finds the branches of the registry that a request moved.
func (f *forge) settleRefs(by *caller) {
	now := refs(f.t, f.bare(registryRepo))
	f.mu.Lock()
	before := f.watched[registryRepo]
	f.watched[registryRepo] = now
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
func (f *forge) actions(w http.ResponseWriter, r *http.Request) bool {
	at, ok := strings.CutPrefix(r.URL.Path, "/repos/"+registryRepo+"/actions/")
	if !ok {
		return false
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
		for i := len(all) - 1; i >= 0; i-- {
			x := all[i]
			if x.w.File != parts[1] || latest[x.ID] != x || q.Get("event") != "" && q.Get("event") != x.event ||
				q.Get("head_sha") != "" && q.Get("head_sha") != x.sha || q.Get("branch") != "" && "refs/heads/"+q.Get("branch") != x.ref {
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
