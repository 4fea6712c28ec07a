package keyless

import (
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sigstore/sigstore-go/pkg/root"
)

// A trusted root lists whole chains, and is believed as a whole: who could put
// a false intermediate into it could as well put a false root there. So a chain
// is checked once, by [CheckRoot] when the file comes in, and from then on the
// lowest certificate of each authority is the anchor: that halves the P-384
// signatures, which are most of what verifying costs with the public Sigstore.

// anchorCA narrows a certificate authority to the certificate that issues, for
// the time in which all above it are valid too.
func anchorCA(f *root.FulcioCertificateAuthority) *root.FulcioCertificateAuthority {
	a := *f
	a.ValidityPeriodStart, a.ValidityPeriodEnd = narrowed(f.ValidityPeriodStart, f.ValidityPeriodEnd, above(f.Intermediates, f.Root))
	if len(f.Intermediates) > 0 {
		a.Root, a.Intermediates = f.Intermediates[0], nil // leaf to root, as the file has them
	}
	return &a
}

// anchorTSA does the same for a timestamp authority, whose own certificate the
// file lists. One that lists nothing above it has nothing to be believed by.
func anchorTSA(s *root.SigstoreTimestampingAuthority) *root.SigstoreTimestampingAuthority {
	a := *s
	a.ValidityPeriodStart, a.ValidityPeriodEnd = narrowed(s.ValidityPeriodStart, s.ValidityPeriodEnd, above(s.Intermediates, s.Root))
	if s.Leaf != nil && s.Root != nil {
		a.Root, a.Intermediates = s.Leaf, nil
	}
	return &a
}

// above is a chain without its leaf, in a slice of its own.
func above(intermediates []*x509.Certificate, root *x509.Certificate) []*x509.Certificate {
	return append(slices.Clone(intermediates), root)
}

// narrowed cuts a period down to the lives of some certificates.
func narrowed(from, to time.Time, certs []*x509.Certificate) (time.Time, time.Time) {
	for _, c := range certs {
		if c == nil {
			continue
		}
		if c.NotBefore.After(from) {
			from = c.NotBefore
		}
		if to.IsZero() || c.NotAfter.Before(to) {
			to = c.NotAfter
		}
	}
	return from, to
}

// CheckRoot reads a trusted root as [ParseRoot] does, and checks that each
// certificate in it was issued by the next: it is for a file that was just
// fetched, or that a person just named.
func CheckRoot(data []byte) error {
	r, err := ParseRoot(data)
	if err != nil {
		return err
	}
	for _, ca := range r.material.FulcioCertificateAuthorities() {
		f, ok := ca.(*root.FulcioCertificateAuthority)
		if !ok {
			return errors.New("trusted root has a certificate authority of an unknown kind")
		}
		if err := issuedInTurn(above(f.Intermediates, f.Root)); err != nil {
			return fmt.Errorf("trusted root: certificate authority: %w", err)
		}
	}
	for _, t := range r.material.TimestampingAuthorities() {
		s, ok := t.(*root.SigstoreTimestampingAuthority)
		if !ok {
			return errors.New("trusted root has a timestamp authority of an unknown kind")
		}
		chain := above(s.Intermediates, s.Root)
		if s.Leaf != nil {
			chain = slices.Insert(chain, 0, s.Leaf)
		}
		if err := issuedInTurn(chain); err != nil {
			return fmt.Errorf("trusted root: timestamp authority: %w", err)
		}
	}
	return nil
}

// issuedInTurn checks a chain from the leaf upwards.
func issuedInTurn(chain []*x509.Certificate) error {
	for i, c := range chain {
		by := chain[min(i+1, len(chain)-1)] // the last one by itself
		if c == nil || by == nil {
			return errors.New("a certificate is missing")
		}
		if err := c.CheckSignatureFrom(by); err != nil {
			return fmt.Errorf("certificate %d of its chain was not issued by the next", i+1)
		}
	}
	return nil
}
