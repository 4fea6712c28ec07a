package contribute

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/branch"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/trusted"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// BranchOptions say what is published, and where. Dir is compulsory.
type BranchOptions struct {
	Dir    string // a checkout of the branch that people propose to, at its tip
	Remote string // the repository whose branch `published` moves; "" is the checkout's origin
	Work   string // where a copy of the branch lies meanwhile; "" is the system's folder for such
	Token  string // for a remote that is spoken to by http; "" where it asks nobody
	Site   string // a folder for the pages of the registry; "" makes none

	Signing Signing
	// Origin tells what brought a commit of the checkout's branch: the pull
	// request and its author, the zero Origin where none did. It is asked once
	// for each commit that brought a new version; nil knows of none.
	Origin func(ctx context.Context, commit string) (Origin, error)
	// RefreshAfter signs a head anew that is older, though nothing is new.
	RefreshAfter time.Duration
	// All compares every tool with what is published, and not only those that
	// changed since the commit that the newest head is of.
	All bool
	// BehindMirrors publishes although the registry's own pages or mirrors serve
	// a head that the branch's does not come after.
	BehindMirrors bool
}

// Origin is where a version came from.
type Origin struct {
	PullRequest string       // its address
	Author      ledger.Owner // who proposed it
}

// BranchPublished is what a publication on the branch did.
type BranchPublished struct {
	*Published
	Source   string `json:"source"`         // commit that was published
	Base     string `json:"base,omitempty"` // of the branch, before
	Commit   string `json:"commit"`         // of the branch, now
	Compared int    `json:"compared"`       // tools; -1 is all of them
	Attempts int    `json:"attempts"`

	Stats branch.Stats `json:"-"`
	Site  *Site        `json:"site,omitempty"`
}

