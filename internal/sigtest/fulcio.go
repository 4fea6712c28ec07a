package sigtest

import (
	"crypto"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"net/url"
	"time"
)

// certLife is how long Fulcio's certificates are valid.
const certLife = 10 * time.Minute

// fulcio is the certificate authority for signing keys that live a moment.
type fulcio struct {
	root, intermediate *holder
	log                *ctLog
}

func newFulcio(curve elliptic.Curve, p period) (*fulcio, error) {
	root, err := newAuthority(curve, "sigtest-fulcio", p, nil)
	if err != nil {
		return nil, err
	}
	intermediate, err := newAuthority(curve, "sigtest-fulcio-intermediate", p, root, x509.ExtKeyUsageCodeSigning)
	if err != nil {
		return nil, err
	}
	log, err := newCTLog()
	return &fulcio{root, intermediate, log}, err
}

// certify returns a certificate, in DER, that the public key was held by who has
// the claims.
func (f *fulcio) certify(public crypto.PublicKey, c Claims, now time.Time, d deviation) ([]byte, error) {
	template, err := f.template(c, now, d)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, f.intermediate.cert, public, f.intermediate.key)
	if err != nil || d.noSCT {
		return der, err
	}
	// The promise covers the certificate as it was without it; as the last
	// extension it changes nothing else when the certificate is made again.
	bare, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	log := f.log
	if d.foreignSCT {
		if log, err = newCTLog(); err != nil {
			return nil, err
		}
	}
	times := 1
	if d.twoSCTs {
		times = 2
	}
	promise, err := log.promise(bare.RawTBSCertificate, f.intermediate.cert, now, times)
	if err != nil {
		return nil, err
	}
	template.ExtraExtensions = append(template.ExtraExtensions, promise)
	return x509.CreateCertificate(rand.Reader, template, f.intermediate.cert, public, f.intermediate.key)
}

func (f *fulcio) template(c Claims, now time.Time, d deviation) (*x509.Certificate, error) {
	name := c.san()
	if d.san != "" {
		name = d.san
	}
	san, err := url.Parse(name)
	if err != nil {
		return nil, fmt.Errorf("certify name: %w", err)
	}
	extensions, err := c.extensions(d.without)
	if err != nil {
		return nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	life := period{now, now.Add(certLife)}
	if !d.validFrom.IsZero() || !d.until.IsZero() {
		life = period{d.validFrom, d.until}
	}
	return &x509.Certificate{
		SerialNumber:    serial,
		NotBefore:       life.from,
		NotAfter:        life.to,
		KeyUsage:        x509.KeyUsageDigitalSignature,
		ExtKeyUsage:     []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
		URIs:            []*url.URL{san},
		ExtraExtensions: append(extensions, d.besides...),
	}, nil
}
