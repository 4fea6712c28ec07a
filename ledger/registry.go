package ledger

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/patch-cat/patch-git/spec"
)

// RegistrySchema is the edition of [Registry].
const RegistrySchema = "patch-git/registry/v1"

// Registry is registry.json: what a registry says of itself. Nothing of it is
// believed after the first time: a client pins what it says when the person
// adds the registry and compares from then on.
type Registry struct {
	Schema  string            `json:"schema"`
	Name    spec.RegistryName `json:"name"`
	Source  string            `json:"source,omitempty"`
	Mirrors []string          `json:"mirrors,omitempty"`
	Trust   Trust             `json:"trust"`
}

// Trust says what signs a registry. Kind "key" has an ECDSA P-256 public key
// as SubjectPublicKeyInfo in DER.
type Trust struct {
	Kind string `json:"kind"`
	Key  []byte `json:"key,omitempty"`
}

// TrustKey is the kind of trust in which one key signs.
const TrustKey = "key"

// ParseRegistry reads registry.json.
func ParseRegistry(data []byte) (*Registry, error) {
	r, err := decode[Registry]("registry document", data, smallDocument)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("registry document", r.Schema, RegistrySchema); err != nil {
		return nil, err
	}
	if r.Trust.Kind != TrustKey {
		return nil, fmt.Errorf("registry has trust of the unknown kind %s", spec.Quote(r.Trust.Kind))
	}
	if _, err := ParseKey(r.Trust.Key); err != nil {
		return nil, fmt.Errorf("registry document: %w", err)
	}
	return r, nil
}

// ParseKey reads an ECDSA P-256 public key from SubjectPublicKeyInfo in DER.
func ParseKey(der []byte) (*ecdsa.PublicKey, error) {
	k, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, fmt.Errorf("public key is not readable: %s", spec.Quote(err.Error()))
	}
	pub, ok := k.(*ecdsa.PublicKey)
	if !ok || pub.Curve != elliptic.P256() {
		return nil, errors.New("public key is not an ECDSA key on P-256")
	}
	return pub, nil
}

// KeyHint is how a bundle names the key that signed it: the SHA-256 of the
// SubjectPublicKeyInfo in base64, as cosign writes it.
func KeyHint(der []byte) string {
	h := sha256.Sum256(der)
	return base64.StdEncoding.EncodeToString(h[:])
}
