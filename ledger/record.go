package ledger

import (
	"fmt"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// RecordSchema is the edition of [Record].
const RecordSchema = "patch-git/record/v2"

// Record is all that a registry says of one tool.
type Record struct {
	Schema      string          `json:"schema"`
	Name        spec.Name       `json:"name"`
	Description string          `json:"description"` // of [Record.Described]
	Owners      []Owner         `json:"owners"`
	Versions    []RecordVersion `json:"versions"` // lowest first
	Deprecated  string          `json:"deprecated,omitempty"`
	ReplacedBy  spec.Name       `json:"replaced_by,omitempty"`
	Summary     Summary         `json:"summary"` // of [Record.Described]
}

// Owner is a person or an organisation by its GitHub login and by the number
// that outlives a change of the login.
type Owner struct {
	Login string `json:"login" yaml:"login"`
	ID    int64  `json:"id" yaml:"id"`
}

// checkOwners bounds what every reader of a catalogue gets of each tool. Who
// they are is for the publication to check.
func checkOwners(owners []Owner) error {
	if len(owners) > limits.Owners {
		return fmt.Errorf("it has %d owners, allowed are %d", len(owners), limits.Owners)
	}
	for _, o := range owners {
		if err := oneLine("login", o.Login, limits.Login); err != nil {
			return err
		}
	}
	return nil
}

// RecordVersion is one version of a tool.
type RecordVersion struct {
	Version     spec.Version     `json:"version"`
	Release     spec.Digest      `json:"release"` // of release.json
	Published   string           `json:"published"`
	LogIndex    int64            `json:"log_index"` // of the acceptance
	Permissions spec.Permissions `json:"permissions"`
	Contributor Owner            `json:"contributor,omitzero"`   // as the acceptance states it
	PullRequest string           `json:"pull_request,omitempty"` // its address; as the acceptance states it
	Yanked      string           `json:"yanked,omitempty"`       // the reason
	Revoked     string           `json:"revoked,omitempty"`      // the reason
}

// ParseRecord reads the record of a name.
func ParseRecord(data []byte, name spec.Name) (*Record, error) {
	r, err := decode[Record]("record", data, smallDocument)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("record", r.Schema, RecordSchema); err != nil {
		return nil, err
	}
	if r.Name != name {
		return nil, fmt.Errorf("record of %q is about %q", name, r.Name)
	}
	for i, v := range r.Versions {
		if i > 0 && r.Versions[i-1].Version.Compare(v.Version) >= 0 {
			return nil, fmt.Errorf("record of %q has versions out of order", name)
		}
		if _, err := ParseTime(v.Published); err != nil {
			return nil, fmt.Errorf("record of %q: %w", name, err)
		}
	}
	if err := checkOwners(r.Owners); err != nil {
		return nil, fmt.Errorf("record of %q: %w", name, err)
	}
	if err := r.Summary.check(r.Description); err != nil {
		return nil, fmt.Errorf("record of %q: %w", name, err)
	}
	return r, nil
}

// Find returns the entry of a version, nil when there is none.
func (r *Record) Find(v spec.Version) *RecordVersion {
	for i := range r.Versions {
		if r.Versions[i].Version == v {
			return &r.Versions[i]
		}
	}
	return nil
}

// Latest returns the highest version that is neither yanked nor revoked nor a
// pre-release [C-43], nil when there is none.
func (r *Record) Latest() *RecordVersion {
	for i := len(r.Versions) - 1; i >= 0; i-- {
		if v := &r.Versions[i]; v.Yanked == "" && v.Revoked == "" && !v.Version.IsPrerelease() {
			return v
		}
	}
	return nil
}

// Described is the version whose description and summary a record has: the
// latest, else the highest there is; nil when there is none.
func (r *Record) Described() *RecordVersion {
	if v := r.Latest(); v != nil || len(r.Versions) == 0 {
		return v
	}
	return &r.Versions[len(r.Versions)-1]
}
