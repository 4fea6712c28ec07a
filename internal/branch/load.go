package branch

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Load brings the release documents of some names here at once, where each of
// them would otherwise be asked for alone.
func (b *Branch) Load(ctx context.Context, names []spec.Name) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var roots []string
	for _, n := range names {
		roots = append(roots, releasesDir+n.Shard()+"/"+string(n))
	}
	return b.load(ctx, roots...)
}

// LoadAll brings all of the tree here.
func (b *Branch) LoadAll(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == "" {
		return nil
	}
	var blobs []string
	err := b.list(ctx, []string{"-r"}, []string{ledger.Root + "/"}, func(path, _ string, e entry) {
		root := rootOf(path)
		if b.roots[root] == nil {
			b.roots[root] = map[string]entry{}
		}
		b.roots[root][path] = e
		blobs = append(blobs, e.blob)
	})
	if err != nil {
		return err
	}
	if err := b.bring(ctx, blobs); err != nil {
		return err
	}
	return b.keep(ctx, blobs, false)
}

// load lists roots that were not yet, and fetches their documents: of releases
// no more than release.json.
func (b *Branch) load(ctx context.Context, roots ...string) error {
	var ask []string
	for _, r := range roots {
		if b.roots[r] != nil {
			continue
		}
		b.roots[r] = map[string]entry{}
		if b.existing[strings.SplitN(r, "/", 2)[0]] {
			ask = append(ask, ledger.Root+"/"+r+"/")
		}
	}
	if len(ask)+len(b.wanted) == 0 {
		return nil
	}
	blobs := b.wanted
	b.wanted = nil
	for part := range slices.Chunk(ask, 500) { // an argument list has an end
		err := b.list(ctx, []string{"-r"}, part, func(path, _ string, e entry) {
			root := rootOf(path)
			if b.roots[root] == nil {
				return
			}
			b.roots[root][path] = e
			if root == withdrawalsDir || strings.HasPrefix(path, releasesDir) && !strings.HasSuffix(path, "/"+ledger.ReleaseFileName) {
				return
			}
			blobs = append(blobs, e.blob)
		})
		if err != nil {
			return err
		}
	}
	if err := b.bring(ctx, blobs); err != nil {
		return err
	}
	return b.keep(ctx, blobs, true)
}

// keep reads files into memory, all in one go: some are read again and again,
// and asking for one after the other takes most of the time. There is an end to
// it: where all have to fit, they are no registry's; else the rest is read when
// it is asked for.
func (b *Branch) keep(ctx context.Context, blobs []string, all bool) error {
	var ask []string
	for _, id := range blobs {
		if _, ok := b.kept[id]; !ok {
			b.kept[id] = nil
			ask = append(ask, id)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	if b.cat == nil {
		b.cat = b.git.catFile(ctx)
	}
	var total int64
	err := b.cat.readAll(ask, limits.Document, func(id string, data []byte) error {
		b.stats.Blobs++
		b.stats.Read += int64(len(data))
		if total += int64(len(data)); total <= maxKept {
			b.kept[id] = data
		} else if all {
			return fault.New(fault.NotVerified, "too_large", "the documents of the branch have more than %d bytes", int64(maxKept))
		}
		return nil
	})
	if err != nil {
		b.cat.close()
		b.cat = nil
	}
	return err
}

// maxKept bounds what is kept at a time: the documents of a million tools fit.
const maxKept = 1 << 30

const (
	releasesDir    = "releases/"
	withdrawalsDir = "withdrawals"
)

// rootOf is the folder that is listed as a whole: a tool's releases, or what
// else lies directly in v1; "" for the files there.
func rootOf(path string) string {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) == 1:
		return ""
	case parts[0]+"/" == releasesDir:
		return strings.Join(parts[:min(3, len(parts)-1)], "/")
	}
	return parts[0]
}

// list reads trees of the base. Paths come without v1/.
func (b *Branch) list(ctx context.Context, flags, paths []string, each func(path, kind string, e entry)) error {
	var out bytes.Buffer
	args := append([]string{"ls-tree", "-z", "--full-tree"}, flags...)
	args = append(append(args, b.base, "--"), paths...)
	if err := b.git.do(ctx, nil, &capped{&out, maxListing}, args...); err != nil {
		return err
	}
	parseListing(out.String(), func(path, kind string, e entry) {
		b.stats.Listed++
		each(path, kind, e)
	})
	return nil
}

// parseListing reads the answer of `git ls-tree -z` and leaves out what is not
// below v1/. The paths are whatever the commit says; nothing is opened by them.
func parseListing(listing string, each func(path, kind string, e entry)) {
	for line := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		path, inside := strings.CutPrefix(path, ledger.Root+"/")
		if ok && len(f) == 3 && inside && isID(f[2]) {
			each(path, f[1], entry{f[0], f[2]})
		}
	}
}

// maxListing bounds the paths of a tree: some ten million files.
const maxListing = 1 << 30

// bring fetches blobs that are not here, all in one conversation.
func (b *Branch) bring(ctx context.Context, blobs []string) error {
	var ask bytes.Buffer
	n := 0
	for _, id := range blobs {
		if !b.fetched[id] {
			b.fetched[id] = true
			ask.WriteString(id + "\n")
			n++
		}
	}
	if n == 0 || b.whole {
		return nil
	}
	b.stats.Fetches++
	return b.git.do(ctx, &ask, nil, "fetch", "-q", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none", "--stdin", "origin")
}
