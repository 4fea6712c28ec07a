package contribute

import (
	"context"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/spec"
)

// branchPrefix begins the name of every branch that a draft is sent to.
const branchPrefix = "patch-git/"

// ownBranch is the draft's branch in a repository where others push, too: two
// people who propose the same version there must not meet in one branch.
func (d *Draft) ownBranch() string {
	return branchPrefix + strconv.FormatInt(d.Author.ID, 10) + "/" + strings.TrimPrefix(d.Branch, branchPrefix)
}

// tip is the commit that the draft's branch is at and may be moved from, "" where
// there is no such branch. open is the open pull request of the branch, if any.
//
// A newest commit that is not the author's is somebody's work on the proposal: to
// send the draft would take it out again, unseen.
func (d *Draft) tip(ctx context.Context, into github.Repo, open github.Pull) (string, error) {
	sha, err := d.hub.Branch(ctx, into, d.Branch)
	if fault.KindOf(err) == fault.NotFound {
		sha, err = "", nil
	}
	if err != nil {
		return "", err
	}
	if open.Number != 0 && sha != open.Head.SHA {
		return "", fault.New(fault.Unavailable, "head_moved", "the branch %s and pull request %d have different commits now", d.Branch, open.Number).
			Hint("look at %s, then give the same command again", spec.Quote(open.URL))
	}
	if sha == "" {
		return "", nil
	}
	who, err := d.hub.Author(ctx, into, sha)
	if err != nil {
		return "", err
	}
	if who.ID == 0 || who.ID != d.Author.ID {
		by := "nobody that GitHub knows"
		if who.ID != 0 {
			by = spec.Quote(who.Login)
		}
		e := fault.New(fault.Denied, "branch_taken", "the newest commit of the branch %s of %s is by %s and not by you", d.Branch, into, by)
		if open.Number != 0 {
			e = e.Hint("what they changed: %s", spec.Quote(open.URL))
		}
		return "", e.Hint("to send yours instead, delete the branch %s and give the same command again", d.Branch)
	}
	return sha, nil
}
