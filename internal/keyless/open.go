package keyless

import (
	"cmp"
	"crypto/x509"
	"errors"
	"slices"
	"sync"
	"time"

	ct "github.com/google/certificate-transparency-go"
	"github.com/google/certificate-transparency-go/ctutil"
	ctx509 "github.com/google/certificate-transparency-go/x509"
	"github.com/google/certificate-transparency-go/x509util"
	"github.com/sigstore/sigstore-go/pkg/root"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Edition says which code judges. It changes whenever [Root.Open] comes to
// refuse what it accepted before, so that nobody relies on what that said.
const Edition = "2"

// Open verifies a Sigstore bundle: the time of the signature, its place in a
// log of signatures, the certificate up to an authority at that time, its place
// in a log of certificates, and the signature, as Sigstore's client
// specification asks. It returns what was signed and by whom, which the caller
// compares field by field; see [verify.Sigstore].
func (r *Root) Open(data []byte, subject string) (payload []byte, signer ledger.Identity, err error) {
	c, err := parseBundle(data, subject)
	if err != nil {
		return nil, signer, err
	}
	// Two halves that need nothing of each other, at once: a first signature on
	// P-384 makes tables for milliseconds, and the log's are on other curves.
	var log *root.TransparencyLog
	var notLogged, notFitting error
	var half sync.WaitGroup
	half.Go(func() {
		log, notLogged = r.logged(c)
		if notLogged == nil && !ledger.VerifyECDSA(c.key, c.signed(), c.signature) {
			notFitting = c.no(verify.ReasonSignature, "has a signature that does not fit")
		}
	})
	var notCertified error
	at, notStamped := r.stamped(c)
	if notStamped == nil {
		notCertified = r.certified(c, at)
	}
	half.Wait()
	if notStamped == nil && notLogged == nil && !alive(log, at) {
		notLogged = c.no(verify.ReasonLog, "is in a transparency log that was not in use then")
	}
	if err := cmp.Or(notStamped, notLogged, notCertified, notFitting); err != nil {
		return nil, signer, err
	}
	if signer, err = identityOf(c.leaf); err != nil {
		return nil, ledger.Identity{}, c.no(verify.ReasonCertificate, "%w", err)
	}
	return c.payload, signer, nil
}

// stamped verifies the timestamp over the signature and returns its time.
func (r *Root) stamped(c *claim) (time.Time, error) {
	failure := checkDER(c.timestamp)
	if failure != nil {
		return time.Time{}, c.no(verify.ReasonTime, "has a timestamp that is not readable: %w", failure)
	}
	failure = errors.New("no authority")
	for _, a := range r.stampers {
		t, err := a.Verify(c.timestamp, c.signature)
		if err == nil {
			return t.Time, nil
		}
		failure = err
	}
	if !r.stampedBy(c.timestamp) {
		return time.Time{}, c.unknown("a timestamp authority")
	}
	return time.Time{}, c.no(verify.ReasonTime, "has a timestamp that does not verify (%s)", spec.Quote(failure.Error()))
}

// certified verifies the certificate at the time of the signature, and that a
// log of certificates has seen it.
func (r *Root) certified(c *claim, at time.Time) error {
	if !r.issued(c.leaf) {
		return c.unknown("a certificate authority")
	}
	if at.Before(c.leaf.NotBefore) || at.After(c.leaf.NotAfter) {
		return c.no(verify.ReasonTime, "was signed outside of the certificate's life")
	}
	failure := errors.New("no authority")
	for _, ca := range r.issuers {
		chains, err := ca.Verify(c.leaf, at)
		if err == nil {
			return r.seen(c, chains)
		}
		failure = err
	}
	return c.no(verify.ReasonCertificate, "has a certificate that does not verify (%s)", spec.Quote(failure.Error()))
}

// seen verifies that one of the known logs of certificates promised to log the
// leaf (RFC 6962 §3.2).
func (r *Root) seen(c *claim, chains [][]*x509.Certificate) error {
	promises, err := x509util.ParseSCTsFromCertificate(c.leaf.Raw)
	if err != nil || len(promises) == 0 {
		return c.no(verify.ReasonCertificate, "has a certificate that no log of certificates has seen")
	}
	// One log does not count twice, here as with entries and timestamps.
	for i, p := range promises {
		if slices.ContainsFunc(promises[:i], func(o *ct.SignedCertificateTimestamp) bool { return o.LogID == p.LogID }) {
			return c.no(verify.ReasonCertificate, "has a certificate with two promises of one log")
		}
	}
	known := false
	for _, p := range promises {
		log := byID(r.material.CTLogs(), p.LogID.KeyID[:])
		if log == nil {
			continue
		}
		known = true
		if alive(log, ct.TimestampToTime(p.Timestamp)) && slices.ContainsFunc(chains, func(chain []*x509.Certificate) bool { return promised(log, p, chain) }) {
			return nil
		}
	}
	if !known {
		return c.unknown("a log of certificates")
	}
	return c.no(verify.ReasonCertificate, "has a certificate that is not proved to be logged")
}

// promised verifies one promise of a log: it is over the leaf without the
// promises, and over its issuer's key.
func promised(log *root.TransparencyLog, p *ct.SignedCertificateTimestamp, chain []*x509.Certificate) bool {
	if len(chain) < 2 {
		return false
	}
	var both []*ctx509.Certificate
	for _, c := range chain[:2] {
		parsed, err := ctx509.ParseCertificate(c.Raw)
		if parsed == nil || ctx509.IsFatal(err) {
			return false
		}
		both = append(both, parsed)
	}
	return ctutil.VerifySCT(log.PublicKey, both, p, true) == nil
}
