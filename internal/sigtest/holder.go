package sigtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"
)

// organization is in the names of all certificates, so that one that is met
// elsewhere tells where it comes from.
const organization = "sigtest"

// holder has a certificate and the key that goes with it.
type holder struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// period is when the long-lived certificates are valid.
type period struct{ from, to time.Time }

// newAuthority makes a certificate authority, under the parent or, without one,
// by itself.
func newAuthority(curve elliptic.Curve, name string, p period, parent *holder, use ...x509.ExtKeyUsage) (*holder, error) {
	return newHolder(curve, p, parent, &x509.Certificate{
		Subject:               pkix.Name{Organization: []string{organization}, CommonName: name},
		BasicConstraintsValid: true,
		IsCA:                  true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		ExtKeyUsage:           use,
	})
}

func newHolder(curve elliptic.Curve, p period, parent *holder, template *x509.Certificate) (*holder, error) {
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		return nil, err
	}
	if template.SerialNumber, err = newSerial(); err != nil {
		return nil, err
	}
	template.NotBefore, template.NotAfter = p.from, p.to
	if parent == nil {
		parent = &holder{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, key.Public(), parent.key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &holder{cert, key}, nil
}

func newSerial() (*big.Int, error) {
	const bits = 120 // below the 20 bytes that RFC 5280 allows
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), bits))
}
