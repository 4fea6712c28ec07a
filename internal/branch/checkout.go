package branch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Checkout is a work tree of the branch that people propose to. Of git it needs
// the history that is there; nothing is fetched.
type Checkout struct {
	git *git
	tip string
}

// OpenCheckout opens a folder whose registry.yaml and tools/ are those of its
// newest commit. The error is Usage with reason "dirty" where they are not:
// what is published states the commit that it is from.
func OpenCheckout(ctx context.Context, g Git, dir string) (*Checkout, error) {
	c, err := g.command(dir, "")
	if err != nil {
		return nil, err
	}
	tip, err := c.text(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return nil, fault.New(fault.Usage, "no_checkout", "%s is not a checkout of a git repository: %w", spec.Quote(dir), err)
	}
	if !isID(tip) {
		return nil, fault.New(fault.Unavailable, "git", "git named the commit %s", spec.Quote(tip))
	}
	// A file that git was told to ignore is published like any other.
	changed, err := c.text(ctx, "status", "--porcelain", "--untracked-files=all", "--ignored=matching", "--", "registry.yaml", "tools")
	if err != nil {
		return nil, err
	}
	if changed != "" {
		return nil, fault.New(fault.Usage, "dirty", "%s has changes that are in no commit, first %s", spec.Quote(dir), spec.Quote(firstLine(changed))).
			Hint("commit them, or check the branch out anew")
	}
	return &Checkout{c, tip}, nil
}

// Tip is the commit that is checked out.
func (c *Checkout) Tip() string { return c.tip }

// Remote is the address of the repository that the checkout is of.
func (c *Checkout) Remote(ctx context.Context) (string, error) {
	remote, err := c.text(ctx, "config", "--get", "remote.origin.url")
	if err != nil || remote == "" {
		return "", fault.New(fault.Usage, "remote", "the checkout has no remote called origin")
	}
	return remote, nil
}

// Changed returns the tools that differ between an older commit and the tip.
// ok is false where that commit is not here, and nothing is known.
func (c *Checkout) Changed(ctx context.Context, since string) (names []spec.Name, ok bool, err error) {
	if !c.has(ctx, since) {
		return nil, false, ctx.Err()
	}
	seen := map[spec.Name]bool{}
	err = c.lines(ctx, func(path string) {
		if n, _, ok := place(path); ok && !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}, "diff-tree", "-r", "--name-only", "--no-renames", "-z", since, c.tip, "--", "tools")
	return names, err == nil, err
}

// Origins tells of each version that changed after an older commit which commit
// of the branch itself made it what it is: that of the merge, not those that
// were merged. Versions are left out whose commit cannot be told.
func (c *Checkout) Origins(ctx context.Context, since string) (map[spec.Ref]string, error) {
	grafted, err := c.boundary(ctx)
	if err != nil {
		return nil, err
	}
	within := c.tip
	if c.has(ctx, since) {
		within = since + ".." + c.tip
	}
	out, commit := map[spec.Ref]string{}, ""
	err = c.lines(ctx, func(line string) {
		line = strings.TrimPrefix(line, "\n")
		if id, ok := strings.CutPrefix(line, "commit "); ok && isID(id) {
			commit = id
			return
		}
		n, v, ok := place(line)
		ref := spec.Ref{Name: n, Version: v}
		if _, newer := out[ref]; ok && v != "" && !newer {
			out[ref] = commit
		}
	}, "log", "--first-parent", "-m", "--no-renames", "--name-only", "-z", "--format=tformat:commit %H", within, "--", "tools")
	for ref, commit := range out {
		if grafted[commit] { // the end of a shallow history seems to have made everything
			delete(out, ref)
		}
	}
	return out, err
}

// place reads the name and, if there is one, the version of a path in tools/.
func place(path string) (n spec.Name, v spec.Version, ok bool) {
	parts := strings.Split(path, "/")
	if len(parts) < 4 || parts[0] != "tools" {
		return "", "", false
	}
	n, err := spec.ParseName(parts[2])
	if err != nil || n.Shard() != parts[1] {
		return "", "", false
	}
	if v, err = spec.ParseVersion(parts[3]); err != nil || len(parts) < 5 {
		v = ""
	}
	return n, v, true
}

// Reaches tells whether a commit is in the history of the tip, as far as that is
// here. The history of a shallow checkout ends early.
func (c *Checkout) Reaches(ctx context.Context, commit string) bool {
	if !c.has(ctx, commit) {
		return false
	}
	exit, _, err := c.git.try(ctx, nil, nil, "merge-base", "--is-ancestor", commit, c.tip)
	return err == nil && exit == 0
}

func (c *Checkout) has(ctx context.Context, commit string) bool {
	if !isID(commit) {
		return false
	}
	exit, _, err := c.git.try(ctx, nil, nil, "cat-file", "-e", commit+"^{commit}")
	return err == nil && exit == 0
}

// boundary lists the commits whose parents a shallow checkout does not have.
func (c *Checkout) boundary(ctx context.Context) (map[string]bool, error) {
	file, err := c.text(ctx, "rev-parse", "--git-path", "shallow")
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.git.dir, file)
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "git", "read %s: %w", spec.Quote(file), err)
	}
	out := map[string]bool{}
	for id := range strings.FieldsSeq(string(data)) {
		out[id] = true
	}
	return out, nil
}

func (c *Checkout) text(ctx context.Context, args ...string) (string, error) {
	return c.git.text(ctx, args...)
}

// lines runs a command whose answer is ended piece by piece by NUL.
func (c *Checkout) lines(ctx context.Context, each func(string), args ...string) error {
	var out bytes.Buffer
	if err := c.git.do(ctx, nil, &capped{&out, maxListing}, args...); err != nil {
		return err
	}
	for line := range strings.SplitSeq(out.String(), "\x00") {
		if line != "" {
			each(line)
		}
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
