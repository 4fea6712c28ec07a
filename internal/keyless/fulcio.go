package keyless

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/patch-cat/patch-git/verify"
)

// fulcioVersions are those of a certificate authority's interface that are
// spoken. The path of the first says v2.
var fulcioVersions = []uint32{1}

// certificateRequest asks for a certificate for a key, for whom a token names.
type certificateRequest struct {
	Credentials struct {
		Token string `json:"oidcIdentityToken"`
	} `json:"credentials"`
	PublicKeyRequest struct {
		PublicKey struct {
			Algorithm string `json:"algorithm"`
			Content   string `json:"content"` // PEM
		} `json:"publicKey"`
		Proof []byte `json:"proofOfPossession"`
	} `json:"publicKeyRequest"`
}

// certify gets the certificate that a key is held by whom the token names.
func (w *Workflow) certify(ctx context.Context, token string, key *ecdsa.PrivateKey) (*x509.Certificate, error) {
	who, err := tokenSubject(token)
	if err != nil {
		return nil, err
	}
	var q certificateRequest
	q.Credentials.Token = token
	// That whoever has the token has the key too: nobody gets a certificate
	// for a key that is another's.
	if q.PublicKeyRequest.Proof, err = signature(key, []byte(who)); err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	q.PublicKeyRequest.PublicKey.Algorithm = "ECDSA"
	q.PublicKeyRequest.PublicKey.Content = string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))
	answer, err := w.postJSON(ctx, w.fulcio, "api/v2/signingCert", &q, serviceTime)
	if err != nil {
		return nil, err
	}
	return parseCertificate(answer, &key.PublicKey)
}

// certificateChain is a certificate in PEM and those above it.
type certificateChain struct {
	Chain struct {
		Certificates []string `json:"certificates"`
	} `json:"chain"`
}

// parseCertificate reads the certificate for the key out of Fulcio's answer.
// One for another key is refused before its signature comes into a log, from
// where it could not be taken back.
func parseCertificate(answer []byte, key *ecdsa.PublicKey) (*x509.Certificate, error) {
	var doc struct {
		Embedded certificateChain  `json:"signedCertificateEmbeddedSct"`
		Detached *certificateChain `json:"signedCertificateDetachedSct"`
	}
	if err := json.Unmarshal(answer, &doc); err != nil {
		return nil, fmt.Errorf("the certificate authority's answer is not readable: %w", err)
	}
	chain := doc.Embedded.Chain.Certificates
	if len(chain) == 0 {
		if doc.Detached != nil {
			// A bundle has no place for it.
			return nil, refuse(verify.ReasonCertificate, "the proof that the certificate was logged is apart from it (a detached SCT)")
		}
		return nil, errors.New("the certificate authority's answer has no certificate")
	}
	block, _ := pem.Decode([]byte(chain[0]))
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, errors.New("the certificate authority's answer is not a certificate in PEM")
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the certificate authority's certificate is not readable: %w", err)
	}
	if !key.Equal(leaf.PublicKey) {
		return nil, refuse(verify.ReasonCertificate, "the certificate authority certified another key")
	}
	return leaf, nil
}
