package action

import (
	"context"
	"fmt"
	"path"
	"strings"

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
		Draft: p.Draft, Opened: p.Created, Labels: p.Labels, Tree: j.checkout(),
	}
	changed, err := j.hub.Changes(ctx, j.repo, p.Number, p.Head.SHA)
	if err != nil {
		return nil, err
	}
	if s.Changes, err = j.contents(ctx, changed); err != nil {
		return nil, err
	}
	if s.Linear, err = j.hub.Linear(ctx, j.repo, p.Number, p.Head.SHA); err != nil {
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

func owner(u github.User) ledger.Owner { return ledger.Owner{Login: u.Login, ID: u.ID} }
