package keyless

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"slices"

	"github.com/digitorus/timestamp"
	"github.com/google/certificate-transparency-go/x509util"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/tlog"
	sigstore "github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Open verifies a Sigstore bundle: the certificate up to a pinned authority at
// the time of the signature, its place in a log of certificates, the signature,
// its place in a log of signatures, and the time of it, all by sigstore-go. It
// returns what was signed and by whom; see [verify.Sigstore].
func (r *Root) Open(data []byte, subject string) (payload []byte, signer ledger.Identity, err error) {
	b, err := parseBundle(data, subject)
	if err != nil {
		return nil, signer, err
	}
	// The identity and the artifact are compared by the caller, field by field
	// and for each with a reason of its own.
	res, err := r.verifier.Verify(b, sigstore.NewPolicy(sigstore.WithoutArtifactUnsafe(), sigstore.WithoutIdentitiesUnsafe()))
	if err != nil {
		return nil, signer, r.explain(b, subject, err)
	}
	content, err := b.VerificationContent()
	if err != nil || content.Certificate() == nil || len(res.VerifiedTimestamps) == 0 {
		return nil, signer, refuse(verify.ReasonBundle, "evidence for %s has no certificate", subject)
	}
	if signer, err = identityOf(content.Certificate()); err != nil {
		return nil, ledger.Identity{}, refuse(verify.ReasonCertificate, "evidence for %s: %w", subject, err)
	}
	return b.GetDsseEnvelope().GetPayload(), signer, nil
}

func refuse(r verify.Reason, format string, args ...any) *fault.Error {
	return fault.New(fault.NotVerified, string(r), format, args...)
}

// parseBundle reads the one shape of evidence that is written: a bundle v0.3
// with a certificate, one signature over an in-toto statement, one entry in a
// log and one timestamp. What a bundle says more than that nobody has checked.
func parseBundle(data []byte, subject string) (*bundle.Bundle, error) {
	no := func(format string, args ...any) error {
		return refuse(verify.ReasonBundle, "evidence for "+subject+" "+format, args...)
	}
	if len(data) > limits.Bundle {
		return nil, no("has %d bytes, allowed are %d", len(data), limits.Bundle)
	}
	var head struct {
		MediaType string `json:"mediaType"`
	}
	if json.Unmarshal(data, &head) != nil || head.MediaType != ledger.BundleType {
		return nil, no("is not a Sigstore bundle v0.3")
	}
	var b bundle.Bundle
	if err := b.UnmarshalJSON(data); err != nil {
		return nil, no("is not readable: %s", spec.Quote(err.Error()))
	}
	m, e := b.GetVerificationMaterial(), b.GetDsseEnvelope()
	switch {
	case e == nil:
		return nil, refuse(verify.ReasonStatement, "evidence for %s signs plain bytes, not a statement", subject)
	case e.GetPayloadType() != ledger.PayloadType:
		return nil, refuse(verify.ReasonStatement, "evidence for %s has the payload type %s", subject, spec.Quote(e.GetPayloadType()))
	case m.GetCertificate() == nil:
		return nil, no("is signed by a key, not by a workflow")
	case len(e.GetSignatures()) != 1:
		return nil, no("has %d signatures, not one", len(e.GetSignatures()))
	case len(m.GetTlogEntries()) != 1:
		return nil, refuse(verify.ReasonLog, "evidence for %s has %d entries of a log, not one", subject, len(m.GetTlogEntries()))
	case len(m.GetTimestampVerificationData().GetRfc3161Timestamps()) != 1:
		return nil, refuse(verify.ReasonTime, "evidence for %s has %d timestamps, not one", subject, len(m.GetTimestampVerificationData().GetRfc3161Timestamps()))
	}
	return &b, nil
}

