package ledger

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/patch-cat/patch-git/spec"
)

// The constants of in-toto Statement v1 and of our predicates. Each predicate
// is a type of its own, so that no statement can be replayed as another.
const (
	StatementType = "https://in-toto.io/Statement/v1"
	PayloadType   = "application/vnd.in-toto+json"

	predicateBase       = "https://github.com/patch-cat/patch-git/"
	PredicateAcceptance = predicateBase + "acceptance/v1"
	PredicateWithdrawal = predicateBase + "withdrawal/v1"
	PredicateHead       = predicateBase + "head/v1"
)

// Statement is an in-toto Statement v1 with exactly one subject.
type Statement struct {
	Type          string          `json:"_type"`
	Subject       []Subject       `json:"subject"`
	PredicateType string          `json:"predicateType"`
	Predicate     json.RawMessage `json:"predicate"`
}

// Subject is what a statement is about.
type Subject struct {
	Name   string        `json:"name"`
	Digest SubjectDigest `json:"digest"`
}

// SubjectDigest has the one digest algorithm that is defined here.
type SubjectDigest struct {
	SHA256 spec.Digest `json:"sha256"`
}

// Acceptance is the predicate over one release; the subject's digest is that
// of the main file, so that other Sigstore tools can check the file itself.
type Acceptance struct {
	Registry    RegistryID       `json:"registry"`
	Name        spec.Name        `json:"name"`
	Version     spec.Version     `json:"version"`
	Format      spec.Format      `json:"format"`
	Release     spec.Digest      `json:"release"` // of release.json
	Files       []ReleaseFile    `json:"files"`
	Permissions spec.Permissions `json:"permissions"`
	Contributor Owner            `json:"contributor"`
	PullRequest string           `json:"pull_request,omitempty"`
	Commit      string           `json:"commit,omitempty"`
	Report      spec.Digest      `json:"report"`            // of report.json
	Closure     *spec.Digest     `json:"closure,omitempty"` // of closure.json
	Checker     string           `json:"checker"`           // "patch-git <version>"
	Log         LogRoot          `json:"log"`               // of the publication, with the entry of this release
}

// Withdrawal is the predicate over a yank, an unyank or a revocation; the
// subject's digest is that of release.json, which is known even where the
// release itself is lost. Clients learn of withdrawals from the head; this is
// for whoever has the file alone.
type Withdrawal struct {
	Registry RegistryID   `json:"registry"`
	Event    Event        `json:"event"`
	Name     spec.Name    `json:"name"`
	Version  spec.Version `json:"version"`
	Release  spec.Digest  `json:"release"` // of release.json
	Reason   string       `json:"reason,omitempty"`
	Time     string       `json:"time"`
	Index    int64        `json:"index"` // of the entry
	Checker  string       `json:"checker"`
	Log      LogRoot      `json:"log"` // of the publication, with the entry
}

// RegistryID names a registry; ID is the number of its repository, 0 outside GitHub.
type RegistryID struct {
	Name spec.RegistryName `json:"name"`
	URI  string            `json:"uri,omitempty"`
	ID   int64             `json:"id,omitempty"`
}

// HeadPredicate is the predicate over a head; the subject's digest is that of
// head.json. Seq and LogSize repeat the head's, for readers without the file.
type HeadPredicate struct {
	Registry RegistryID `json:"registry"`
	Seq      int64      `json:"seq"`
	LogSize  int64      `json:"log_size"`
}

// NewStatement makes the statement of one subject.
func NewStatement(subject string, digest spec.Digest, predicateType string, predicate any) *Statement {
	body := Encode(predicate)
	return &Statement{
		Type: StatementType, PredicateType: predicateType,
		Subject:   []Subject{{Name: subject, Digest: SubjectDigest{SHA256: digest}}},
		Predicate: body[:len(body)-1],
	}
}

// ParseStatement reads a statement: canonical, of the type, with one subject.
// Whether the subject and the predicate are the right ones is for the caller.
func ParseStatement(payload []byte) (*Statement, error) {
	s, err := decode[Statement]("statement", payload, smallDocument)
	if err != nil {
		return nil, err
	}
	if s.Type != StatementType {
		return nil, fmt.Errorf("statement has the type %s", spec.Quote(s.Type))
	}
	if len(s.Subject) != 1 {
		return nil, fmt.Errorf("statement has %d subjects, not one", len(s.Subject))
	}
	return s, nil
}

// ParseAcceptance reads the predicate over a release.
func ParseAcceptance(s *Statement) (*Acceptance, error) {
	return decode[Acceptance]("acceptance", append(slices.Clip(s.Predicate), '\n'), smallDocument)
}

// ParseWithdrawal reads the predicate over a withdrawal.
func ParseWithdrawal(s *Statement) (*Withdrawal, error) {
	return decode[Withdrawal]("withdrawal", append(slices.Clip(s.Predicate), '\n'), smallDocument)
}

// ParseHeadPredicate reads the predicate over a head.
func ParseHeadPredicate(s *Statement) (*HeadPredicate, error) {
	return decode[HeadPredicate]("head predicate", append(slices.Clip(s.Predicate), '\n'), smallDocument)
}
