package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// chain is one state of a published tree as a writer sees it: the documents
// from the head down, each compared with the digest that its parent states.
type chain struct {
	store   Source
	raw     []byte       // head.json
	digest  spec.Digest  // of raw
	head    *ledger.Head // nil: nothing is published
	buckets *ledger.Buckets
	revoked *ledger.Revoked
	bucket  map[int]*ledger.Bucket
}

// loadChain reads the current state. A store without a pointer is an empty
// registry, unless it has a head.json: that is only written after the pointer,
// so there the pointer was lost, and starting again at one would be a rollback.
func loadChain(ctx context.Context, store Store, o *SealOptions) (*chain, error) {
	evidence, err := store.Read(ctx, ledger.HeadEvidencePath, limits.Bundle)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := store.Read(ctx, ledger.HeadPath, limits.Document)
		if errors.Is(err, fs.ErrNotExist) {
			return emptyChain(store), nil
		}
		if err != nil {
			return nil, err
		}
		return nil, damaged(store, "%s is missing, though a head was published", ledger.HeadEvidencePath)
	}
	if err != nil {
		return nil, err
	}
	want, err := pointedAt(evidence)
	if err != nil {
		return nil, damaged(store, "%s: %w", ledger.HeadEvidencePath, err)
	}
	raw, err := stated(ctx, store, ledger.HeadPath, want, limits.Document)
	if err != nil {
		return nil, err
	}
	if err := o.CheckHead(evidence, raw); err != nil {
		return nil, err
	}
	c, err := openChain(ctx, store, raw)
	if err != nil {
		return nil, err
	}
	if c.head.Registry != o.Registry.Name {
		return nil, damaged(store, "the head is of the registry %s, not of %s", c.head.Registry, o.Registry.Name)
	}
	return c, nil
}

// openChain reads what a head states. The head itself is for the caller to believe.
func openChain(ctx context.Context, store Source, raw []byte) (*chain, error) {
	c := &chain{store: store, raw: raw, digest: spec.DigestOf(raw), bucket: map[int]*ledger.Bucket{}}
	var err error
	if c.head, err = ledger.ParseHead(raw); err != nil {
		return nil, damaged(store, "%w", err)
	}
	data, err := stated(ctx, store, ledger.BucketsPath, c.head.Buckets, limits.Document)
	if err != nil {
		return nil, err
	}
	if c.buckets, err = ledger.ParseBuckets(data); err != nil {
		return nil, damaged(store, "%w", err)
	}
	if data, err = stated(ctx, store, ledger.RevokedPath, c.head.Revoked, limits.Document); err != nil {
		return nil, err
	}
	if c.revoked, err = ledger.ParseRevoked(data); err != nil {
		return nil, damaged(store, "%w", err)
	}
	return c, nil
}

func emptyChain(store Source) *chain {
	return &chain{store: store, buckets: ledger.NewBuckets(), revoked: ledger.NewRevoked(), bucket: map[int]*ledger.Bucket{}}
}

// logRoot is the log's root; zero before the first head.
func (c *chain) logRoot() ledger.LogRoot {
	if c.head == nil {
		return ledger.LogRoot{}
	}
	return c.head.Log
}

// namesIn returns bucket i, an empty one where the dictionary has none.
func (c *chain) namesIn(ctx context.Context, i int) (*ledger.Bucket, error) {
	if b := c.bucket[i]; b != nil {
		return b, nil
	}
	b := ledger.NewBucket()
	if want := c.buckets.At(i); !want.IsZero() {
		data, err := stated(ctx, c.store, ledger.BucketPath(i), want, limits.Document)
		if err != nil {
			return nil, err
		}
		if b, err = ledger.ParseBucket(data, i); err != nil {
			return nil, damaged(c.store, "%w", err)
		}
	}
	c.bucket[i] = b
	return b, nil
}

// record returns the record of a name, nil where the dictionary has none.
func (c *chain) record(ctx context.Context, n spec.Name) (*ledger.Record, error) {
	b, err := c.namesIn(ctx, ledger.BucketOf(n))
	if err != nil {
		return nil, err
	}
	want, ok := b.Names[n]
	if !ok {
		return nil, nil
	}
	data, err := stated(ctx, c.store, ledger.RecordPath(n), want, limits.Document)
	if err != nil {
		return nil, err
	}
	r, err := ledger.ParseRecord(data, n)
	if err != nil {
		return nil, damaged(c.store, "%w", err)
	}
	return r, nil
}

