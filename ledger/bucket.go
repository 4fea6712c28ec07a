package ledger

import (
	"fmt"

	"github.com/patch-cat/patch-git/spec"
)

// Editions of [Buckets] and [Bucket].
const (
	BucketsSchema = "patch-git/buckets/v1"
	BucketSchema  = "patch-git/bucket/v1"
)

// bucketCount is how many buckets a tree has: one for each first byte of the
// SHA-256 of a name.
const bucketCount = 256

// Buckets is the second level of the dictionary.
type Buckets struct {
	Schema  string                   `json:"schema"`
	Buckets [bucketCount]maybeDigest `json:"buckets"`
}

// maybeDigest is a digest that is written "" when there is none.
type maybeDigest spec.Digest

func (d maybeDigest) MarshalText() ([]byte, error) {
	if spec.Digest(d).IsZero() {
		return nil, nil
	}
	return spec.Digest(d).MarshalText()
}

func (d *maybeDigest) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = maybeDigest{}
		return nil
	}
	return (*spec.Digest)(d).UnmarshalText(b)
}

// NewBuckets returns the buckets of an empty tree.
func NewBuckets() *Buckets { return &Buckets{Schema: BucketsSchema} }

// At returns the digest of bucket i; zero when the bucket is empty.
func (b *Buckets) At(i int) spec.Digest { return spec.Digest(b.Buckets[i]) }

// Set states the digest of bucket i.
func (b *Buckets) Set(i int, d spec.Digest) { b.Buckets[i] = maybeDigest(d) }

// ParseBuckets reads buckets.json.
func ParseBuckets(data []byte) (*Buckets, error) {
	b, err := decode[Buckets]("buckets", data, smallDocument)
	if err != nil {
		return nil, err
	}
	return b, checkSchema("buckets", b.Schema, BucketsSchema)
}

// Bucket maps the names that fall into it to the digests of their records.
type Bucket struct {
	Schema string                    `json:"schema"`
	Names  map[spec.Name]spec.Digest `json:"names"`
}

// NewBucket returns an empty bucket.
func NewBucket() *Bucket {
	return &Bucket{Schema: BucketSchema, Names: map[spec.Name]spec.Digest{}}
}

// ParseBucket reads bucket i and refuses names that belong into another one,
// so that a name has one place where it can be or be absent.
func ParseBucket(data []byte, i int) (*Bucket, error) {
	b, err := decode[Bucket]("bucket", data, smallDocument)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("bucket", b.Schema, BucketSchema); err != nil {
		return nil, err
	}
	for n := range b.Names {
		if BucketOf(n) != i {
			return nil, fmt.Errorf("bucket %02x has the name %q of bucket %02x", i, n, BucketOf(n))
		}
	}
	return b, nil
}
