package ledger

import (
	"errors"
	"fmt"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// HeadSchema is the edition of [Head].
const HeadSchema = "patch-git/head/v1"

// Head is the state of a published tree at one moment; everything else in the
// tree follows from it by digests.
type Head struct {
	Schema    string            `json:"schema"`
	Registry  spec.RegistryName `json:"registry"`
	Seq       int64             `json:"seq"`              // from 1, one more at each publication
	Commit    string            `json:"commit,omitempty"` // of the source tree, hexadecimal
	Time      string            `json:"time"`             // RFC 3339, UTC, whole seconds
	Buckets   spec.Digest       `json:"buckets"`
	Revoked   spec.Digest       `json:"revoked"`
	Catalogue spec.Digest       `json:"catalogue"`      // of search/tools.json
	Index     IndexRoot         `json:"index,omitzero"` // that follows from the catalogue; zero: none was made
	Log       LogRoot           `json:"log"`
}

// IndexRoot is a search index: the edition of the rules by which it was made of
// the catalogue, and the digest of what came out. Who has other rules makes an
// index of their own.
type IndexRoot struct {
	Edition int         `json:"edition"`
	Segment spec.Digest `json:"segment"`
}

// IsZero tells whether no index was made.
func (x IndexRoot) IsZero() bool { return x == IndexRoot{} }

// LogRoot is the size and the root hash of the log.
type LogRoot struct {
	Size int64       `json:"size"`
	Root spec.Digest `json:"root"`
}

// check refuses sizes that no log has: the sizes of a signed document are
// foreign all the same, and some would keep the arithmetic busy for ever.
func (r LogRoot) check() error {
	if r.Size < 0 || r.Size > limits.LogSize {
		return fmt.Errorf("log has the impossible size %d", r.Size)
	}
	return nil
}

// ParseHead reads a head.
func ParseHead(data []byte) (*Head, error) {
	h, err := decode[Head]("head", data, smallDocument)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("head", h.Schema, HeadSchema); err != nil {
		return nil, err
	}
	if h.Seq < 1 {
		return nil, fmt.Errorf("head has the impossible sequence %d", h.Seq)
	}
	if err := h.Log.check(); err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	if x := h.Index; !x.IsZero() && (x.Edition < 1 || x.Segment.IsZero()) {
		return nil, fmt.Errorf("head has the impossible index %d of %s", x.Edition, x.Segment)
	}
	for i := range len(h.Commit) {
		if c := h.Commit[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return nil, errors.New("head has a commit that is not hexadecimal")
		}
	}
	if _, err := ParseTime(h.Time); err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	return h, nil
}

// FormatTime writes a time as documents have it.
func FormatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// ParseTime reads what [FormatTime] writes and nothing else.
func ParseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || FormatTime(t) != s {
		return time.Time{}, fmt.Errorf("time %s is not RFC 3339 in UTC", spec.Quote(s))
	}
	return t, nil
}
