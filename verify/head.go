package verify

import (
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Head is a verified head. Only [Policy.Head] makes a useful one; the zero
// value refuses, and has no document to show.
type Head struct {
	policy  Policy
	doc     *ledger.Head
	digest  spec.Digest
	revoked *ledger.Revoked
}

// Seen is what a client remembers of the newest head that it verified.
type Seen struct {
	Seq    int64          `json:"seq"`
	Digest spec.Digest    `json:"digest"` // of head.json
	Log    ledger.LogRoot `json:"log"`
	Time   string         `json:"time"`
}

// HeadOnly verifies head.json against its evidence, without the documents that
// it states. It is what a maintainer asks of the head that a publication
// builds on.
func (p Policy) HeadOnly(evidence, head []byte) (*ledger.Head, error) {
	s, err := p.statement(evidence, p.Registry.HeadSubject(), ledger.PredicateHead)
	if err != nil {
		return nil, err
	}
	if s.Subject[0].Digest.SHA256 != spec.DigestOf(head) {
		return nil, refuse(ReasonHead, "head.json of %s is not the one that was signed", p.Registry)
	}
	doc, err := ledger.ParseHead(head)
	if err != nil {
		return nil, refuse(ReasonHead, "%s: %w", p.Registry, err)
	}
	pred, err := ledger.ParseHeadPredicate(s)
	if err != nil {
		return nil, refuse(ReasonStatement, "%s: %w", p.Registry, err)
	}
	if doc.Registry != p.Registry || pred.Registry.Name != p.Registry {
		return nil, refuse(ReasonRegistry, "the head is of the registry %s, not of %s", doc.Registry, p.Registry)
	}
	if pred.Seq != doc.Seq || pred.LogSize != doc.Log.Size {
		return nil, refuse(ReasonHead, "head.json of %s contradicts its evidence", p.Registry)
	}
	return doc, nil
}

// Head verifies the head of a published tree and the list of revoked releases.
func (p Policy) Head(c spec.Chain) (Head, error) {
	doc, err := p.HeadOnly(c.HeadEvidence, c.Head)
	if err != nil {
		return Head{}, err
	}
	if spec.DigestOf(c.Revoked) != doc.Revoked {
		return Head{}, refuse(ReasonRevoked, "revoked.json of %s is not what the head states", p.Registry)
	}
	revoked, err := ledger.ParseRevoked(c.Revoked)
	if err != nil {
		return Head{}, refuse(ReasonRevoked, "%s: %w", p.Registry, err)
	}
	return Head{policy: p, doc: doc, digest: spec.DigestOf(c.Head), revoked: revoked}, nil
}

// Document returns the head's document.
func (h Head) Document() ledger.Head { return *h.doc }

// Time is when the head was published, as its signer says.
func (h Head) Time() time.Time {
	t, err := ledger.ParseTime(h.doc.Time)
	if err != nil {
		return time.Time{} // cannot be: ParseHead checked it
	}
	return t
}

// Seen returns what to remember of the head.
func (h Head) Seen() Seen {
	return Seen{Seq: h.doc.Seq, Digest: h.digest, Log: h.doc.Log, Time: h.doc.Time}
}

// RevokedReason tells why a release must not run; "" when it may.
func (h Head) RevokedReason(r spec.Ref) string {
	if h.revoked == nil {
		return "no head was verified"
	}
	return h.revoked.Reason(r.Name, r.Version)
}

// Revoked lists the releases that must not run.
func (h Head) Revoked() []ledger.RevokedRelease {
	if h.revoked == nil {
		return nil
	}
	return slices.Clone(h.revoked.Revoked)
}

// Follows tells whether the head may come after what was seen before: not an
// older one (rollback), not another one of the same age, and with a log that
// continues the one that was seen (split view). seen is nil the first time.
// read serves the tiles of the head's log.
func (h Head) Follows(seen *Seen, read ledger.TileReader) error {
	if h.doc == nil {
		return refuse(ReasonPolicy, "no head was verified")
	}
	if seen == nil {
		return nil
	}
	switch {
	case h.doc.Seq < seen.Seq:
		return refuse(ReasonRollback, "%s serves head %d of %s, but head %d of %s was seen before",
			h.policy.Registry, h.doc.Seq, h.doc.Time, seen.Seq, seen.Time).
			Hint("the server or a cache on the way is stale or under attack; try another mirror")
	case h.doc.Seq == seen.Seq && h.digest != seen.Digest:
		return refuse(ReasonSplitView, "%s serves another head %d than was seen before", h.policy.Registry, h.doc.Seq)
	case h.doc.Log.Size < seen.Log.Size:
		return refuse(ReasonRollback, "the log of %s has %d entries, but %d were seen before", h.policy.Registry, h.doc.Log.Size, seen.Log.Size)
	}
	err := ledger.Consistent(seen.Log, h.doc.Log, read)
	if err == nil {
		return nil
	}
	switch fault.KindOf(err) {
	case fault.Unavailable, fault.Interrupted:
		return err // could not tell is not "no"
	}
	return refuse(ReasonSplitView, "%s: %w", h.policy.Registry, err)
}

// Catalogue verifies search/tools.json.
func (h Head) Catalogue(data []byte) ([]ledger.Listing, error) {
	if h.doc == nil {
		return nil, refuse(ReasonPolicy, "no head was verified")
	}
	if spec.DigestOf(data) != h.doc.Catalogue {
		return nil, refuse(ReasonRecord, "the catalogue of %s is not what the head states", h.policy.Registry)
	}
	list, err := ledger.ParseCatalogue(data)
	if err != nil {
		return nil, refuse(ReasonRecord, "%s: %w", h.policy.Registry, err)
	}
	return list, nil
}
