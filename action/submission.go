package action

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
)

// submission reads a pull request as data: what changed, and the bytes of that,
// each bounded before it is asked for. Nothing of it is checked out.
func (j *job) submission(ctx context.Context, p github.Pull) (*review.Submission, error) {
	s := &review.Submission{
		Number: p.Number, URL: p.URL, Base: p.Base.SHA, Head: p.Head.SHA, Author: owner(p.Author),
		Draft: p.Draft, Opened: p.Created, Labels: p.Labels,
	}
	changed, err := j.hub.Changes(ctx, j.repo, p.Number, p.Head.SHA)
	if err != nil {
		return nil, err
	}
	if s.Changes, err = j.contents(ctx, changed); err != nil {
		return nil, err
	}
	if err := j.people(ctx, p, s); err != nil {
		return nil, err
	}
	return s, j.history(ctx, p, s)
}

// contents reads the files of a pull request that the rules look into: those
// below tools/, and registry.yaml. Links, submodules and whatever is over the
// caps of a release are named and not read.
func (j *job) contents(ctx context.Context, changed []github.Change) ([]review.Change, error) {
	out := make([]review.Change, 0, len(changed))
	files, left := 0, int64(limits.ReleaseBytes)
	for _, c := range changed {
		one := review.Change{Path: c.Path, Status: review.Status(c.Status), Previous: c.Previous, Mode: c.Mode}
		if one.Status == review.Removed || !readable(c.Path) {
			out = append(out, one)
			continue
		}
		files++
		if one.Refused = unread(c, files, left); one.Refused == "" {
			data, err := j.hub.Blob(ctx, j.repo, c.SHA, c.Size)
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", logLine(c.Path), err)
			}
			one.Data = append([]byte{}, data...) // an empty file was read, too
			left -= int64(len(data))
		}
		out = append(out, one)
	}
	return out, nil
}

// readable tells whether the rules look into a file. It is generous: a path that
// is odd is theirs to refuse.
func readable(p string) bool {
	return p == "registry.yaml" || strings.HasPrefix(strings.ToLower(path.Clean(p))+"/", "tools/")
}

// unread says why a file is not read, or nothing.
func unread(c github.Change, files int, left int64) string {
	switch {
	case c.Mode == "120000":
		return "it is a link"
	case c.Mode == "160000":
		return "it is a submodule"
	case c.Mode != "100644" && c.Mode != "100755":
		return "it is no regular file"
	case files > limits.ReleaseFiles:
		return fmt.Sprintf("there are more than %d files", limits.ReleaseFiles)
	case c.Size < 0 || c.Size > limits.ToolFile:
		return fmt.Sprintf("it has %d bytes, and at most %d are read", c.Size, limits.ToolFile)
	case c.Size > left:
		return fmt.Sprintf("all files together have more than %d bytes", limits.ReleaseBytes)
	}
	return ""
}

// people asks who stands behind a pull request and who against it. An approval
// counts for the very commit that was looked at; a label of ours that says the
// same, for the commit of the event that brought it, and only by whom GitHub
// lets write to the repository.
func (j *job) people(ctx context.Context, p github.Pull, s *review.Submission) error {
	asked := map[string]bool{}
	maintains := func(login string) (bool, error) {
		if is, ok := asked[login]; ok {
			return is, nil
		}
		if len(asked) >= limits.Reviewers {
			return false, fault.New(fault.Findings, "reviewers", "more than %d people have to be asked about", limits.Reviewers)
		}
		permission, err := j.hub.Permission(ctx, j.repo, login)
		if fault.KindOf(err) == fault.NotFound && err != nil {
			permission, err = "none", nil // an account that is gone
		}
		asked[login] = writes(permission)
		return asked[login], err
	}
	var err error
	if s.Maintainer, err = maintains(p.Author.Login); err != nil {
		return err
	}
	reviews, err := j.hub.Reviews(ctx, j.repo, p.Number)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		if r.User.ID == p.Author.ID {
			continue // nobody approves his own
		}
		approves := r.State == "APPROVED" && r.Commit == p.Head.SHA
		if !approves && r.State != "CHANGES_REQUESTED" {
			continue
		}
		a := review.Approval{By: owner(r.User)}
		if a.Maintainer, err = maintains(r.User.Login); err != nil {
			return err
		}
		if approves {
			s.Approvals = append(s.Approvals, a)
		} else {
			s.Objections = append(s.Objections, a)
		}
	}
	return j.accepted(ctx, p, s, maintains)
}

// accepted adds the approval of who put [acceptLabel] on the pull request, where
// that is what this workflow was started for.
func (j *job) accepted(ctx context.Context, p github.Pull, s *review.Submission, maintains func(string) (bool, error)) error {
	e := j.event
	if e.Label != acceptLabel || e.Number != p.Number || e.Head != p.Head.SHA {
		return nil
	}
	is, err := maintains(e.Sender)
	if err != nil {
		return err
	}
	if !is {
		j.say("the label " + acceptLabel + " is by somebody who may not write to this repository, and counts for nothing")
		return nil
	}
	u, err := j.hub.User(ctx, e.Sender)
	if err != nil {
		return err
	}
	s.Approvals = append(s.Approvals, review.Approval{By: owner(u), Maintainer: true})
	return nil
}

// history asks since when the registry has looked at the head, and how much of
// the author was merged in a day.
//
// The newest run counts and not the first: a pull request that was closed for
// days and opened again was not open to objections meanwhile.
func (j *job) history(ctx context.Context, p github.Pull, s *review.Submission) error {
	runs, err := j.hub.Runs(ctx, j.repo, quarantineFile, p.Head.SHA)
	if err != nil && fault.KindOf(err) != fault.NotFound { // a workflow that is as new as this run
		return err
	}
	for _, r := range runs {
		if r.Event == "pull_request_target" && r.Created.After(s.HeadSince) {
			s.HeadSince = r.Created
		}
	}
	n, err := j.hub.Merged(ctx, j.repo, p.Base.Branch, p.Author, j.host.Now().Add(-24*time.Hour))
	if err != nil {
		return err
	}
	s.Merged = &n
	return nil
}

func owner(u github.User) ledger.Owner { return ledger.Owner{Login: u.Login, ID: u.ID} }
