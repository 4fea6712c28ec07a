package branch

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Name is the branch that has the published tree below v1/.
const Name = "published"

const (
	remoteRef = "refs/heads/" + Name
	baseRef   = "refs/remotes/origin/" + Name
	nextRef   = "refs/patch-git/next"
)

// ErrMoved says that the remote's branch is not at the commit that was read.
var ErrMoved = errors.New("the branch moved meanwhile")

// Branch is the branch at one commit of the remote, and what was written since.
// Many goroutines may use it at once.
type Branch struct {
	git      *git
	remote   string
	whole    bool // the remote sends all blobs, asked or not
	made     registry.Source
	cat      *catFile
	existing map[string]bool // roots at the base, see rootOf

	mu      sync.Mutex
	base    string // commit; "" where the remote has no such branch
	roots   map[string]map[string]entry
	fetched map[string]bool   // blobs that are here
	wanted  []string          // blobs to fetch with the next ones
	kept    map[string][]byte // documents by blob
	written map[string]file
	stats   Stats
}

// entry is one file of the base's tree.
type entry struct {
	mode string
	blob string
}

// file is what was written to a path, or (data is nil) that it was removed.
type file struct {
	data []byte
}

// Stats is what a publication moved.
type Stats struct {
	Fetches int   // conversations with the remote that asked for objects
	Listed  int   // entries of trees that were looked at
	Blobs   int   // files that were read out of git
	Read    int64 // their bytes
	Files   int   // files that the commit writes or removes
	Written int64 // their bytes
}

// Open copies the newest commit of the branch into dir, which has to be empty
// or not there yet, without the files of it. The copy is of use to nobody else
// and may be deleted after Close.
func Open(ctx context.Context, g Git, dir, remote string) (*Branch, error) {
	if err := checkRemote(remote); err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "repository")
	if err := durable.MkdirAll(dir); err != nil {
		return nil, err
	}
	c, err := g.command(dir, remote)
	if err != nil {
		return nil, err
	}
	c.env = append(c.env, "GIT_DIR="+dir)
	if err := c.do(ctx, nil, nil, "init", "-q", "--bare", "--template=", dir); err != nil {
		return nil, err
	}
	for _, kv := range [][2]string{{"remote.origin.url", remote}, {"remote.origin.promisor", "true"}, {"remote.origin.partialclonefilter", "blob:none"}} {
		if err := c.do(ctx, nil, nil, "config", kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	b := &Branch{git: c, remote: remote}
	if err := b.Fetch(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close ends the program that reads blobs.
func (b *Branch) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cat.close()
	b.cat = nil
}

// Base is the commit that was read; "" where the remote has no such branch.
func (b *Branch) Base() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.base
}

// Stats tells what was moved so far.
func (b *Branch) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stats
}

// Fetch forgets what was written and reads the branch as the remote has it now.
func (b *Branch) Fetch(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	tip, err := b.tip(ctx)
	if err != nil {
		return err
	}
	b.base, b.roots, b.written, b.existing = "", map[string]map[string]entry{}, map[string]file{}, nil
	b.made = registry.Derived(raw{b})
	if b.fetched == nil {
		b.fetched, b.kept = map[string]bool{}, map[string][]byte{}
	}
	if tip == "" {
		return nil
	}
	b.stats.Fetches++
	exit, stderr, err := b.git.try(ctx, nil, nil, "fetch", "-q", "--depth=1", "--filter=blob:none", "--no-tags", "--no-write-fetch-head", "origin", "+"+remoteRef+":"+baseRef)
	if err != nil {
		return err
	}
	if exit != 0 {
		return failed("fetch", exit, stderr)
	}
	b.whole = bytes.Contains(stderr, []byte("filtering not recognized"))
	if b.base, err = b.git.text(ctx, "rev-parse", "--verify", baseRef+"^{commit}"); err != nil {
		return err
	}
	if !isID(b.base) {
		return fault.New(fault.Unavailable, "git", "git named the commit %s", spec.Quote(b.base))
	}
	return b.begin(ctx)
}

// tip is the commit that the remote's branch is at, "" where there is none.
func (b *Branch) tip(ctx context.Context) (string, error) { return b.at(ctx, remoteRef) }

// at is the commit that a name of the remote is at, "" where there is no such
// name.
func (b *Branch) at(ctx context.Context, name string) (string, error) {
	var out bytes.Buffer
	if err := b.git.do(ctx, nil, &capped{&out, 1 << 20}, "ls-remote", "origin", name); err != nil {
		return "", err
	}
	for line := range strings.Lines(out.String()) {
		id, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ref == name && isID(id) { // the pattern fits longer names, too
			return id, nil
		}
	}
	return "", nil
}

// begin lists what lies directly in v1, and loads what every publication needs.
func (b *Branch) begin(ctx context.Context) error {
	b.existing = map[string]bool{}
	top := map[string]entry{}
	err := b.list(ctx, nil, []string{ledger.Root + "/"}, func(path, kind string, e entry) {
		if kind == "tree" {
			b.existing[path] = true
		} else {
			top[path] = e
		}
	})
	if err != nil {
		return err
	}
	b.roots[""] = top
	if len(top)+len(b.existing) == 0 {
		return b.bare(ctx)
	}
	if top[ledger.HeadEvidencePath] == (entry{}) {
		return b.damaged("it has a tree without " + ledger.HeadEvidencePath)
	}
	for _, e := range top {
		b.wanted = append(b.wanted, e.blob)
	}
	return b.load(ctx, documents[:]...)
}

// documents are the folders that every publication reads all of.
var documents = [...]string{"buckets", "records", "log", ledger.ObjectsDir}

// SourceLine is what the line of a commit's message begins with that names the
// commit that was published.
const SourceLine = "Source: "

// Source is the commit that the newest one says to have been made of, "" where
// it says nothing. That is not signed: it can only keep somebody from
// publishing.
func (b *Branch) Source(ctx context.Context) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == "" {
		return "", nil
	}
	text, err := b.git.text(ctx, "cat-file", "commit", b.base)
	if err != nil {
		return "", err
	}
	_, message, _ := strings.Cut(text, "\n\n")
	for line := range strings.Lines(message) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), SourceLine); ok && isID(id) {
			return id, nil
		}
	}
	return "", nil
}

// bare accepts a branch without a tree only where it never had one: somebody
// made it by hand, as one commit. Else the tree was taken away.
func (b *Branch) bare(ctx context.Context) error {
	text, err := b.git.text(ctx, "cat-file", "commit", b.base)
	if err != nil {
		return err
	}
	head, _, _ := strings.Cut(text, "\n\n")
	if strings.Contains(head, "\nparent ") {
		return b.damaged("it has a history and no tree")
	}
	return nil
}

// damaged stops a publication that would begin a tree again: everybody who saw
// the one before would refuse it.
func (b *Branch) damaged(what string) error {
	return fault.New(fault.NotVerified, "damaged", "the branch %s of %s is damaged: %s", Name, b.remote, what).
		Hint("put the branch back to its last whole commit, which is no older than what the pages and the mirrors serve")
}
