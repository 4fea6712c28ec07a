package githubtest

import "net/http"

// need is what a request asks of the token: one of scopes at a level (jobs and
// fine-grained tokens), and a role in the repository (persons).
type need struct {
	scopes []string
	level  string // read, write
	role   string
	app    bool // only a GitHub App may, not a person
}

var (
	public       = need{[]string{"metadata"}, "read", "read", false}
	contentsRead = need{[]string{"contents"}, "read", "read", false}
	contentsOwn  = need{[]string{"contents"}, "write", "write", false}
	pullsRead    = need{[]string{"pull_requests"}, "read", "read", false}
	pullsWrite   = need{[]string{"pull_requests"}, "write", "read", false} // the handler asks for more
	talkRead     = need{[]string{"issues", "pull_requests"}, "read", "read", false}
	talkWrite    = need{[]string{"issues", "pull_requests"}, "write", "read", false}
	labelsWrite  = need{[]string{"issues", "pull_requests"}, "write", "triage", false}
	issuesWrite  = need{[]string{"issues"}, "write", "read", false}
	checksRead   = need{[]string{"checks"}, "read", "read", false}
	checksWrite  = need{[]string{"checks"}, "write", "write", true}
	actionsRead  = need{[]string{"actions"}, "read", "read", false}
	actionsWrite = need{[]string{"actions"}, "write", "write", false}
)

// route is one request of the interface. doc is the page below
// docs.github.com/rest that specifies it.
type route struct {
	method, path string
	doc          string
	need         need
	query        []string
	body         []field // nil: none
	do           func(*call) reply
}

var paged = []string{"per_page", "page"}

// GitHub's limits: a text of a comment, an issue or a pull request; the summary
// and the text of a check; a title.
const (
	textMost   = 65536
	outputMost = 65535
	titleMost  = 256
)

// person is the author of a commit in a body.
var person = []field{must(str("name", 0)), must(str("email", 0)), str("date", 0)}

// output is that of a check.
var output = field{name: "output", kind: "object", of: []field{
	str("title", 255),
	must(str("summary", outputMost)),
	str("text", outputMost),
	{name: "annotations", kind: "objects", most: 50, of: []field{
		must(str("path", 0)),
		{name: "start_line", kind: "int", required: true},
		{name: "end_line", kind: "int", required: true},
		{name: "start_column", kind: "int"},
		{name: "end_column", kind: "int"},
		must(enum("annotation_level", "notice", "warning", "failure")),
		must(str("message", 64<<10)),
		str("title", 255),
		str("raw_details", 64<<10),
	}},
}}

