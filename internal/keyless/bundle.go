package keyless

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/json"

	bundlepb "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	rekorpb "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

func refuse(r verify.Reason, format string, args ...any) *fault.Error {
	return fault.New(fault.NotVerified, string(r), format, args...)
}

// claim is what a bundle says, taken apart and believed in nothing yet.
type claim struct {
	subject   string // what it is said to be about, for messages
	leaf      *x509.Certificate
	key       *ecdsa.PublicKey // of the leaf
	payload   []byte
	signature []byte
	timestamp []byte
	entry     *rekorpb.TransparencyLogEntry
}

// signed returns the bytes that the signature is over.
func (c *claim) signed() []byte { return ledger.PAE(ledger.PayloadType, c.payload) }

// no refuses a claim for a reason.
func (c *claim) no(r verify.Reason, format string, args ...any) *fault.Error {
	return refuse(r, "evidence for "+c.subject+" "+format, args...)
}

// unknown refuses a claim that the trusted root cannot judge, which is another
// thing than one that it judges badly.
func (c *claim) unknown(what string) error {
	return c.no(verify.ReasonRoot, "is vouched for by %s that the trusted root does not know", what).
		Hint("patch-git trust update, if the trusted root is older than the evidence")
}

// parseBundle reads the one shape of evidence that is written: a bundle v0.3
// with a certificate for an ECDSA key on P-256, one signature over an in-toto
// statement, one entry in a log and one timestamp. What a bundle says more
// than that nobody has checked.
func parseBundle(data []byte, subject string) (*claim, error) {
	c := &claim{subject: subject}
	if len(data) > limits.Bundle {
		return nil, c.no(verify.ReasonBundle, "has %d bytes, allowed are %d", len(data), limits.Bundle)
	}
	var head struct {
		MediaType string `json:"mediaType"`
	}
	if json.Unmarshal(data, &head) != nil || head.MediaType != ledger.BundleType {
		return nil, c.no(verify.ReasonBundle, "is not a Sigstore bundle v0.3")
	}
	var b bundlepb.Bundle
	if err := protojson.Unmarshal(data, &b); err != nil {
		return nil, c.no(verify.ReasonBundle, "is not readable: %s", spec.Quote(err.Error()))
	}
	m, e := b.GetVerificationMaterial(), b.GetDsseEnvelope()
	stamps := m.GetTimestampVerificationData().GetRfc3161Timestamps()
	switch {
	case e == nil:
		return nil, c.no(verify.ReasonStatement, "signs plain bytes, not a statement")
	case e.GetPayloadType() != ledger.PayloadType:
		return nil, c.no(verify.ReasonStatement, "has the payload type %s", spec.Quote(e.GetPayloadType()))
	case m.GetCertificate() == nil:
		return nil, c.no(verify.ReasonBundle, "is signed by a key, not by a workflow")
	case len(e.GetSignatures()) != 1:
		return nil, c.no(verify.ReasonBundle, "has %d signatures, not one", len(e.GetSignatures()))
	case len(m.GetTlogEntries()) != 1:
		return nil, c.no(verify.ReasonLog, "has %d entries of a log, not one", len(m.GetTlogEntries()))
	case len(stamps) != 1:
		return nil, c.no(verify.ReasonTime, "has %d timestamps, not one", len(stamps))
	}
	var err error
	if c.leaf, err = x509.ParseCertificate(m.GetCertificate().GetRawBytes()); err != nil {
		return nil, c.no(verify.ReasonBundle, "has no readable certificate: %s", spec.Quote(err.Error()))
	}
	key, ok := c.leaf.PublicKey.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, c.no(verify.ReasonBundle, "is signed by a key that is not ECDSA on P-256")
	}
	c.key = key
	c.payload, c.signature = e.GetPayload(), e.GetSignatures()[0].GetSig()
	c.timestamp, c.entry = stamps[0].GetSignedTimestamp(), m.GetTlogEntries()[0]
	return c, nil
}
