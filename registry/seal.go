package registry

import (
	"context"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Signer makes the evidence of a publication. Its signatures need not be
// deterministic, but only with deterministic ones does a publication that was
// killed and run again end in the same bytes.
type Signer interface {
	// Sign returns the Sigstore bundle over a statement, at most limits.Bundle bytes.
	Sign(ctx context.Context, s *ledger.Statement) ([]byte, error)
	// SignCheckpoint returns a signed note over the root of the registry's log;
	// nil where nobody has a key to sign notes with, and then none is published.
	SignCheckpoint(ctx context.Context, registry spec.RegistryName, root ledger.LogRoot) ([]byte, error)
}

// Batch is what one publication changes. The order within the lists does not
// matter; what is published already is passed over.
type Batch struct {
	Accept   []Acceptance
	Withdraw []Withdrawal
	Meta     []ToolMeta
}

// Acceptance is one checked release, with all its files: the contributed ones
// and the generated closure.json, pylock.toml and report.json.
type Acceptance struct {
	Release     *spec.Release
	Contributor ledger.Owner   // the zero Owner where nobody is known to have proposed it
	Owners      []ledger.Owner // of a new name; the contributor when empty. An existing name keeps its own.
	PullRequest string
	Commit      string
	Report      spec.Digest  // of report.json
	Closure     *spec.Digest // of closure.json
}

// Withdrawal takes a version back, or (unyank) offers it again.
type Withdrawal struct {
	Event   ledger.Event // EventYank, EventUnyank or EventRevoke
	Name    spec.Name
	Version spec.Version
	Reason  string // what people are shown; "" for unyank only
}

// ToolMeta is what tool.yaml says of a published name beside its versions.
type ToolMeta struct {
	Name       spec.Name
	Owners     []ledger.Owner
	Deprecated string
	ReplacedBy spec.Name
}

// SealOptions says for whom and with what a tree is published. All but Commit,
// Index, SignFirst, RefreshAfter and Progress are compulsory.
type SealOptions struct {
	Registry *ledger.Registry
	Signer   Signer
	Now      func() time.Time
	Checker  string // "patch-git <version>"
	Commit   string // of the source tree, hexadecimal

	// CheckHead tells why evidence is not this registry's own word about
	// head.json, or nil. Nothing is built on a head that it refuses, and no
	// new head is published that it would refuse.
	CheckHead func(evidence, head []byte) error

	// Index tells which search index follows from a catalogue, for the head to
	// state. nil makes none; the one of the head before stays where the
	// catalogue does. A head that states another one than it tells, of its edition or an
	// older one, is followed by one that states this, though nothing else is new. It has
	// no error: a revocation does not wait for a search.
	Index func(ctx context.Context, catalogue []byte) ledger.IndexRoot

	// SignFirst has all of it signed before the first write, for a signer that
	// may refuse, or fail for hours: then nothing was begun. A key does neither,
	// and signs the head while the disk is busy.
	SignFirst bool

	// RefreshAfter is how old a head may be where nothing is new: an older one is
	// followed by one that says the same, so that clients can tell a registry in
	// which nothing happens from one that is held back. 0 is for ever.
	RefreshAfter time.Duration

	// Progress is told how many of how many writes are done, one call at a
	// time. The second number may still change by a few.
	Progress func(done, total int)
}

// Sealed is what a publication did.
type Sealed struct {
	Head      ledger.Head  // the current head, new or not
	Digest    spec.Digest  // of head.json
	New       bool         // false: all of the batch was published already
	Accepted  []spec.Ref   // newly, pinned, by name and version
	Withdrawn []Withdrawal // newly, by name and version
	Changed   []spec.Name  // tools whose owners or deprecation changed
}

// Seal publishes a batch: it moves the tree from one whole state to the next.
// The first seal of a store makes the registry; its batch may be empty.
//
// The state is one pointer, head.sigstore.json. Everything that the next state
// needs is written beside the current one, under names that the current one
// does not use; then the pointer is replaced; then the fixed paths follow and
// what nobody needs any more is cleared away. A crash between any two writes
// leaves a whole tree, old or new, and the same call finishes the job: what is
// published already is dropped from the batch, and with the same clock and a
// deterministic signer the tree ends in the same bytes.
//
// Faults: "immutable" (Findings) when a published version is offered with
// other bytes, NotFound for a withdrawal of what was never published,
// NotVerified when the store's own tree is not what its head states, Usage for
// a batch or options that say nothing sensible. All of these are found before
// the first write. One call at a time: a store that has a Lock is locked.
func Seal(ctx context.Context, store Store, batch Batch, opts SealOptions) (Sealed, error) {
	if err := opts.check(batch); err != nil {
		return Sealed{}, err
	}
	if l, ok := store.(locker); ok {
		unlock, err := l.Lock(ctx)
		if err != nil {
			return Sealed{}, err
		}
		defer unlock()
	}
	cur, err := loadChain(ctx, store, &opts)
	if err != nil {
		return Sealed{}, err
	}
	// The one document that grows with the registry is read and compared with
	// its digest while the others are read and made.
	own := *cur // its cache of buckets is not for two goroutines
	own.bucket = map[int]*ledger.Bucket{}
	read := make(chan catalogue, 1)
	go func() { read <- own.readCatalogue(ctx) }()

	p, err := newPlan(ctx, cur, batch, opts.Registry.Name)
	if err != nil {
		return Sealed{}, err
	}
	t, err := newTidy(ctx, store)
	if err != nil {
		return Sealed{}, err
	}
	var was catalogue
	waited := false
	if cur.head != nil && p.empty() && !opts.due(cur.head) {
		was, waited = <-read, true
		if was.err != nil || !opts.corrects(ctx, cur.head, was.data) {
			if err := t.finish(ctx, cur, was, &opts); err != nil {
				return Sealed{}, err
			}
			return Sealed{Head: *cur.head, Digest: cur.digest}, nil
		}
	}
	next, err := build(ctx, store, cur, p, &opts)
	if err != nil {
		return Sealed{}, err
	}
	if !waited {
		was = <-read
	}
	if next.was = was; was.err != nil {
		return Sealed{}, was.err
	}
	if opts.SignFirst {
		if err := next.top(ctx, cur, &opts); err != nil {
			return Sealed{}, err
		}
	}
	if err := t.repair(ctx, cur, &opts); err != nil {
		return Sealed{}, err
	}
	if err := next.publish(ctx, cur, t, &opts); err != nil {
		return Sealed{}, err
	}
	return Sealed{
		Head: *next.head, Digest: next.digest, New: true,
		Accepted: p.refs(), Withdrawn: p.withdraw, Changed: p.changed,
	}, nil
}

// locker is a store that several processes may write: the lock is held for one
// whole publication.
type locker interface {
	Lock(ctx context.Context) (unlock func(), err error)
}

// due tells whether a head is to be followed though nothing is new.
func (o *SealOptions) due(head *ledger.Head) bool {
	t, err := ledger.ParseTime(head.Time)
	return err == nil && o.RefreshAfter > 0 && o.Now().Sub(t) >= o.RefreshAfter
}

// corrects tells whether a head states another search index than its catalogue makes, by
// the same rules or older ones: nobody could use it, no page would be made of it, and it
// would stay until the next tool. An index that cannot be made now corrects none.
func (o *SealOptions) corrects(ctx context.Context, head *ledger.Head, catalogue []byte) bool {
	if o.Index == nil || head.Index.IsZero() {
		return false
	}
	x := o.Index(ctx, catalogue)
	return !x.IsZero() && x.Edition >= head.Index.Edition && x != head.Index
}

func (o *SealOptions) check(b Batch) error {
	switch {
	case o.Registry == nil, o.Signer == nil, o.Now == nil, o.CheckHead == nil, o.Checker == "":
		return fault.New(fault.Internal, "seal_options", "seal: registry, signer, clock, checker and head check are compulsory")
	case len(b.Accept)+len(b.Withdraw)+len(b.Meta) > limits.BatchSeal:
		return fault.New(fault.Usage, "batch", "a batch has at most %d changes", limits.BatchSeal)
	}
	if _, err := ledger.ParseRegistry(ledger.Encode(o.Registry)); err != nil {
		return fault.New(fault.Usage, "registry", "seal: %w", err)
	}
	return nil
}
