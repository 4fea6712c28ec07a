// Package keyless signs as a workflow through Sigstore, and verifies what was
// signed so: it is the one door to sigstore-go.
//
// [Root] reads, offline. Who has to have signed, and what, is for package
// verify; this one tells who did, or refuses with verify's reasons. [Workflow]
// writes: it asks the services of an instance, and returns nothing that the
// registry's own policy would refuse.
package keyless

import (
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/sigstore/sigstore-go/pkg/root"
	sigstore "github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Root is a Sigstore instance that a keyless policy believes: its certificate
// authorities, timestamp authorities and logs, as its trusted_root.json lists
// them. It never comes from a registry. It is safe for concurrent use.
type Root struct {
	material *root.TrustedRoot
	verifier *sigstore.Verifier
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
	// A certificate that a log of certificates has seen, a signature that a
	// log of signatures has seen, and a time that an authority signed.
	v, err := sigstore.NewVerifier(m,
		sigstore.WithSignedCertificateTimestamps(1), sigstore.WithTransparencyLog(1), sigstore.WithSignedTimestamps(1))
	if err != nil {
		return nil, fmt.Errorf("trusted root: %s", spec.Quote(err.Error()))
	}
	return &Root{material: m, verifier: v}, nil
}

// issued tells whether some authority has the name of the certificate's
// issuer. Whether it issued it is not asked here.
func (r *Root) issued(leaf *x509.Certificate) bool {
	for _, ca := range r.material.FulcioCertificateAuthorities() {
		if f, ok := ca.(*root.FulcioCertificateAuthority); ok && names(leaf, append(f.Intermediates, f.Root)) {
			return true
		}
	}
	return false
}

// timestamped is the same for a timestamp authority's certificate.
func (r *Root) timestamped(leaf *x509.Certificate) bool {
	for _, a := range r.material.TimestampingAuthorities() {
		s, ok := a.(*root.SigstoreTimestampingAuthority)
		if ok && (s.Leaf != nil && s.Leaf.Equal(leaf) || names(leaf, append(s.Intermediates, s.Root))) {
			return true
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
