package githubtest

import "time"

// What people do on the pages of GitHub, and what a test looks at afterwards.

// Annotation is one of a check.
type Annotation struct {
	Path, Level, Title, Message string
	Line                        int
}

// Comment is one below an issue or a pull request.
type Comment struct {
	ID          int64
	Login, Body string
}

// CheckRun is one of a commit.
type CheckRun struct {
	ID                   int64
	Name, App            string
	Status, Conclusion   string
	Title, Summary, Text string
	Annotations          []Annotation
}

// Pull opens a pull request from a branch of head and returns its number.
func (r *Repo) Pull(login string, head *Repo, branch, title, body string) int {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	i, problem, err := r.open(r.s.account(Account{Login: login}), head, branch, r.Default, title, body, false)
	if err != nil || problem != "" {
		r.s.t.Fatalf("githubtest: %s %v", problem, err)
	}
	return i.number
}

// at finds an issue or pull request; the test ends where there is none.
func (r *Repo) at(number int) *issue {
	i := r.issue(number)
	if i == nil {
		r.s.t.Fatalf("githubtest: %s has no #%d", r.FullName(), number)
	}
	return i
}

// Comment writes a comment as somebody.
func (r *Repo) Comment(number int, login, body string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.at(number).say(r.s, r.s.account(Account{Login: login}), body)
}

// Comments are those below an issue or a pull request.
func (r *Repo) Comments(number int) []Comment {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var out []Comment
	for _, m := range r.at(number).comments {
		out = append(out, Comment{ID: m.id, Login: m.author.Login, Body: m.body})
	}
	return out
}

// Issue opens an issue as somebody and returns its number.
func (r *Repo) Issue(login, title, body string, labels ...string) int {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.numbers++
	now := r.s.stamp()
	i := &issue{id: r.s.number(), number: r.numbers, title: title, body: body, author: r.s.account(Account{Login: login}), state: "open", created: now, updated: now}
	for _, l := range labels {
		i.add(r, l)
	}
	r.issues = append(r.issues, i)
	return i.number
}

// Text is the title, the body and the state of an issue or a pull request.
func (r *Repo) Text(number int) (title, body, state string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	i := r.at(number)
	return i.title, i.body, i.state
}

// Label gives an issue or a pull request labels.
func (r *Repo) Label(number int, names ...string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	for _, n := range names {
		r.at(number).add(r, n)
	}
}

// Labels are those of an issue or a pull request.
func (r *Repo) Labels(number int) []string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return append([]string(nil), r.at(number).labels...)
}

// Draft makes a pull request one that is not ready yet, or ready.
func (r *Repo) Draft(number int, draft bool) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.at(number).pull.draft = draft
}

// Review gives a review of the head that the pull request has: APPROVED,
// CHANGES_REQUESTED, COMMENTED, DISMISSED. login "" is somebody whose account
// is gone.
func (r *Repo) Review(number int, login, state string) {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	i := r.at(number)
	if err := r.sync(i); err != nil {
		r.s.t.Fatalf("githubtest: %v", err)
	}
	var who *Account
	if login != "" {
		who = r.s.account(Account{Login: login})
	}
	i.pull.reviews = append(i.pull.reviews, &review{id: r.s.number(), author: who, state: state, commit: i.pull.headSHA, at: r.s.stamp()})
}

// Check makes a check run as an app; conclusion "" is one that runs. suite tells
// apart what several workflows report under one name.
func (r *Repo) Check(sha, name, app, conclusion string, suite int64) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	k := &check{id: r.s.number(), name: name, head: sha, app: app, status: "in_progress", conclusion: conclusion, started: r.s.stamp(), suite: suite}
	if conclusion != "" {
		now := r.s.stamp()
		k.status, k.completed = "completed", &now
	}
	r.checks = append(r.checks, k)
}

// Checks are the check runs of a commit, in the order in which they were made.
func (r *Repo) Checks(sha string) []CheckRun {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var out []CheckRun
	for _, k := range r.checks {
		if k.head == sha {
			out = append(out, CheckRun{
				ID: k.id, Name: k.name, App: k.app, Status: k.status, Conclusion: k.conclusion, Title: k.title, Summary: k.summary, Text: k.text,
				Annotations: append([]Annotation(nil), k.annotations...),
			})
		}
	}
	return out
}

// AddRun adds a run of a workflow and returns its number. Attempt 0 is 1.
func (r *Repo) AddRun(n Run) int64 {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	n.ID = r.s.number()
	n.Attempt = max(n.Attempt, 1)
	if n.Created.IsZero() {
		n.Created = r.s.stamp()
	}
	r.runs = append(r.runs, &n)
	return n.ID
}

// Runs are the runs of workflows.
func (r *Repo) Runs() []Run {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var out []Run
	for _, n := range r.runs {
		out = append(out, *n)
	}
	return out
}

// EndRun ends a run of a workflow.
func (r *Repo) EndRun(id int64, conclusion string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if n := r.run(id); n != nil {
		n.Status, n.Conclusion = "completed", conclusion
	}
}

// Event is what GitHub tells a workflow of a pull request
// (docs.github.com/webhooks/webhook-events-and-payloads#pull_request): action is
// opened, synchronize, labeled, closed and the like.
func (r *Repo) Event(action string, number int, sender string) map[string]any {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	i := r.at(number)
	if err := r.sync(i); err != nil {
		r.s.t.Fatalf("githubtest: %v", err)
	}
	p, err := r.s.fullPull(r, i)
	if err != nil {
		r.s.t.Fatalf("githubtest: %v", err)
	}
	return obj{"action": action, "number": number, "pull_request": p, "repository": r.s.simpleRepo(r), "sender": r.s.user(r.s.account(Account{Login: sender}))}
}

// Age moves the time of opening and of the last change of an issue or a pull
// request into the past.
func (r *Repo) Age(number int, by time.Duration) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	i := r.at(number)
	i.created, i.updated = i.created.Add(-by), i.updated.Add(-by)
}

// CloseIssue closes an issue or a pull request.
func (r *Repo) CloseIssue(number int) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	now := r.s.stamp()
	i := r.at(number)
	i.state, i.closed, i.updated = "closed", &now, now
}
