package verify

import (
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Policy says whose word counts. The zero value refuses everything; every
// field is compulsory and compared exactly.
type Policy struct {
	Registry spec.RegistryName
	Trust    ledger.Trust
	Sigstore Sigstore // for keyless trust, else nil
}

// Sigstore verifies what a workflow signed, as far as that does not depend on
// who it was: offline, against the authorities and logs of one instance.
type Sigstore interface {
	// Open returns the payload of the in-toto statement in a bundle and who
	// signed it. A refusal has one of the reasons of this package; subject
	// names, in its message, what the bundle is said to be about.
	Open(bundle []byte, subject string) (payload []byte, signer ledger.Identity, err error)
}

// Reason is why something was refused: a stable word for scripts and tests.
type Reason string

// The reasons.
const (
	ReasonPolicy      Reason = "policy"            // the policy itself is incomplete
	ReasonBundle      Reason = "bundle"            // evidence is missing, too large or not a bundle
	ReasonTrust       Reason = "identity:trust"    // signed in another way than was pinned
	ReasonKey         Reason = "identity:key"      // signed by another key than the pinned one
	ReasonRoot        Reason = "root"              // vouched for by an authority or a log that is not known
	ReasonCertificate Reason = "certificate"       // the certificate's chain or its place in a log does not verify
	ReasonTime        Reason = "time"              // no signed time, or one outside of the certificate's life
	ReasonSignature   Reason = "signature"         // the signature does not fit the bytes
	ReasonStatement   Reason = "binding:statement" // not a statement of the expected shape
	ReasonPredicate   Reason = "binding:predicate" // a statement of another type
	ReasonSubject     Reason = "binding:subject"   // about another registry, name, version or file
	ReasonRegistry    Reason = "binding:registry"  // a document of another registry
	ReasonHead        Reason = "head"              // head.json is not what was signed
	ReasonRevoked     Reason = "binding:revoked"   // revoked.json is not what the head states
	ReasonBuckets     Reason = "binding:buckets"
	ReasonBucket      Reason = "binding:bucket"
	ReasonRecord      Reason = "binding:record"
	ReasonRelease     Reason = "binding:release"
	ReasonFile        Reason = "binding:file" // a file is missing, surplus or has other bytes
	ReasonManifest    Reason = "manifest"     // the manifest is invalid or says something else than what was signed
	ReasonLog         Reason = "log"          // not in a log, Sigstore's or the registry's own
	ReasonRollback    Reason = "rollback"     // older than what was already seen
	ReasonSplitView   Reason = "split_view"   // contradicts what was already seen
	ReasonStale       Reason = "stale"        // older than the person accepts: a caller's to tell, who has a clock
)

var reasons = [...]Reason{
	ReasonPolicy, ReasonBundle, ReasonKey, ReasonSignature, ReasonStatement, ReasonPredicate, ReasonSubject, ReasonRegistry,
	ReasonHead, ReasonRevoked, ReasonBuckets, ReasonBucket, ReasonRecord, ReasonRelease, ReasonFile, ReasonManifest,
	ReasonLog, ReasonRollback, ReasonSplitView,
}

// Reasons lists every reason that a registry of either kind of trust can be
// refused for, so that a test can ask for a refusal of each.
func Reasons() []Reason { return slices.Clone(reasons[:]) }

// IdentityReasons lists those for each field of an identity.
func IdentityReasons() []Reason {
	var all []Reason
	for _, f := range (&ledger.Identity{}).Fields() {
		all = append(all, identityReason(f.Name))
	}
	return all
}

// SigstoreReasons lists those that an implementation of [Sigstore] adds.
func SigstoreReasons() []Reason { return []Reason{ReasonRoot, ReasonCertificate, ReasonTime} }

func refuse(r Reason, format string, args ...any) *fault.Error {
	return fault.New(fault.NotVerified, string(r), format, args...)
}

// check tells why the policy cannot judge anything, or nil.
func (p Policy) check() error {
	if p.Registry == "" {
		return refuse(ReasonPolicy, "the trust policy does not say whose registry it is for")
	}
	if err := p.Trust.Check(); err != nil {
		return refuse(ReasonPolicy, "the trust policy does not say whom to trust: %w", err)
	}
	if p.Trust.Kind == ledger.TrustKeyless && p.Sigstore == nil {
		return refuse(ReasonPolicy, "the trust policy has no trusted root of Sigstore")
	}
	return nil
}

// Evidence verifies that evidence is the registry's own word, that it is about
// the subject and of the type, and returns the statement. Signers ask it of
// what they just made.
func (p Policy) Evidence(evidence []byte, subject, predicateType string) (*ledger.Statement, error) {
	return p.statement(evidence, subject, predicateType)
}

// statement verifies evidence and returns what it states. The subject and the
// type of the predicate must be the given ones.
func (p Policy) statement(evidence []byte, subject string, predicateType string) (*ledger.Statement, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if len(evidence) == 0 {
		return nil, refuse(ReasonBundle, "there is no evidence for %s", subject)
	}
	var payload []byte
	var err error
	if p.Trust.Kind == ledger.TrustKey {
		payload, err = p.signedByKey(evidence, subject)
	} else {
		payload, err = p.signedByWorkflow(evidence, subject)
	}
	if err != nil {
		return nil, err
	}
	return bound(payload, subject, predicateType)
}

// signedByKey returns the payload of a bundle that the pinned key signed.
func (p Policy) signedByKey(evidence []byte, subject string) ([]byte, error) {
	key, err := ledger.ParseKey(p.Trust.Key)
	if err != nil {
		return nil, refuse(ReasonPolicy, "the trust policy has no usable key: %w", err)
	}
	b, err := ledger.ParseBundle(evidence)
	if err != nil {
		return nil, refuse(ReasonBundle, "evidence for %s: %w", subject, err)
	}
	if b.Material.PublicKey.Hint != ledger.KeyHint(p.Trust.Key) {
		return nil, refuse(ReasonKey, "evidence for %s is signed by another key than the registry's", subject)
	}
	if !ledger.VerifyECDSA(key, ledger.PAE(b.Envelope.PayloadType, b.Envelope.Payload), b.Envelope.Signatures[0].Sig) {
		return nil, refuse(ReasonSignature, "the signature of %s does not fit", subject)
	}
	return b.Envelope.Payload, nil
}

// signedByWorkflow returns the payload of a bundle that the pinned workflow signed.
func (p Policy) signedByWorkflow(data []byte, subject string) ([]byte, error) {
	payload, signer, err := p.Sigstore.Open(data, subject)
	if err != nil {
		return nil, err
	}
	if err := compare(p.Trust.Identity, &signer, subject); err != nil {
		return nil, err
	}
	return payload, nil
}

// identityReason is the reason of a refusal for one field of an identity.
func identityReason(field string) Reason { return Reason("identity:" + field) }

// compare refuses the first field in which a signer differs from the identity
// that is expected. Where nothing is expected anything may be: only optional
// fields, and the numbers of a registry that is met for the first time, can be
// empty, see [ledger.Identity].
func compare(want, got *ledger.Identity, subject string) error {
	have := got.Fields()
	for i, w := range want.Fields() {
		if w.Value != "" && have[i].Value != w.Value {
			return refuse(identityReason(w.Name), "evidence for %s is signed by a workflow whose %s is %s, not %s",
				subject, w.Name, spec.Quote(have[i].Value), spec.Quote(w.Value))
		}
	}
	return nil
}

// Introduce verifies the head of a registry that is met for the first time,
// whose identity is known but for its numbers, and returns the identity with
// them, and with the optional fields that the certificate has, to be pinned.
func (p Policy) Introduce(evidence, head []byte) (ledger.Identity, error) {
	if err := p.Trust.CheckTemplate(); err != nil || p.Trust.Kind != ledger.TrustKeyless || p.Sigstore == nil {
		return ledger.Identity{}, refuse(ReasonPolicy, "the trust policy does not say whom to trust")
	}
	_, signer, err := p.Sigstore.Open(evidence, p.Registry.HeadSubject())
	if err != nil {
		return ledger.Identity{}, err
	}
	if err := compare(p.Trust.Identity, &signer, p.Registry.HeadSubject()); err != nil {
		return ledger.Identity{}, err
	}
	p.Trust.Identity = &signer // from here on all of it counts
	if _, err := p.HeadOnly(evidence, head); err != nil {
		return ledger.Identity{}, err
	}
	return signer, nil
}

// bound reads a signed payload and holds it against what is asked for.
func bound(payload []byte, subject, predicateType string) (*ledger.Statement, error) {
	s, err := ledger.ParseStatement(payload)
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
