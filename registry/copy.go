package registry

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Copied is what a copy did.
type Copied struct {
	Head   ledger.Head // that dst has now
	Digest spec.Digest // of head.json
	New    bool        // false: dst had that head already
	Files  int64       // that were written
	Bytes  int64
}

// Copy brings dst, which is a copy of a published tree or empty, to the state
// of src. What it writes follows from the head of src alone, so that a file
// that the head does not lead to does not come along; what a branch leaves out
// is written as well. It writes in the order in which [Seal] does: what is new
// beside what is there, then the pointer, then the fixed paths. A copy that was
// killed leaves the old or the new state, and the same call finishes it.
//
// Documents are compared with the digests that lead to them, and that is all:
// the caller has verified src, and that its head does not go back behind that
// of dst, and lets nobody else write to dst meanwhile.
func Copy(ctx context.Context, dst Store, src Source, progress func(done, total int)) (Copied, error) {
	return copyTree(ctx, dst, src, false, progress)
}

// Rebuild is Copy for a dst that is damaged: nothing that it has counts, and
// each file is compared with the one of src. A reader meanwhile finds the damage
// that was there, or the new state.
func Rebuild(ctx context.Context, dst Store, src Source, progress func(done, total int)) (Copied, error) {
	return copyTree(ctx, dst, src, true, progress)
}

func copyTree(ctx context.Context, dst Store, src Source, anew bool, progress func(done, total int)) (Copied, error) {
	cur, evidence, err := pointed(ctx, src)
	if err != nil {
		return Copied{}, err
	}
	if cur.head == nil {
		return Copied{}, fault.New(fault.Unavailable, "no_registry", "%s has no published tree", src.Location())
	}
	prev, there, err := pointed(ctx, dst)
	if fault.ReasonOf(err) == reasonDamaged {
		prev, err, anew = emptyChain(dst), nil, true // what is there is not worth building on
	}
	if err != nil {
		return Copied{}, err
	}
	same := prev.digest == cur.digest
	if anew {
		prev = emptyChain(dst)
	}
	c := &copying{dst: dst, src: src, prev: prev, cur: cur, anew: anew, bare: there == nil && !anew}
	if err := c.settle(ctx); err != nil {
		return Copied{}, err
	}
	if err := c.plan(ctx); err != nil {
		return Copied{}, err
	}
	c.w = &writer{store: dst, progress: progress, total: len(c.beside) + len(c.follow) + 2}
	if err := c.run(ctx, evidence); err != nil {
		return Copied{}, err
	}
	return Copied{Head: *cur.head, Digest: cur.digest, New: !same, Files: c.files.Load(), Bytes: c.bytes.Load()}, nil
}

