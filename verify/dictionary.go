package verify

import (
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Dictionary is the verified second level of a head's dictionary, for whoever
// reads more than one name under it: nothing is parsed twice.
type Dictionary struct {
	head    Head
	buckets *ledger.Buckets
}

// Dictionary verifies buckets.json.
func (h Head) Dictionary(buckets []byte) (Dictionary, error) {
	if h.doc == nil {
		return Dictionary{}, refuse(ReasonPolicy, "no head was verified")
	}
	if spec.DigestOf(buckets) != h.doc.Buckets {
		return Dictionary{}, refuse(ReasonBuckets, "buckets.json of %s is not what the head states", h.policy.Registry)
	}
	doc, err := ledger.ParseBuckets(buckets)
	if err != nil {
		return Dictionary{}, refuse(ReasonBuckets, "%s: %w", h.policy.Registry, err)
	}
	return Dictionary{head: h, buckets: doc}, nil
}

// Stated is the digest that bucket i must have; zero where it is empty.
func (d Dictionary) Stated(i int) spec.Digest {
	if d.buckets == nil {
		return spec.Digest{}
	}
	return d.buckets.At(i)
}

// Bucket is one verified bucket.
type Bucket struct {
	head Head
	doc  *ledger.Bucket
}

// Bucket verifies bucket i.
func (d Dictionary) Bucket(i int, data []byte) (Bucket, error) {
	if d.buckets == nil {
		return Bucket{}, refuse(ReasonPolicy, "no head was verified")
	}
	if spec.DigestOf(data) != d.buckets.At(i) {
		return Bucket{}, refuse(ReasonBucket, "bucket %02x of %s is not what the head states", i, d.head.policy.Registry)
	}
	doc, err := ledger.ParseBucket(data, i)
	if err != nil {
		return Bucket{}, refuse(ReasonBucket, "%s: %w", d.head.policy.Registry, err)
	}
	return Bucket{head: d.head, doc: doc}, nil
}

// Names returns what the bucket lists: the digest of each name's record. It is
// for reading alone.
func (b Bucket) Names() map[spec.Name]spec.Digest {
	if b.doc == nil {
		return nil
	}
	return b.doc.Names
}

// Record verifies the record of a name of the bucket. Where the bucket has no
// such name the error is NotFound, not a refusal.
func (b Bucket) Record(data []byte, name spec.Name) (Record, error) {
	if b.doc == nil {
		return Record{}, refuse(ReasonPolicy, "no head was verified")
	}
	want, ok := b.doc.Names[name]
	if !ok {
		return Record{}, b.head.absent(name)
	}
	if spec.DigestOf(data) != want {
		return Record{}, refuse(ReasonRecord, "the record of %q in %s is not what the head states", name, b.head.policy.Registry)
	}
	doc, err := ledger.ParseRecord(data, name)
	if err != nil {
		return Record{}, refuse(ReasonRecord, "%s: %w", b.head.policy.Registry, err)
	}
	return Record{head: b.head, doc: doc}, nil
}
