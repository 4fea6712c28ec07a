package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Options say how much is looked at.
type Options struct {
	// Quick leaves out the files of the releases: documents, evidence and
	// proofs are checked, the bytes that run are not.
	Quick bool
	// Seen is the newest head that was verified before; nil when there is none.
	Seen *verify.Seen
	// Workers is how many files are worked on at once; 0 fits the machine.
	Workers int
	// Progress hears of the work, from one goroutine at a time; nil is silence.
	Progress func(what string, done, total int64)
}

// rounds is how often a tree is read that was published anew meanwhile.
const rounds = 3

// Tree audits the published tree of a source under a policy. Damage is no
// error but part of the report; an error means that there is no answer: the
// head could not be read, or the context ended.
func Tree(ctx context.Context, src registry.Source, policy verify.Policy, o Options) (*Report, error) {
	for round := 1; ; round++ {
		r, err := tree(ctx, src, policy, o)
		if err != nil || r.Head == nil || r.ProblemCount+r.UnreadCount == 0 || round == rounds {
			return r, err
		}
		// What looks like damage may be a publication under way: the fixed
		// paths follow the head, and what only older heads need goes away.
		fresh := src.Refresh()
		chain, err := registry.FetchHead(ctx, fresh)
		if err != nil || spec.DigestOf(chain.Head) == r.Head.Digest {
			return r, ctx.Err()
		}
		src = fresh
	}
}

// audit is one reading of a tree.
type audit struct {
	ctx    context.Context
	src    registry.Source
	policy verify.Policy
	o      Options

	head    verify.Head
	doc     ledger.Head
	counts  tally
	bad     problems
	unread  problems
	speak   sync.Mutex
	percent int64
}

// tally is Counts while many goroutines count.
type tally struct {
	entries, tiles, buckets, records, releases, files, bytes, revoked, yanked atomic.Int64
}

// errStop ends an audit that can read nothing any more.
var errStop = errors.New("too much cannot be read")

func tree(ctx context.Context, src registry.Source, policy verify.Policy, o Options) (*Report, error) {
	a := &audit{ctx: ctx, src: src, policy: policy, o: o}
	err := a.all()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	r := &Report{Registry: policy.Registry, Quick: o.Quick, Stopped: err != nil, Counts: Counts{
		Entries: a.counts.entries.Load(), Tiles: a.counts.tiles.Load(), Buckets: a.counts.buckets.Load(),
		Records: a.counts.records.Load(), Releases: a.counts.releases.Load(), Files: a.counts.files.Load(),
		Bytes: a.counts.bytes.Load(), Revoked: a.counts.revoked.Load(), Yanked: a.counts.yanked.Load(),
	}}
	if a.doc.Seq > 0 {
		seen := a.head.Seen()
		r.Head = &seen
	}
	r.Problems, r.ProblemCount = a.bad.sorted()
	r.Unread, r.UnreadCount = a.unread.sorted()
	return r, nil
}

// all goes through the tree from the head down.
func (a *audit) all() error {
	if ok, err := a.readHead(); !ok || err != nil {
		return err
	}
	if err := a.identity(); err != nil {
		return err
	}
	l, err := a.readLog()
	if err != nil {
		return err
	}
	if err := a.checkpoint(l); err != nil {
		return err
	}
	d, err := a.readDictionary()
	if err != nil {
		return err
	}
	a.compare(l, d)
	if err := a.catalogue(d); err != nil {
		return err
	}
	if err := a.withdrawals(l); err != nil {
		return err
	}
	return a.releases(l, d)
}

// readHead verifies the head; without one there is nothing to compare with.
func (a *audit) readHead() (bool, error) {
	chain, err := registry.FetchHead(a.ctx, a.src)
	if err != nil && fault.KindOf(err) != fault.NotVerified {
		return false, err
	}
	if err == nil {
		a.head, err = a.policy.Head(chain)
	}
	if err != nil {
		path := ledger.HeadEvidencePath
		switch verify.Reason(fault.ReasonOf(err)) {
		case verify.ReasonHead:
			path = ledger.HeadPath
		case verify.ReasonRevoked:
			path = ledger.RevokedPath
		}
		a.damage(path, Reason(fault.ReasonOf(err)), "%s", err.Error())
		return false, nil
	}
	a.doc = a.head.Document()
	if err := a.head.Follows(a.o.Seen, a.tile); err != nil {
		a.failed(ledger.HeadPath, err)
	}
	return true, a.stop()
}