// pointed reads the state that the pointer of a tree names; an empty one where
// there is none. Nothing is believed of who signed it.
func pointed(ctx context.Context, src Source) (*chain, []byte, error) {
	evidence, err := src.Read(ctx, ledger.HeadEvidencePath, limits.Bundle)
	if errors.Is(err, fs.ErrNotExist) {
		return emptyChain(src), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	want, err := pointedAt(evidence)
	if err != nil {
		return nil, nil, damaged(src, "%s: %w", ledger.HeadEvidencePath, err)
	}
	raw, err := stated(ctx, src, ledger.HeadPath, want, limits.Document)
	if err != nil {
		return nil, nil, err
	}
	c, err := openChain(ctx, src, raw)
	return c, evidence, err
}

// copying is one copy under way.
type copying struct {
	dst       Store
	src       Source
	prev, cur *chain
	anew      bool // what dst has is compared file by file
	bare      bool // dst has nothing
	changes   []change
	beside    []item // what the current state of dst does not use
	follow    []item // fixed paths that get other bytes
	w         *writer

	files, bytes atomic.Int64
}

// item is one file to copy. The digest is zero where no document states it.
type item struct {
	path   string
	from   string // where src has it, if that is another path
	digest spec.Digest
	max    int64
	maybe  bool // it need not be there
}

// plan works out which files differ.
func (c *copying) plan(ctx context.Context) error {
	var err error
	if c.changes, err = differences(ctx, c.prev, c.cur); err != nil {
		return err
	}
	var mu sync.Mutex
	err = inParallel(ctx, c.changes, func(ctx context.Context, ch change) error {
		if !strings.HasPrefix(ch.path, "records/") {
			return nil
		}
		files, err := c.releases(ctx, ch)
		mu.Lock()
		defer mu.Unlock()
		c.beside = append(c.beside, files...)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.log(ctx); err != nil {
		return err
	}
	for _, ch := range c.changes {
		if ch.path != ledger.HeadPath {
			c.follow = append(c.follow, item{path: ch.path, digest: ch.new, max: ch.most()})
		}
		if c.prev.head != nil {
			c.beside = append(c.beside, item{path: ledger.ObjectPath(ch.new), from: ch.path, digest: ch.new, max: ch.most()})
		}
	}
	c.follow = append(c.follow, item{path: ledger.RegistryPath, max: limits.Document},
		item{path: ledger.CheckpointPath, max: limits.Document, maybe: true})
	return c.older(ctx)
}

// older adds what src keeps for readers whose head is one behind, where dst has
// none of it because it is new.
func (c *copying) older(ctx context.Context) error {
	s, ok := c.src.(Store)
	if !ok || c.prev.head != nil {
		return nil
	}
	t, err := newTidy(ctx, s)
	if err != nil {
		return err
	}
	before, err := t.previous(ctx, c.cur)
	if err != nil || before.head == nil {
		return err
	}
	changes, err := differences(ctx, before, c.cur)
	if err != nil {
		return err
	}
	for _, ch := range changes {
		for _, d := range []spec.Digest{ch.old, ch.new} {
			if p := ledger.ObjectPath(d); t.have[p] {
				c.beside = append(c.beside, item{path: p, digest: d, max: ch.most()})
			}
		}
	}
	for _, p := range ledger.PartialTilePaths(before.head.Log.Size) {
		c.beside = append(c.beside, item{path: p, max: limits.EntryTile, maybe: true})
	}
	return nil
}

// releases lists the files of the versions that a record has and the one
// before did not.
func (c *copying) releases(ctx context.Context, ch change) ([]item, error) {
	name := spec.Name(strings.TrimSuffix(ch.path[strings.LastIndexByte(ch.path, '/')+1:], ".json"))
	now, err := readRecord(ctx, c.src, name, ch.new)
	if err != nil {
		return nil, err
	}
	was := &ledger.Record{}
	if !ch.old.IsZero() {
		if was, err = readRecord(ctx, c.dst, name, ch.old); err != nil {
			return nil, err
		}
	}
	var out []item
	for _, v := range now.Versions {
		if was.Find(v.Version) != nil {
			continue
		}
		at := func(file string) string { return ledger.ReleasePath(name, v.Version, file) }
		raw, err := exactly(ctx, c.src, at(ledger.ReleaseFileName), v.Release, limits.Document)
		if err != nil {
			return nil, err
		}
		doc, err := ledger.ParseRelease(raw)
		if err != nil {
			return nil, damaged(c.src, "%w", err)
		}
		out = append(out, item{path: at(ledger.ReleaseFileName), digest: v.Release, max: limits.Document},
			item{path: at(ledger.EvidenceFileName), max: limits.Bundle}, item{path: at(ledger.ProofFileName), max: limits.Document})
		for _, f := range doc.Files {
			out = append(out, item{path: at(f.Path), digest: f.SHA256, max: f.Size})
		}
	}
	return out, nil
}

func readRecord(ctx context.Context, src Source, n spec.Name, want spec.Digest) (*ledger.Record, error) {
	data, err := stated(ctx, src, ledger.RecordPath(n), want, limits.Document)
	if err != nil {
		return nil, err
	}
	r, err := ledger.ParseRecord(data, n)
	if err != nil {
		return nil, damaged(src, "%w", err)
	}
	return r, nil
}
