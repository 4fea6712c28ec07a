package durable

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/spec"
)

// Stamp is what the system says of some names without reading what they lead to:
// for each whether it is there, its kind, size, number, and when it was last changed
// in content or otherwise. Whoever read the files between two equal stamps need not
// read them again. The zero value is no stamp and equals none.
type Stamp struct {
	paths []string
	seen  []look
}

// look is one name.
type look struct {
	there          bool
	mode           uint32
	size           int64
	content, other int64 // when it was changed, in nanoseconds since 1970
	device, number uint64
}

// settling is how coarse the times of a file system can be: a file that was changed
// so lately can be changed once more without another time.
const settling = 2 * time.Second

// Stamped looks at the names. A link is looked at as a link.
func Stamped(paths ...string) (Stamp, error) {
	paths = slices.Compact(slices.Clone(paths)) // a program is often its own target
	s := Stamp{paths: paths, seen: make([]look, len(paths))}
	for i, p := range paths {
		var err error
		if s.seen[i], err = lookAt(p); err != nil {
			return Stamp{}, err
		}
	}
	return s, nil
}

// Settled tells whether every change was long enough before now that one after it
// shows.
func (s Stamp) Settled(now time.Time) bool {
	until := now.Add(-settling).UnixNano()
	for _, l := range s.seen {
		if l.content > until || l.other > until {
			return false
		}
	}
	return len(s.seen) > 0
}

// Same looks again and tells whether nothing has changed. What cannot be looked at
// is not the same.
func (s Stamp) Same() bool {
	for i, p := range s.paths {
		if l, err := lookAt(p); err != nil || l != s.seen[i] {
			return false
		}
	}
	return len(s.paths) > 0
}

// Digest is of the names and of all that was seen of them: another process that finds the
// same has looked at the same.
func (s Stamp) Digest() spec.Digest {
	sum := sha256.New()
	for i, p := range s.paths {
		_, _ = fmt.Fprintf(sum, "%d %s %v\n", len(p), p, s.seen[i])
	}
	return spec.Digest(sum.Sum(nil))
}
