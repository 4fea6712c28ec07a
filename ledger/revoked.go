package ledger

import (
	"fmt"

	"github.com/patch-cat/patch-git/spec"
)

// RevokedSchema is the edition of [Revoked].
const RevokedSchema = "patch-git/revoked/v1"

// Revoked lists the releases that must not run any more, wherever they are
// installed; clients keep the list and ask it before every run.
type Revoked struct {
	Schema  string           `json:"schema"`
	Revoked []RevokedRelease `json:"revoked"` // sorted by name, then version
}

// RevokedRelease is one release with the reason that people are shown.
type RevokedRelease struct {
	Name    spec.Name    `json:"name"`
	Version spec.Version `json:"version"`
	Reason  string       `json:"reason"`
}

// NewRevoked returns an empty list.
func NewRevoked() *Revoked { return &Revoked{Schema: RevokedSchema, Revoked: []RevokedRelease{}} }

// ParseRevoked reads revoked.json.
func ParseRevoked(data []byte) (*Revoked, error) {
	r, err := decode[Revoked]("revoked list", data, smallDocument)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("revoked list", r.Schema, RevokedSchema); err != nil {
		return nil, err
	}
	for i := range r.Revoked {
		if i > 0 && !less(r.Revoked[i-1], r.Revoked[i]) {
			return nil, fmt.Errorf("revoked list is out of order")
		}
		if r.Revoked[i].Reason == "" {
			// Reason answers "" for what is not revoked.
			return nil, fmt.Errorf("revoked list has %s@%s without a reason", r.Revoked[i].Name, r.Revoked[i].Version)
		}
	}
	return r, nil
}

// Reason returns why a release is revoked; "" when it is not.
func (r *Revoked) Reason(n spec.Name, v spec.Version) string {
	for _, e := range r.Revoked {
		if e.Name == n && e.Version == v {
			return e.Reason
		}
	}
	return ""
}

func less(a, b RevokedRelease) bool {
	return a.Name < b.Name || a.Name == b.Name && a.Version.Compare(b.Version) < 0
}
