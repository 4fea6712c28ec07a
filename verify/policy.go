package verify

import (
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Policy says whose word counts. The zero value refuses everything; every
// field is compulsory and compared exactly.
type Policy struct {
	Registry spec.RegistryName
	Trust    ledger.Trust
}

// Reason is why something was refused: a stable word for scripts and tests.
type Reason string

// The reasons.
const (
	ReasonPolicy    Reason = "policy"            // the policy itself is incomplete
	ReasonBundle    Reason = "bundle"            // evidence is missing, too large or not a bundle
	ReasonKey       Reason = "identity:key"      // signed by another key than the pinned one
	ReasonSignature Reason = "signature"         // the signature does not fit the bytes
	ReasonStatement Reason = "binding:statement" // not a statement of the expected shape
	ReasonPredicate Reason = "binding:predicate" // a statement of another type
	ReasonSubject   Reason = "binding:subject"   // about another registry, name, version or file
	ReasonRegistry  Reason = "binding:registry"  // a document of another registry
	ReasonHead      Reason = "head"              // head.json is not what was signed
	ReasonRevoked   Reason = "binding:revoked"   // revoked.json is not what the head states
	ReasonBuckets   Reason = "binding:buckets"
	ReasonBucket    Reason = "binding:bucket"
	ReasonRecord    Reason = "binding:record"
	ReasonRelease   Reason = "binding:release"
	ReasonFile      Reason = "binding:file" // a file is missing, surplus or has other bytes
	ReasonManifest  Reason = "manifest"     // the manifest is invalid or says something else than what was signed
	ReasonLog       Reason = "log"          // the acceptance is not in the log
	ReasonRollback  Reason = "rollback"     // older than what was already seen
	ReasonSplitView Reason = "split_view"   // contradicts what was already seen
)

var reasons = [...]Reason{
	ReasonPolicy, ReasonBundle, ReasonKey, ReasonSignature, ReasonStatement, ReasonPredicate, ReasonSubject, ReasonRegistry,
	ReasonHead, ReasonRevoked, ReasonBuckets, ReasonBucket, ReasonRecord, ReasonRelease, ReasonFile, ReasonManifest,
	ReasonLog, ReasonRollback, ReasonSplitView,
}

// Reasons lists every reason there is, so that a test can ask for a refusal of each.
func Reasons() []Reason { return append([]Reason(nil), reasons[:]...) }

func refuse(r Reason, format string, args ...any) *fault.Error {
	return fault.New(fault.NotVerified, string(r), format, args...)
}

// statement verifies evidence and returns what it states. The subject and the
// type of the predicate must be the given ones.
func (p Policy) statement(evidence []byte, subject string, predicateType string) (*ledger.Statement, error) {
	if p.Registry == "" || p.Trust.Kind != ledger.TrustKey {
		return nil, refuse(ReasonPolicy, "the trust policy does not say whom to trust")
	}
	key, err := ledger.ParseKey(p.Trust.Key)
	if err != nil {
		return nil, refuse(ReasonPolicy, "the trust policy has no usable key: %w", err)
	}
	if len(evidence) == 0 {
		return nil, refuse(ReasonBundle, "there is no evidence for %s", subject)
	}
	b, err := ledger.ParseBundle(evidence)
	if err != nil {
		return nil, refuse(ReasonBundle, "evidence for %s: %w", subject, err)
	}
	if b.Material.PublicKey.Hint != ledger.KeyHint(p.Trust.Key) {
		return nil, refuse(ReasonKey, "evidence for %s is signed by another key than the registry's", subject)
	}
	pae := ledger.PAE(b.Envelope.PayloadType, b.Envelope.Payload)
	if !ledger.VerifyECDSA(key, pae, b.Envelope.Signatures[0].Sig) {
		return nil, refuse(ReasonSignature, "the signature of %s does not fit", subject)
	}
	s, err := ledger.ParseStatement(b.Envelope.Payload)
	if err != nil {
		return nil, refuse(ReasonStatement, "evidence for %s: %w", subject, err)
	}
	if s.PredicateType != predicateType {
		return nil, refuse(ReasonPredicate, "evidence for %s is of the type %s", subject, spec.Quote(s.PredicateType))
	}
	if s.Subject[0].Name != subject {
		return nil, refuse(ReasonSubject, "evidence for %s is about %s", subject, spec.Quote(s.Subject[0].Name))
	}
	return s, nil
}