// tileReader reads tiles of the log, each once: an append asks for the few at
// the right edge again and again.
func (c *chain) tileReader(ctx context.Context) ledger.TileReader {
	have := map[string][]byte{}
	return func(path string) ([]byte, error) {
		if data, ok := have[path]; ok {
			return data, nil
		}
		data, err := c.store.Read(ctx, path, limits.EntryTile)
		if err == nil {
			have[path] = data
		}
		return data, err
	}
}

// catalogue is search/tools.json of a state.
type catalogue struct {
	data    []byte
	inPlace bool // false: it is lost, or at another path than its own
	err     error
}

func (c *chain) catalogueDigest() spec.Digest {
	if c.head == nil {
		return spec.Digest{}
	}
	return c.head.Catalogue
}

// readCatalogue returns search/tools.json, from wherever it is.
func (c *chain) readCatalogue(ctx context.Context) catalogue {
	if c.head == nil {
		return catalogue{data: ledger.EmptyCatalogue()}
	}
	data, err := c.store.Read(ctx, ledger.CataloguePath, limits.Catalogue)
	if err == nil && spec.DigestOf(data) == c.head.Catalogue {
		return catalogue{data: data, inPlace: true}
	}
	data, err = stated(ctx, c.store, ledger.CataloguePath, c.head.Catalogue, limits.Catalogue)
	if fault.ReasonOf(err) == reasonDamaged {
		data, err = c.remakeCatalogue(ctx)
	}
	return catalogue{data: data, err: err}
}

// remakeCatalogue makes search/tools.json again from all records. It is the
// one document that is not written durably, so a power cut may take it.
func (c *chain) remakeCatalogue(ctx context.Context) ([]byte, error) {
	lines := map[spec.Name]*ledger.Listing{}
	for i := range c.buckets.Buckets {
		b, err := c.namesIn(ctx, i)
		if err != nil {
			return nil, err
		}
		for n := range b.Names {
			r, err := c.record(ctx, n)
			if err != nil {
				return nil, err
			}
			lines[n] = ledger.NewListing(r)
		}
	}
	data, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), lines)
	if err == nil && spec.DigestOf(data) != c.head.Catalogue {
		return nil, damaged(c.store, "%s is lost and does not follow from the records", ledger.CataloguePath)
	}
	return data, err
}

// stated reads a document that its parent states by digest: from its fixed
// path or, where that is ahead or behind, from objects/.
func stated(ctx context.Context, src Source, path string, want spec.Digest, max int64) ([]byte, error) {
	for _, p := range [...]string{path, ledger.ObjectPath(want)} {
		data, err := src.Read(ctx, p, max)
		switch {
		case err == nil && spec.DigestOf(data) == want:
			return data, nil
		case err == nil, errors.Is(err, fs.ErrNotExist), fault.ReasonOf(err) == reasonTooLarge:
			// Other bytes, none, or more than a document may have: not this one.
		default:
			return nil, err
		}
	}
	return nil, damaged(src, "%s is not what its parent states (%s)", path, want)
}

// pointedAt reads the digest of head.json out of evidence of any kind, without
// believing it.
func pointedAt(evidence []byte) (spec.Digest, error) {
	var b struct {
		Envelope struct {
			Payload []byte `json:"payload"`
		} `json:"dsseEnvelope"`
	}
	if err := json.Unmarshal(evidence, &b); err != nil {
		return spec.Digest{}, fmt.Errorf("bundle is not readable: %s", spec.Quote(err.Error()))
	}
	s, err := ledger.ParseStatement(b.Envelope.Payload)
	if err != nil {
		return spec.Digest{}, err
	}
	return s.Subject[0].Digest.SHA256, nil
}

// exactly reads a file that never changes and lies at one path only.
func exactly(ctx context.Context, src Source, path string, want spec.Digest, max int64) ([]byte, error) {
	data, err := src.Read(ctx, path, max)
	if errors.Is(err, fs.ErrNotExist) || err == nil && spec.DigestOf(data) != want {
		return nil, damaged(src, "%s is not what was published (%s)", path, want)
	}
	return data, err
}

const (
	reasonDamaged  = "damaged"
	reasonTooLarge = "too_large" // of every source
)

// damaged says that a registry's own tree is not whole. Publishing onto it
// would sign whatever did the damage.
func damaged(src Source, format string, args ...any) error {
	return fault.New(fault.NotVerified, reasonDamaged, "%s: %w", src.Location(), fmt.Errorf(format, args...)).
		Hint("restore the published tree from a mirror or from its git history")
}