// PublishBranch is PublishTree for a registry whose published tree is the
// branch `published` of a git repository. It checks and signs what is new at
// the tip of the checkout, makes one commit of it and pushes that, and then
// makes the pages.
//
// The push is the one moment at which anything changes for anybody, so a run
// that is killed before it has done nothing, and the next one does all of it by
// the same code; after it, the next one finds nothing new. Where somebody else
// pushed first, all of it is done again on top of that, up to
// limits.PushAttempts times; nothing is ever replaced.
//
// What is compared is what changed since the commit of which everything was
// published, which the signed head names; all tools where there is none, or
// where the checkout does not reach back to it.
//
// The faults are those of PublishTree, and Unavailable "race" where others were
// faster each time. NotVerified means that the branch is not what this registry
// signed: nothing is built on it.
func (w *Workshop) PublishBranch(ctx context.Context, o BranchOptions) (*BranchPublished, error) {
	g := branch.Git{Run: trusted.Pipe, Getenv: w.host.Getenv, GOOS: w.host.GOOS, Token: o.Token}
	checkout, err := branch.OpenCheckout(ctx, g, o.Dir)
	if err != nil {
		return nil, err
	}
	if o.Remote == "" {
		if o.Remote, err = checkout.Remote(ctx); err != nil {
			return nil, err
		}
	}
	work, err := os.MkdirTemp(o.Work, "patch-git-branch-")
	if err != nil {
		return nil, durable.Classify("make folder", o.Work, err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	w.progress("fetching the branch "+branch.Name, 0, 0)
	br, err := branch.Open(ctx, g, work, o.Remote)
	if err != nil {
		return nil, err
	}
	defer br.Close()
	for attempt := 1; ; attempt++ {
		out, err := w.publishOn(ctx, o, checkout, br)
		if out != nil {
			out.Attempts = attempt
		}
		if !errors.Is(err, branch.ErrMoved) {
			return out, err
		}
		if attempt == limits.PushAttempts {
			return nil, fault.New(fault.Unavailable, "race", "others pushed to the branch %s first, %d times: %w", branch.Name, attempt, err).
				Hint("let one job publish after the other: 'concurrency' in the workflow")
		}
		w.warn("somebody else published meanwhile; publishing again on top of that")
		if err := br.Fetch(ctx); err != nil {
			return nil, err
		}
	}
}

// branchBench is what a bench has of a branch.
type branchBench struct {
	*branch.Branch

	tip          string // commit of the source tree
	commit       string // what the next head names: the newest commit all of which is published
	before       string // the same of the head that is built on
	refreshAfter time.Duration

	origin  func(context.Context, string) (Origin, error)
	origins func(context.Context) (map[spec.Ref]string, error)
}

// publishOn is one attempt, on the branch as it was read last.
func (w *Workshop) publishOn(ctx context.Context, o BranchOptions, checkout *branch.Checkout, br *branch.Branch) (*BranchPublished, error) {
	on := &branchBench{Branch: br, tip: checkout.Tip(), commit: checkout.Tip(), refreshAfter: o.RefreshAfter, origin: o.Origin}
	b, err := w.openWith(ctx, o.Dir, on, o.Signing)
	if err != nil {
		return nil, err
	}
	head, digest, err := b.ownHead(ctx)
	if err != nil {
		return nil, err
	}
	if !o.BehindMirrors {
		if err := w.served(ctx, b, head, digest); err != nil {
			return nil, err
		}
	}
	on.before = head.Commit
	if behind, err := on.behind(ctx, checkout); behind || err != nil {
		out := &BranchPublished{Published: newPublished(b), Source: on.tip, Base: br.Base(), Commit: br.Base()}
		out.Head = head
		return out, err
	}
	on.origins = func(ctx context.Context) (map[spec.Ref]string, error) { return checkout.Origins(ctx, on.before) }
	out := &BranchPublished{Source: on.tip, Base: br.Base(), Commit: br.Base(), Compared: -1}
	var names []spec.Name
	if known := !o.All; known {
		if names, known, err = checkout.Changed(ctx, on.before); err != nil {
			return nil, err
		}
		if known {
			names = append([]spec.Name{}, names...) // none is not all
			out.Compared = len(names)
		}
	}
	if err := on.ready(ctx, b, names); err != nil {
		return nil, err
	}
	if err := w.step("opened"); err != nil {
		return nil, err
	}
	out.Published, err = w.publish(ctx, b, nil, names...)
	if err != nil && fault.KindOf(err) != fault.Findings || out.Published == nil {
		return nil, err
	}
	found := err // what was refused is reported when the rest is published
	if len(out.Accepted) > 0 {
		// What tool.yaml says of a version is published once the version is, and
		// nobody compares it again by itself.
		rest, err := w.publish(ctx, b, nil, names...)
		if err != nil && fault.KindOf(err) != fault.Findings {
			return nil, err
		}
		out.Head, out.Withdrawn = rest.Head, append(out.Withdrawn, rest.Withdrawn...)
	}
	if err := w.step("sealed"); err != nil {
		return nil, err
	}
	if br.Changed() {
		if err := w.push(ctx, br, out); err != nil {
			return nil, err
		}
	}
	if o.Site != "" {
		if out.Site, err = w.site(ctx, b, o.Site); err != nil {
			return out, err
		}
	}
	out.Stats = br.Stats()
	return out, found
}

// push makes the commit and moves the branch.
func (w *Workshop) push(ctx context.Context, br *branch.Branch, out *BranchPublished) error {
	w.progress("pushing the branch "+branch.Name, 0, 0)
	commit, err := br.Commit(ctx, message(out), w.host.Now())
	if err != nil {
		return err
	}
	if err := w.step("committed"); err != nil {
		return err
	}
	if err := br.Push(ctx, commit); err != nil {
		return err
	}
	out.Commit = commit
	return w.step("pushed")
}

// step lets a test end a publication as a kill would.
func (w *Workshop) step(name string) error {
	if w.stop == nil {
		return nil
	}
	return w.stop(name)
}

// maxMessage is how many events a commit's message lists.
const maxMessage = 100

// message is of names, versions and numbers alone.
func message(out *BranchPublished) string {
	var lines []string
	for _, r := range out.Accepted {
		lines = append(lines, "accept "+r)
	}
	lines = append(lines, out.Withdrawn...)
	if more := len(lines) - maxMessage; more > 0 {
		lines = append(lines[:maxMessage], fmt.Sprintf("and %d more", more))
	}
	text := fmt.Sprintf("head %d\n\n", out.Head.Seq)
	if len(lines) > 0 {
		text += strings.Join(lines, "\n") + "\n\n"
	}
	return text + branch.SourceLine + out.Source + "\n"
}

// partly keeps the head from naming a commit of which something was refused:
// the next publication compares from where everything was published.
func (b *branchBench) partly() { b.commit = b.before }

// ready brings here at once what the comparison reads of each name.
func (b *branchBench) ready(ctx context.Context, on *bench, names []spec.Name) error {
	if names == nil {
		all, _, err := on.tree.Names()
		if err != nil {
			return err
		}
		names = all
	}
	return b.Load(ctx, names)
}

// attribute says of each acceptance where it came from.
func (b *branchBench) attribute(ctx context.Context, accept []registry.Acceptance) error {
	if len(accept) == 0 {
		return nil
	}
	commits, err := b.origins(ctx)
	if err != nil {
		return err
	}
	known := map[string]Origin{"": {}}
	for i := range accept {
		a := &accept[i]
		commit := commits[spec.Ref{Name: a.Release.Ref.Name, Version: a.Release.Ref.Version}]
		if a.Commit = commit; commit == "" {
			a.Commit = b.tip // it is there, too, whoever brought it
		}
		from, ok := known[commit]
		if !ok && b.origin != nil {
			if from, err = b.origin(ctx, commit); err != nil {
				return err
			}
			known[commit] = from
		}
		a.PullRequest = from.PullRequest
		if b.origin != nil { // who is asked and knows of nobody leaves it open, and no owner is made up
			a.Contributor = from.Author
		}
	}
	return nil
}

// absolute is for folders that git is run in.
func (w *Workshop) absolute(dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(w.host.Dir, dir)
}
