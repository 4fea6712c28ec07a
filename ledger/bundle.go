package ledger

import (
	"fmt"
	"strconv"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// BundleType is the media type of the one edition of Sigstore bundles that is
// written and read.
const BundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// Bundle is a Sigstore bundle v0.3 that holds a DSSE envelope signed by a key
// which the verifier already has; the bundle only hints at it.
type Bundle struct {
	MediaType string               `json:"mediaType"`
	Material  VerificationMaterial `json:"verificationMaterial"`
	Envelope  Envelope             `json:"dsseEnvelope"`
}

// VerificationMaterial names the key by [KeyHint].
type VerificationMaterial struct {
	PublicKey struct {
		Hint string `json:"hint"`
	} `json:"publicKey"`
}

// Envelope is a DSSE envelope with one signature.
type Envelope struct {
	Payload     []byte      `json:"payload"`
	PayloadType string      `json:"payloadType"`
	Signatures  []Signature `json:"signatures"`
}

// Signature is an ASN.1 ECDSA signature over the SHA-256 of the pre-authentication encoding.
type Signature struct {
	Sig []byte `json:"sig"`
}

// NewBundle wraps a signed payload.
func NewBundle(hint string, payload, sig []byte) *Bundle {
	b := &Bundle{MediaType: BundleType, Envelope: Envelope{
		Payload: payload, PayloadType: PayloadType, Signatures: []Signature{{Sig: sig}},
	}}
	b.Material.PublicKey.Hint = hint
	return b
}

// ParseBundle reads a bundle that a key signed.
func ParseBundle(data []byte) (*Bundle, error) {
	b, err := decode[Bundle]("bundle", data, limits.Bundle)
	if err != nil {
		return nil, err
	}
	switch {
	case b.MediaType != BundleType:
		return nil, fmt.Errorf("bundle has the media type %s", spec.Quote(b.MediaType))
	case b.Envelope.PayloadType != PayloadType:
		return nil, fmt.Errorf("bundle has the payload type %s", spec.Quote(b.Envelope.PayloadType))
	case len(b.Envelope.Signatures) != 1:
		return nil, fmt.Errorf("bundle has %d signatures, not one", len(b.Envelope.Signatures))
	}
	return b, nil
}

// PAE is DSSE's pre-authentication encoding: the bytes that are signed.
func PAE(payloadType string, payload []byte) []byte {
	p := []byte("DSSEv1 " + strconv.Itoa(len(payloadType)) + " " + payloadType + " " + strconv.Itoa(len(payload)) + " ")
	return append(p, payload...)
}
