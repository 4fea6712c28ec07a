package index

import (
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// SegmentPath is the one file of an installed index that a search reads.
func SegmentPath(dir string) string { return filepath.Join(dir, filepath.FromSlash(segmentFile)) }

// Check reads the segment of an installed index and compares it with the digest
// that it had when it was installed. The fault has reason "index" where it is
// damaged, as that of [Open], which does not look at all of it.
func Check(dir string, segment spec.Digest) error {
	data, err := durable.ReadFileNoFollow(SegmentPath(dir), limits.IndexSegment)
	if err != nil {
		return errIndex("%w", err)
	}
	if got := spec.DigestOf(data); got != segment {
		return errIndex("its segment is %s, installed was %s", got, segment)
	}
	return nil
}

// Tools is how many tools the index has.
func (x *Index) Tools() int { return x.tools }