// identity compares what the registry says of itself to newcomers with what is
// pinned: no digest leads to registry.json.
func (a *audit) identity() error {
	data, ok := a.plain(ledger.RegistryPath, limits.Document)
	if !ok {
		return a.stop()
	}
	doc, err := ledger.ParseRegistry(data)
	switch {
	case err != nil:
		a.damage(ledger.RegistryPath, ReasonIdentity, "%s", err.Error())
	case doc.Name != a.policy.Registry:
		a.damage(ledger.RegistryPath, ReasonIdentity, "registry.json is of %s, not of %s", doc.Name, a.policy.Registry)
	case !doc.Trust.Fits(&a.policy.Trust):
		a.damage(ledger.RegistryPath, ReasonIdentity, "registry.json offers another identity than the one that is trusted")
	}
	return nil
}

// stated reads a document that its parent names by digest. Where it is not ok
// the problem is written down already; a document with other bytes is handed
// on, for package verify to say what is wrong.
func (a *audit) stated(path string, digest spec.Digest, max int64) (data []byte, ok bool) {
	data, err := registry.FetchObject(a.ctx, a.src, path, digest, max)
	if err != nil {
		a.failed(path, err)
		return nil, false
	}
	a.counts.bytes.Add(int64(len(data)))
	return data, true
}

// plain reads a file that no digest leads to.
func (a *audit) plain(path string, max int64) (data []byte, ok bool) {
	data, err := a.src.Read(a.ctx, path, max)
	if fresh := a.src.Refresh(); errors.Is(err, fs.ErrNotExist) && fresh != a.src {
		data, err = fresh.Read(a.ctx, path, max)
	}
	if err != nil {
		a.failed(path, err)
		return nil, false
	}
	a.counts.bytes.Add(int64(len(data)))
	return data, true
}

// damage writes down that the tree is not what was signed.
func (a *audit) damage(path string, reason Reason, format string, args ...any) {
	a.bad.add(Problem{path, reason, fmt.Sprintf(format, args...)})
}

// failed writes down an error: that a source is sure that a file is not there,
// or a refusal, is damage; all else is the lack of an answer.
func (a *audit) failed(path string, err error) {
	switch {
	case a.ctx.Err() != nil: // the caller says so
	case errors.Is(err, fs.ErrNotExist):
		a.damage(path, ReasonMissing, "%s is missing", path)
	case fault.KindOf(err) == fault.NotVerified:
		a.damage(path, Reason(fault.ReasonOf(err)), "%s", err.Error())
	default:
		a.unread.add(Problem{path, Reason(fault.ReasonOf(err)), err.Error()})
	}
}

// stop tells whether to go on.
func (a *audit) stop() error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	if a.unread.full() {
		return errStop
	}
	return nil
}

// each does one thing to several items, as many at once as there are workers,
// and ends early where there is no use in going on.
func each[T any](a *audit, what string, items []T, do func(T)) error {
	workers := a.o.Workers
	if workers <= 0 {
		// More than there are cores, because some wait for a disk or a network.
		workers = max(limits.HTTPParallel, 2*runtime.GOMAXPROCS(0))
	}
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, len(items)) {
		wg.Go(func() {
			for a.stop() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(items)) {
					return
				}
				do(items[i])
				a.progress(what, done.Add(1), int64(len(items)))
			}
		})
	}
	wg.Wait()
	return a.stop()
}

// progress passes on what changes a line of text, and no more.
func (a *audit) progress(what string, done, total int64) {
	if a.o.Progress == nil {
		return
	}
	a.speak.Lock()
	defer a.speak.Unlock()
	if p := done * 100 / total; p != a.percent || done == total {
		a.percent = p
		a.o.Progress(what, done, total)
	}
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