var (
	checkStatus     = enum("status", "queued", "in_progress", "completed", "waiting", "requested", "pending")
	checkConclusion = enum("conclusion", "action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
)

func (s *Server) table() []route {
	text := str("body", textMost)
	return []route{
		{"GET", "/user", "users/users#get-the-authenticated-user", public, nil, nil, s.getViewer},
		{"GET", "/users/{login}", "users/users#get-a-user", public, nil, nil, s.getUser},
		{"GET", "/repos/{owner}/{repo}", "repos/repos#get-a-repository", public, nil, nil, s.getRepo},
		{"GET", "/repos/{owner}/{repo}/collaborators/{login}/permission", "collaborators/collaborators#get-repository-permissions-for-a-user", public, nil, nil, s.getPermission},
		{"POST", "/repos/{owner}/{repo}/forks", "repos/forks#create-a-fork", public, nil, []field{str("organization", 0), str("name", 0), {name: "default_branch_only", kind: "bool"}}, s.fork},
		{"POST", "/repos/{owner}/{repo}/merge-upstream", "branches/branches#sync-a-fork-branch-with-the-upstream-repository", contentsOwn, nil, []field{must(str("branch", 0))}, s.mergeUpstream},

		{"GET", "/repos/{owner}/{repo}/git/blobs/{sha}", "git/blobs#get-a-blob", contentsRead, nil, nil, s.getBlob},
		{"POST", "/repos/{owner}/{repo}/git/blobs", "git/blobs#create-a-blob", contentsOwn, nil, []field{{name: "content", kind: "string", required: false}, enum("encoding", "utf-8", "base64")}, s.makeBlob},
		{"GET", "/repos/{owner}/{repo}/git/trees/{sha}", "git/trees#get-a-tree", contentsRead, []string{"recursive"}, nil, s.getTree},
		{"POST", "/repos/{owner}/{repo}/git/trees", "git/trees#create-a-tree", contentsOwn, nil, []field{str("base_tree", 0), {name: "tree", kind: "objects", required: true, of: []field{
			must(str("path", 0)), must(enum("mode", "100644", "100755", "040000", "160000", "120000")), enum("type", "blob", "tree", "commit"), {name: "sha", kind: "string", null: true}, str("content", 0),
		}}}, s.makeTree},
		{"GET", "/repos/{owner}/{repo}/git/commits/{sha}", "git/commits#get-a-commit-object", contentsRead, nil, nil, s.getCommit},
		{"POST", "/repos/{owner}/{repo}/git/commits", "git/commits#create-a-commit", contentsOwn, nil, []field{
			must(str("message", 0)), must(str("tree", 0)), {name: "parents", kind: "strings"}, {name: "author", kind: "object", of: person}, {name: "committer", kind: "object", of: person}, str("signature", 0),
		}, s.makeCommit},
		{"GET", "/repos/{owner}/{repo}/git/ref/{ref...}", "git/refs#get-a-reference", contentsRead, nil, nil, s.getRef},
		{"POST", "/repos/{owner}/{repo}/git/refs", "git/refs#create-a-reference", contentsOwn, nil, []field{must(str("ref", 0)), must(str("sha", 0))}, s.makeRef},
		{"PATCH", "/repos/{owner}/{repo}/git/refs/{ref...}", "git/refs#update-a-reference", contentsOwn, nil, []field{must(str("sha", 0)), {name: "force", kind: "bool"}}, s.moveRef},

		{"GET", "/repos/{owner}/{repo}/pulls", "pulls/pulls#list-pull-requests", pullsRead, append([]string{"state", "head", "base", "sort", "direction"}, paged...), nil, s.listPulls},
		{"POST", "/repos/{owner}/{repo}/pulls", "pulls/pulls#create-a-pull-request", pullsWrite, nil, []field{
			must(str("title", titleMost)), must(str("head", 0)), str("head_repo", 0), must(str("base", 0)), text, {name: "maintainer_can_modify", kind: "bool"}, {name: "draft", kind: "bool"}, {name: "issue", kind: "int"},
		}, s.openPull},
		{"GET", "/repos/{owner}/{repo}/pulls/{number}", "pulls/pulls#get-a-pull-request", pullsRead, nil, nil, s.getPull},
		{"PATCH", "/repos/{owner}/{repo}/pulls/{number}", "pulls/pulls#update-a-pull-request", pullsWrite, nil, []field{
			str("title", titleMost), text, enum("state", "open", "closed"), str("base", 0), {name: "maintainer_can_modify", kind: "bool"},
		}, s.changePull},
		{"GET", "/repos/{owner}/{repo}/pulls/{number}/files", "pulls/pulls#list-pull-requests-files", pullsRead, paged, nil, s.listFiles},
		{"PUT", "/repos/{owner}/{repo}/pulls/{number}/merge", "pulls/pulls#merge-a-pull-request", contentsOwn, nil, []field{str("commit_title", 0), str("commit_message", 0), str("sha", 0), enum("merge_method", "merge", "squash", "rebase")}, s.merge},
		{"GET", "/repos/{owner}/{repo}/pulls/{number}/reviews", "pulls/reviews#list-reviews-for-a-pull-request", pullsRead, paged, nil, s.listReviews},
		{"GET", "/repos/{owner}/{repo}/commits/{ref}/pulls", "commits/commits#list-pull-requests-associated-with-a-commit", pullsRead, paged, nil, s.listPullsOfCommit},

		{"GET", "/repos/{owner}/{repo}/issues", "issues/issues#list-repository-issues", talkRead, append([]string{"state", "labels", "sort", "direction", "creator", "since"}, paged...), nil, s.listIssues},
		{"POST", "/repos/{owner}/{repo}/issues", "issues/issues#create-an-issue", issuesWrite, nil, []field{must(str("title", titleMost)), text, {name: "labels", kind: "strings"}, {name: "assignees", kind: "strings"}}, s.openIssue},
		{"PATCH", "/repos/{owner}/{repo}/issues/{number}", "issues/issues#update-an-issue", talkWrite, nil, []field{str("title", titleMost), text, enum("state", "open", "closed"), enum("state_reason", "completed", "not_planned", "duplicate", "reopened"), {name: "labels", kind: "strings"}}, s.changeIssue},
		{"GET", "/repos/{owner}/{repo}/issues/{number}/comments", "issues/comments#list-issue-comments", talkRead, append([]string{"since"}, paged...), nil, s.listComments},
		{"POST", "/repos/{owner}/{repo}/issues/{number}/comments", "issues/comments#create-an-issue-comment", talkWrite, nil, []field{must(text)}, s.addComment},
		{"PATCH", "/repos/{owner}/{repo}/issues/comments/{id}", "issues/comments#update-an-issue-comment", talkWrite, nil, []field{must(text)}, s.changeComment},
		{"GET", "/repos/{owner}/{repo}/issues/{number}/labels", "issues/labels#list-labels-for-an-issue", talkRead, paged, nil, s.listLabels},
		{"POST", "/repos/{owner}/{repo}/issues/{number}/labels", "issues/labels#add-labels-to-an-issue", labelsWrite, nil, []field{{kind: "strings", most: 100, required: true}}, s.addLabels},
		{"DELETE", "/repos/{owner}/{repo}/issues/{number}/labels/{name}", "issues/labels#remove-a-label-from-an-issue", labelsWrite, nil, nil, s.removeLabel},
		{"GET", "/repos/{owner}/{repo}/labels/{name}", "issues/labels#get-a-label", talkRead, nil, nil, s.getLabel},
		{"POST", "/repos/{owner}/{repo}/labels", "issues/labels#create-a-label", need{talkWrite.scopes, "write", "write", false}, nil, []field{must(str("name", 50)), str("color", 6), str("description", 100)}, s.makeLabel},

		{"GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", "checks/runs#list-check-runs-for-a-git-reference", checksRead, append([]string{"check_name", "status", "filter", "app_id"}, paged...), nil, s.listChecks},
		{"POST", "/repos/{owner}/{repo}/check-runs", "checks/runs#create-a-check-run", checksWrite, nil, []field{
			must(str("name", 0)), must(str("head_sha", 40)), str("details_url", 0), str("external_id", 0), checkStatus, str("started_at", 0), checkConclusion, str("completed_at", 0), output,
		}, s.makeCheck},
		{"PATCH", "/repos/{owner}/{repo}/check-runs/{id}", "checks/runs#update-a-check-run", checksWrite, nil, []field{
			str("name", 0), str("details_url", 0), str("external_id", 0), checkStatus, str("started_at", 0), checkConclusion, str("completed_at", 0), output,
		}, s.changeCheck},

		{"GET", "/repos/{owner}/{repo}/actions/workflows/{file}/runs", "actions/workflow-runs#list-workflow-runs-for-a-workflow", actionsRead, append([]string{"actor", "branch", "event", "status", "created", "exclude_pull_requests", "check_suite_id", "head_sha"}, paged...), nil, s.listRuns},
		{"GET", "/repos/{owner}/{repo}/actions/runs/{id}", "actions/workflow-runs#get-a-workflow-run", actionsRead, []string{"exclude_pull_requests"}, nil, s.getRun},
		{"POST", "/repos/{owner}/{repo}/actions/runs/{id}/rerun", "actions/workflow-runs#re-run-a-workflow", actionsWrite, nil, []field{{name: "enable_debug_logging", kind: "bool"}}, s.rerun},
	}
}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, rt := range s.table() {
		mux.Handle(rt.method+" "+rt.path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(&rt, w, r) }))
	}
	mux.HandleFunc("POST /login/device/code", s.deviceCode)
	mux.HandleFunc("POST /login/oauth/access_token", s.deviceToken)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.t.Errorf("githubtest: %s %s is not in the table of routes", r.Method, r.URL.Path)
		write(w, notFound())
	})
	return mux
}

// Routes lists the requests that the double knows, as "METHOD /path".
func (s *Server) Routes() []string {
	var all []string
	for _, rt := range s.table() {
		all = append(all, rt.method+" "+rt.path)
	}
	return all
}
