package github

import "time"

// Repo names a repository as GitHub spells it.
type Repo struct{ Owner, Name string }

// String is owner/name.
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// User is an account by its login and by the number that outlives a change of
// the login.
type User struct {
	Login string
	ID    int64
}

// Repository is what GitHub says of a repository.
type Repository struct {
	Repo    Repo
	ID      int64
	Owner   User
	Default string // branch
	Parent  Repo   // of a fork; zero of any other
	Push    bool   // the caller may
}

// Side is one end of a pull request. Repo is zero where the fork is gone.
type Side struct {
	Repo   Repo
	RepoID int64
	Branch string
	SHA    string
}

// Pull is a pull request. Title is a stranger's text.
type Pull struct {
	Number           int
	URL              string
	State            string // open, closed
	Merged, Draft    bool
	Title            string
	Author           User
	Head, Base       Side
	Labels           []string
	Created, Updated time.Time
	MergeCommit      string
}

// Change is one file of a pull request: what the head has there, and of what
// the base had. Paths are the stranger's and unchecked.
type Change struct {
	Path     string
	Status   string // added, modified, removed, renamed
	Previous string // of a renamed file
	Mode     string // of git at the head: 100644, 100755, 120000 (link), 160000 (submodule); "" of a removed file
	SHA      string // of the blob at the head
	Size     int64
}

// Approval is the last word of a reviewer.
type Approval struct {
	User   User
	State  string // APPROVED, CHANGES_REQUESTED, DISMISSED
	Commit string // that was looked at
	// Insider says that GitHub calls the reviewer somebody of the repository or
	// of its organisation. It is a hint whom to ask about first, and no right.
	Insider bool
}

// Check is a check run. App is the slug of who made it: anybody's workflow is
// "github-actions".
type Check struct {
	ID         int64
	Name, App  string
	Status     string // queued, in_progress, completed
	Conclusion string
	Title      string // "" is that of a job, which has none
}

// CheckRun is a check to write. Conclusion is "" while it is in progress.
type CheckRun struct {
	ID                   int64 // of one to update
	Name, Head           string
	Conclusion           string // success, failure, action_required
	Title, Summary, Text string
	DetailsURL           string
	Annotations          []Annotation
}

// Annotation is a remark beside a line of a file.
type Annotation struct {
	Path    string
	Line    int    // from 1
	Level   string // failure, warning, notice
	Title   string
	Message string
}

// Run is a run of a workflow.
type Run struct {
	ID         int64
	Attempt    int
	Head       string
	Event      string
	Branch     string // of the head
	HeadRepo   int64  // number of the repository of the head, 0 where it is gone
	Status     string
	Conclusion string
	URL        string
	Created    time.Time
}

// Commit is a commit to make without a clone: files to put on top of the tree
// of Parent, on a branch that is made, or moved from Expect and from nowhere else.
type Commit struct {
	Branch  string
	Expect  string // SHA that the branch is at; "" where there must be none
	Parent  string // SHA
	Message string
	Files   []CommitFile
}

// CommitFile is a regular file without the executable bit.
type CommitFile struct {
	Path string
	Data []byte
}

// NewPull is a pull request to open.
type NewPull struct {
	Number      int    // of one to update
	Head        string // owner:branch
	Base        string
	Title, Body string
}
