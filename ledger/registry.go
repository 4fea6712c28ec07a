package ledger

import (
	"bytes"
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
// as SubjectPublicKeyInfo in DER, kind "keyless" the identity of a workflow.
type Trust struct {
	Kind     string    `json:"kind"`
	Key      []byte    `json:"key,omitempty"`
	Identity *Identity `json:"identity,omitempty"`
}

// The kinds of trust.
const (
	TrustKey     = "key"     // one key signs, and the registry's log replaces Rekor
	TrustKeyless = "keyless" // a workflow signs through Sigstore
)

// Check tells why nothing can be compared with the trust, or nil.
func (t *Trust) Check() error { return t.check((*Identity).Check) }

// CheckTemplate is Check for trust whose identity may lack its numbers, as the
// document of a registry that was not published yet.
func (t *Trust) CheckTemplate() error { return t.check((*Identity).CheckTemplate) }

func (t *Trust) check(identity func(*Identity) error) error {
	switch t.Kind {
	case TrustKey:
		if t.Identity != nil {
			return errors.New("trust in a key has an identity as well")
		}
		_, err := ParseKey(t.Key)
		return err
	case TrustKeyless:
		if len(t.Key) > 0 {
			return errors.New("keyless trust has a key")
		}
		return identity(t.Identity)
	}
	return fmt.Errorf("trust is of the unknown kind %s", spec.Quote(t.Kind))
}

// Digest identifies the trust: the SHA-256 of a key, or of the canonical
// identity.
func (t *Trust) Digest() spec.Digest {
	if t.Kind == TrustKey {
		return spec.DigestOf(t.Key)
	}
	return spec.DigestOf(Encode(t.Identity))
}

// Equal tells whether both trust the same signer in the same way.
func (t *Trust) Equal(o *Trust) bool { return bytes.Equal(Encode(t), Encode(o)) }

// Fits tells whether nothing that t says contradicts the pinned trust. A client
// pins fields of an identity that a registry need not state of itself.
func (t *Trust) Fits(pinned *Trust) bool {
	if t.Kind != pinned.Kind || !bytes.Equal(t.Key, pinned.Key) || (t.Identity == nil) != (pinned.Identity == nil) {
		return false
	}
	if t.Identity == nil {
		return true
	}
	want := pinned.Identity.Fields()
	for i, f := range t.Identity.Fields() {
		if f.Value != "" && f != want[i] {
			return false
		}
	}
	return true
}

// ParseRegistry reads registry.json.
func ParseRegistry(data []byte) (*Registry, error) {
	r, err := decode[Registry]("registry document", data, smallDocument)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("registry document", r.Schema, RegistrySchema); err != nil {
		return nil, err
	}
	if err := r.Trust.CheckTemplate(); err != nil {
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
