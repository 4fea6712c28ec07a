package action

import (
	"encoding/json"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/spec"
)

// event is what a workflow was started for, as far as the verbs need it.
type event struct {
	Name   string // pull_request_target, pull_request, push, schedule, workflow_dispatch
	Action string // of a pull request: opened, labeled, …
	Number int
	Head   string // commit that the event is about
	Label  string // that was added, "" of any other action
	Sender string // login of who did it
}

// payload are the members that are read of GITHUB_EVENT_PATH. GitHub adds others
// whenever it likes.
type payload struct {
	Action      string `json:"action"`
	Number      int    `json:"number"`
	PullRequest *struct {
		Number int `json:"number"`
		Head   struct {
			SHA string `json:"sha"`
		} `json:"head"`
	} `json:"pull_request"`
	Label *struct {
		Name string `json:"name"`
	} `json:"label"`
	Sender struct {
		Login string `json:"login"`
	} `json:"sender"`
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
}

// parseEvent reads the event of a workflow in repo. An event about a pull
// request names its number and its head; one that does not, or that is of
// another repository, is refused and not guessed at.
func parseEvent(name string, data []byte, repo github.Repo) (event, error) {
	bad := func(format string, args ...any) (event, error) {
		return event{}, fault.New(fault.Usage, "event", "the event of this workflow: "+format, args...)
	}
	e := event{Name: name}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return bad("%s", spec.Quote(err.Error()))
	}
	if !strings.EqualFold(p.Repository.FullName, repo.String()) {
		return bad("it is of the repository %s, and the job of %s", spec.Quote(p.Repository.FullName), repo)
	}
	if !e.ofPull() {
		return e, nil
	}
	e.Action, e.Sender = p.Action, p.Sender.Login
	if p.PullRequest == nil || p.PullRequest.Number <= 0 || p.Number != 0 && p.Number != p.PullRequest.Number {
		return bad("it names no pull request")
	}
	e.Number, e.Head = p.PullRequest.Number, p.PullRequest.Head.SHA
	if !isCommit(e.Head) {
		return bad("its head is %s, no commit", spec.Quote(e.Head))
	}
	if p.Label != nil && e.Action == "labeled" {
		e.Label = p.Label.Name
	}
	return e, nil
}

func (e event) ofPull() bool { return e.Name == "pull_request_target" || e.Name == "pull_request" }

// isCommit tells whether a text is a whole SHA-1 or SHA-256 of git.
func isCommit(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
