package branch

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// attributes keeps git from touching line ends where somebody does check the
// branch out: digests are over raw bytes [C-44].
const attributes = "* -text\n"

// Changed tells whether anything was written since the branch was read.
func (b *Branch) Changed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.written) > 0
}

// Commit makes one commit of what was written, on top of what was read, and
// returns its id. The remote does not know of it yet.
func (b *Branch) Commit(ctx context.Context, message string, now time.Time) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var s bytes.Buffer
	who := fmt.Sprintf("patch-git <patch-git@localhost> %d +0000", now.Unix())
	fmt.Fprintf(&s, "feature done\ncommit %s\nauthor %s\ncommitter %s\ndata %d\n%s\n", nextRef, who, who, len(message), message)
	if b.base != "" {
		fmt.Fprintf(&s, "from %s\n", b.base)
	} else {
		writeFile(&s, ".gitattributes", []byte(attributes))
	}
	// Removals come first: a file can stand where a folder was.
	paths := slices.Sorted(maps.Keys(b.written))
	for _, p := range paths {
		if b.written[p].data == nil {
			fmt.Fprintf(&s, "D %s/%s\n", ledger.Root, p)
		}
	}
	for _, p := range paths {
		if data := b.written[p].data; data != nil {
			writeFile(&s, ledger.Root+"/"+p, data)
			b.stats.Written += int64(len(data))
		}
	}
	b.stats.Files += len(paths)
	s.WriteString("done\n")
	if err := b.git.do(ctx, &s, nil, "fast-import", "--quiet", "--force", "--done"); err != nil {
		return "", err
	}
	id, err := b.git.text(ctx, "rev-parse", "--verify", nextRef+"^{commit}")
	if err == nil && !isID(id) {
		err = fault.New(fault.Unavailable, "git", "git named the commit %s", spec.Quote(id))
	}
	b.made = registry.Derived(raw{b}) // what was made of the state before
	return id, err
}

// writeFile adds a file to a stream of fast-import. Paths of a tree have no
// character that would need quotes there.
func writeFile(s *bytes.Buffer, path string, data []byte) {
	fmt.Fprintf(s, "M 100644 inline %s\ndata %d\n", path, len(data))
	s.Write(data)
	s.WriteByte('\n')
}

// Push moves the remote's branch from what was read to a commit that was made
// on it. The error is [ErrMoved] where somebody else moved it first; then
// nothing of ours is there. A push whose answer got lost has succeeded.
func (b *Branch) Push(ctx context.Context, commit string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	exit, stderr, err := b.git.try(ctx, nil, nil, "push", "-q", "origin", commit+":"+remoteRef)
	if err == nil && exit == 0 {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		err = failed("push", exit, stderr)
	}
	tip, lookErr := b.tip(ctx)
	switch {
	case lookErr != nil:
		return err
	case tip == commit:
		return nil
	case tip != b.base:
		return ErrMoved
	case refused(string(stderr)):
		return fault.New(fault.Denied, "push", "%s does not let this job push the branch %s: %w", b.remote, Name, err).
			Hint("the job needs the permission 'contents: write', and no rule of the repository may keep it from %s", Name)
	}
	return err
}

// refused tells a remote that says no from one that is out of order.
func refused(stderr string) bool {
	for _, s := range []string{"Permission to ", "remote rejected", "Authentication failed", "protected branch", "The requested URL returned error: 403"} {
		if strings.Contains(stderr, s) {
			return true
		}
	}
	return false
}
