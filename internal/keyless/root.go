// Package keyless signs as a workflow through Sigstore, and verifies what was
// signed so: it is the door to sigstore-go.
//
// [Root] reads, offline, step by step with the parts of sigstore-go and its
// relatives that do it: its whole verifier comes with the generated client of
// Rekor v1, whose initialisation would be more than half of the program's own
// start. Tests hold the two against each other. Who has to have signed, and what, is for package
// verify; this one tells who did, or refuses with verify's reasons. [Workflow]
// writes: it asks the services of an instance, and returns nothing that the
// registry's own policy would refuse.
package keyless

import (
	"bytes"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/digitorus/pkcs7"
	"github.com/sigstore/sigstore-go/pkg/root"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Root is a Sigstore instance that a keyless policy believes: its certificate
// authorities, timestamp authorities and logs, as its trusted_root.json lists
// them. It never comes from a registry. It is safe for concurrent use.
type Root struct {
	material *root.TrustedRoot
	issuers  []root.CertificateAuthority  // as anchors
	stampers []root.TimestampingAuthority // as anchors
}

// ParseRoot reads a trusted_root.json.
func ParseRoot(data []byte) (*Root, error) {
	if len(data) > limits.TrustedRoot {
		return nil, fmt.Errorf("trusted root has %d bytes, allowed are %d", len(data), limits.TrustedRoot)
	}
	m, err := root.NewTrustedRootFromJSON(data)
	if err != nil {
		return nil, fmt.Errorf("trusted root is not readable: %s", spec.Quote(err.Error()))
	}
	if len(m.FulcioCertificateAuthorities()) == 0 || len(m.RekorLogs()) == 0 || len(m.CTLogs()) == 0 || len(m.TimestampingAuthorities()) == 0 {
		return nil, errors.New("trusted root lacks a certificate authority, a log or a timestamp authority")
	}
	r := &Root{material: m}
	for _, ca := range m.FulcioCertificateAuthorities() {
		if f, ok := ca.(*root.FulcioCertificateAuthority); ok {
			r.issuers = append(r.issuers, anchorCA(f))
		}
	}
	for _, a := range m.TimestampingAuthorities() {
		if s, ok := a.(*root.SigstoreTimestampingAuthority); ok {
			r.stampers = append(r.stampers, anchorTSA(s))
		}
	}
	return r, nil
}

// byID finds a log by its number, nil where it is not known.
func byID(logs map[string]*root.TransparencyLog, id []byte) *root.TransparencyLog {
	return logs[hex.EncodeToString(id)]
}

// alive tells whether a log was in use at a time.
func alive(log *root.TransparencyLog, at time.Time) bool {
	return !at.Before(log.ValidityPeriodStart) && (log.ValidityPeriodEnd.IsZero() || !at.After(log.ValidityPeriodEnd))
}

// issued tells whether some authority has the name of the certificate's
// issuer. Whether it issued it is not asked here.
func (r *Root) issued(leaf *x509.Certificate) bool {
	for _, ca := range r.material.FulcioCertificateAuthorities() {
		if f, ok := ca.(*root.FulcioCertificateAuthority); ok && names(leaf, above(f.Intermediates, f.Root)) {
			return true
		}
	}
	return false
}

// stampedBy tells whether some timestamp authority has the name that a
// response is signed in. One that is not readable names nobody unknown.
func (r *Root) stampedBy(response []byte) bool {
	t, err := readStamp(response)
	if err != nil {
		return true
	}
	token, err := pkcs7.Parse(t.RawToken)
	if err != nil {
		return true
	}
	for _, a := range r.material.TimestampingAuthorities() {
		s, ok := a.(*root.SigstoreTimestampingAuthority)
		if !ok {
			continue
		}
		for _, by := range token.Signers {
			id := by.IssuerAndSerialNumber
			if s.Leaf != nil && id.SerialNumber != nil && s.Leaf.SerialNumber.Cmp(id.SerialNumber) == 0 && bytes.Equal(s.Leaf.RawIssuer, id.IssuerName.FullBytes) {
				return true
			}
		}
		for _, c := range t.Certificates {
			if names(c, above(s.Intermediates, s.Root)) {
				return true
			}
		}
	}
	return false
}

func names(leaf *x509.Certificate, issuers []*x509.Certificate) bool {
	for _, c := range issuers {
		if c != nil && string(c.RawSubject) == string(leaf.RawIssuer) && (len(leaf.AuthorityKeyId) == 0 || string(c.SubjectKeyId) == string(leaf.AuthorityKeyId)) {
			return true
		}
	}
	return false
}