// explain finds out which part of a bundle was refused. It runs only after a
// refusal and decides nothing but its reason.
func (r *Root) explain(b *bundle.Bundle, subject string, refusal error) error {
	because := func(reason verify.Reason, text string) error {
		return refuse(reason, "evidence for %s: %s (%s)", subject, text, spec.Quote(refusal.Error()))
	}
	unknown := func(what string) error {
		return refuse(verify.ReasonRoot, "evidence for %s is vouched for by %s that the trusted root does not know", subject, what).
			Hint("patch-git trust update, if the trusted root is older than the evidence")
	}
	entries, err := b.TlogEntries()
	if err != nil {
		return because(verify.ReasonLog, "its log entry is not readable")
	}
	for _, e := range entries {
		if !r.logs(e) {
			return unknown("a transparency log")
		}
	}
	if _, err := r.verifier.VerifyTransparencyLogInclusion(b); err != nil {
		return because(verify.ReasonLog, "it is not proved to be in the transparency log")
	}
	stamps, _, err := sigstore.VerifySignedTimestamp(b, r.material)
	if err != nil || len(stamps) == 0 {
		if !r.knowsTimestamp(b) {
			return unknown("a timestamp authority")
		}
		return because(verify.ReasonTime, "its timestamp does not verify")
	}
	content, err := b.VerificationContent()
	if err != nil || content.Certificate() == nil {
		return because(verify.ReasonBundle, "it has no certificate")
	}
	leaf := content.Certificate()
	if !r.issued(leaf) {
		return unknown("a certificate authority")
	}
	at := stamps[0].Time
	if at.Before(leaf.NotBefore) || at.After(leaf.NotAfter) {
		return because(verify.ReasonTime, "it was signed outside of the certificate's life")
	}
	chains, err := sigstore.VerifyLeafCertificate(at, leaf, r.material)
	if err != nil {
		return because(verify.ReasonCertificate, "its certificate does not verify")
	}
	if err := sigstore.VerifySignedCertificateTimestamp(chains, 1, r.material); err != nil {
		if ids := certificateLogs(leaf); len(ids) > 0 && !r.knowsCertificateLog(ids) {
			return unknown("a log of certificates")
		}
		return because(verify.ReasonCertificate, "its certificate is not proved to be logged")
	}
	if e, err := b.Envelope(); err == nil {
		if _, err := e.Statement(); err != nil {
			return because(verify.ReasonStatement, "it signs no in-toto statement")
		}
	}
	return because(verify.ReasonSignature, "its signature does not fit")
}

func (r *Root) logs(e *tlog.Entry) bool {
	id := e.TransparencyLogEntry().GetLogId().GetKeyId()
	for _, l := range r.material.RekorLogs() {
		// The first four bytes are what a checkpoint names the key by.
		if bytes.Equal(l.ID, id) || len(id) >= 4 && len(l.ID) >= 4 && bytes.Equal(l.ID[:4], id[:4]) {
			return true
		}
	}
	return false
}

func (r *Root) knowsTimestamp(b *bundle.Bundle) bool {
	stamps, err := b.Timestamps()
	if err != nil || len(stamps) == 0 {
		return true // nothing there to be unknown
	}
	t, err := timestamp.ParseResponse(stamps[0])
	if err != nil {
		return true
	}
	return len(t.Certificates) == 0 || slices.ContainsFunc(t.Certificates, r.timestamped)
}

// certificateLogs are the logs that have signed for a certificate, by number.
func certificateLogs(leaf *x509.Certificate) [][]byte {
	scts, err := x509util.ParseSCTsFromCertificate(leaf.Raw)
	if err != nil {
		return nil
	}
	var ids [][]byte
	for _, s := range scts {
		ids = append(ids, s.LogID.KeyID[:])
	}
	return ids
}

func (r *Root) knowsCertificateLog(ids [][]byte) bool {
	for _, l := range r.material.CTLogs() {
		for _, id := range ids {
			if bytes.Equal(l.ID, id) {
				return true
			}
		}
	}
	return false
}
