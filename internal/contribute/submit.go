package contribute

import (
	"context"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// GitHub is what making, sending and following a draft asks of GitHub; a
// [github.Client] is one.
type GitHub interface {
	Viewer(ctx context.Context) (github.User, error)
	User(ctx context.Context, login string) (github.User, error)
	Repository(ctx context.Context, repo github.Repo) (github.Repository, error)
	// Branch returns the commit that a branch points at; NotFound where there is
	// no such branch.
	Branch(ctx context.Context, repo github.Repo, branch string) (sha string, err error)
	// Folder lists a folder of a commit; NotFound where there is none.
	Folder(ctx context.Context, repo github.Repo, commit, path string) ([]github.Entry, error)
	Blob(ctx context.Context, repo github.Repo, sha string, most int64) ([]byte, error)
	Changes(ctx context.Context, repo github.Repo, number int, head string) ([]github.Change, error)
	Pull(ctx context.Context, repo github.Repo, number int) (github.Pull, error)
	PullOf(ctx context.Context, repo github.Repo, head string) (github.Pull, bool, error)
	Checks(ctx context.Context, repo github.Repo, sha, name string) ([]github.Check, error)
	Fork(ctx context.Context, repo github.Repo) (github.Repository, error)
	Commit(ctx context.Context, repo github.Repo, c github.Commit) (sha string, err error)
	OpenPull(ctx context.Context, repo github.Repo, p github.NewPull) (github.Pull, error)
	UpdatePull(ctx context.Context, repo github.Repo, p github.NewPull) (github.Pull, error)
}

// Draft is a pull request to a registry on GitHub before it is sent.
type Draft struct {
	Registry   spec.RegistryName `json:"registry"`
	Repository string            `json:"repository"`
	Base       string            `json:"base"` // branch
	BaseCommit string            `json:"base_commit,omitempty"`
	Into       string            `json:"into,omitempty"` // repository that gets the branch; "" where it was not found out
	Branch     string            `json:"branch"`
	Title      string            `json:"title"`
	Body       string            `json:"body"`
	Author     *ledger.Owner     `json:"author,omitempty"`
	NewName    bool              `json:"new_name,omitempty"`
	Files      []DraftFile       `json:"files"`
	Done       Already           `json:"already,omitempty"`
	Notes      []string          `json:"notes,omitempty"`     // what it needs beside the check
	Unchecked  []string          `json:"unchecked,omitempty"` // what could not be looked at, and why

	Checked *Checked   `json:"-"` // of a release
	Tool    *spec.Tool `json:"tool,omitempty"`

	hub    GitHub
	target Target
	push   bool // the author may write to the registry's repository
	amends *Amendment
	ref    spec.Ref
}

// DraftFile is one file that is sent.
type DraftFile struct {
	Path   string      `json:"path"`
	Size   int         `json:"size"`
	SHA256 spec.Digest `json:"sha256"`
	Text   string      `json:"text,omitempty"` // of tool.yaml, which nobody has as a file

	data []byte
}

func newFile(path string, data []byte) DraftFile {
	return DraftFile{path, len(data), spec.DigestOf(data), "", data}
}

// newMeta is tool.yaml of a name.
func newMeta(n spec.Name, data []byte) DraftFile {
	f := newFile(registry.MetaPath(n), data)
	f.Text = string(data)
	return f
}

// Already is why there is nothing to send.
type Already string

// What can be so already.
const (
	AlreadyPublished Already = "published" // clients read it
	AlreadyMerged    Already = "merged"    // the registry's source tree has it
)

// Sent is the pull request that a draft became.
type Sent struct {
	Draft  *Draft `json:"draft"`
	Number int    `json:"number"`
	URL    string `json:"url"`
	Head   string `json:"head"`
	How    How    `json:"how"`
}

// How a draft became a pull request.
type How string

// The ways.
const (
	Opened    How = "opened"
	Updated   How = "updated"
	Unchanged How = "unchanged" // the very same was sent before
)

// Send makes the pull request of a draft: it finds or makes the fork, commits
// on top of the base that was looked at, and opens the pull request or updates
// the open one. The same draft again changes nothing.
//
// What goes wrong on the way leaves at most a branch in the author's own
// repository, which the next call takes up.
func (w *Workshop) Send(ctx context.Context, d *Draft) (*Sent, error) {
	if d.Author == nil || d.BaseCommit == "" {
		return nil, fault.New(fault.Internal, "draft", "the draft was made without GitHub and cannot be sent")
	}
	gh := d.hub
	into, err := w.homeOf(ctx, d)
	if err != nil {
		return nil, err
	}
	d.Into = into.String()
	head := into.Owner + ":" + d.Branch
	open, found, err := gh.PullOf(ctx, d.target.Repo, head)
	if err != nil {
		return nil, err
	}
	if found && open.Author.ID != d.Author.ID {
		return nil, fault.New(fault.Denied, "branch_taken", "the branch %s belongs to pull request %d of %s", d.Branch, open.Number, spec.Quote(open.Author.Login)).
			Hint("ask them, or say in %s what you want changed", spec.Quote(open.URL))
	}
	if found {
		same, err := d.isIn(ctx, open)
		if err != nil {
			return nil, err
		}
		if same {
			return &Sent{d, open.Number, open.URL, open.Head.SHA, Unchanged}, nil
		}
	}
	w.progress("sending "+d.Branch+" to "+d.Into, 0, 0)
	var files []github.CommitFile
	for _, f := range d.Files {
		files = append(files, github.CommitFile{Path: f.Path, Data: f.data})
	}
	sha, err := gh.Commit(ctx, into, github.Commit{Branch: d.Branch, Parent: d.BaseCommit, Message: d.Title, Files: files})
	if err != nil {
		return nil, err
	}
	pull := github.NewPull{Head: head, Base: d.Base, Title: d.Title, Body: d.Body}
	how, write := Opened, gh.OpenPull
	if found {
		pull.Number, how, write = open.Number, Updated, gh.UpdatePull
	}
	made, err := write(ctx, d.target.Repo, pull)
	if err != nil {
		return nil, err
	}
	return &Sent{d, made.Number, made.URL, sha, how}, nil
}

// homeOf is the repository that gets the branch: the registry's own where its
// author may push, else their fork.
func (w *Workshop) homeOf(ctx context.Context, d *Draft) (github.Repo, error) {
	if d.push {
		return d.target.Repo, nil
	}
	w.progress("finding your fork of "+d.Repository, 0, 0)
	fork, err := d.hub.Fork(ctx, d.target.Repo)
	if err != nil {
		return github.Repo{}, err
	}
	// What is pushed to is named by GitHub's answer, so it has to be the author's own.
	if fork.Owner.ID != d.Author.ID || !sameRepo(fork.Parent, d.target.Repo) {
		return github.Repo{}, fault.New(fault.Unavailable, "fork", "GitHub calls %s your fork of %s, and it is not", spec.Quote(fork.Repo.String()), d.Repository)
	}
	return fork.Repo, nil
}

func sameRepo(a, b github.Repo) bool {
	return strings.EqualFold(a.Owner, b.Owner) && strings.EqualFold(a.Name, b.Name)
}

// isIn tells whether an open pull request changes just what the draft would, and
// nothing else.
func (d *Draft) isIn(ctx context.Context, open github.Pull) (bool, error) {
	if open.Base.Branch != d.Base {
		return false, nil
	}
	changes, err := d.hub.Changes(ctx, d.target.Repo, open.Number, open.Head.SHA)
	if fault.KindOf(err) == fault.Findings {
		return false, nil // too much for one tool, so it is not the draft
	}
	if err != nil {
		return false, err
	}
	if len(changes) != len(d.Files) {
		return false, nil
	}
	for _, f := range d.Files {
		if !slices.ContainsFunc(changes, func(c github.Change) bool {
			return c.Path == f.Path && c.Mode == github.ModeFile && github.SameBlob(f.data, c.SHA)
		}) {
			return false, nil
		}
	}
	return true, nil
}
