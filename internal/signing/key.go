package signing

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Key signs for a registry that trusts one key.
type Key struct {
	private *ecdsa.PrivateKey
	public  []byte // SubjectPublicKeyInfo, DER
}

const pemType = "PRIVATE KEY"

// NewKey makes a key.
func NewKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return newKey(private)
}

func newKey(private *ecdsa.PrivateKey) (*Key, error) {
	public, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		return nil, err
	}
	return &Key{private, public}, nil
}

// LoadKey reads a key file. One that others can read is refused.
func LoadKey(path string) (*Key, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "no_key", "there is no key at %q", path).
			Hint("name the registry's key file with --key, or make a registry with 'patch-git registry init'")
	case err != nil:
		return nil, fault.New(fault.Unavailable, "key", "reading key: %w", err)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fault.New(fault.Denied, "key_mode", "key %q can be read by others (mode %04o)", path, info.Mode().Perm()).
			Hint("chmod 600 %q", path)
	}
	data, err := durable.ReadFile(path, limits.ManifestBytes)
	if err != nil {
		return nil, err
	}
	block, rest := pem.Decode(data)
	if block == nil || block.Type != pemType || len(rest) != 0 {
		return nil, fault.New(fault.Usage, "key_format", "key %q is not one PEM block of type %q", path, pemType)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fault.New(fault.Usage, "key_format", "key %q is not readable: %w", path, err)
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, fault.New(fault.Usage, "key_format", "key %q is not an ECDSA key on P-256", path)
	}
	return newKey(private)
}

// Save writes the key to a file of mode 0600; an existing file is kept and
// refused, because a lost signing key cannot be replaced.
func (k *Key) Save(path string) error {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		return err
	}
	return durable.WriteImmutable(path, pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der}), 0o600)
}

// Trust is what clients pin to accept this key.
func (k *Key) Trust() ledger.Trust { return ledger.Trust{Kind: ledger.TrustKey, Key: k.public} }

// Sign returns a bundle over the statement.
func (k *Key) Sign(ctx context.Context, s *ledger.Statement) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	payload := ledger.Encode(s)
	sig, err := k.SignRaw(ledger.PAE(ledger.PayloadType, payload))
	if err != nil {
		return nil, err
	}
	bundle := ledger.Encode(ledger.NewBundle(ledger.KeyHint(k.public), payload, sig))
	return bundle, k.check(bundle, payload)
}

// SignRaw returns the bare signature over bytes of the caller's; what it means
// and whether anybody accepts it is the caller's to know.
func (k *Key) SignRaw(msg []byte) ([]byte, error) { return ledger.SignECDSA(k.private, msg) }

// check reads the bundle back as a client does: a bundle that would be refused
// must not be published.
func (k *Key) check(bundle, payload []byte) error {
	b, err := ledger.ParseBundle(bundle)
	if err != nil {
		return err
	}
	if _, err := ledger.ParseStatement(b.Envelope.Payload); err != nil {
		return err
	}
	if !ledger.VerifyECDSA(&k.private.PublicKey, ledger.PAE(ledger.PayloadType, payload), b.Envelope.Signatures[0].Sig) {
		return errors.New("the signature that was just made does not verify")
	}
	return nil
}

// SignCheckpoint returns a signed note over the root of the registry's log.
func (k *Key) SignCheckpoint(ctx context.Context, registry spec.RegistryName, root ledger.LogRoot) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n, err := ledger.SignCheckpoint(registry, root, k.public, k.SignRaw)
	if err != nil {
		return nil, err
	}
	_, err = ledger.OpenCheckpoint(n, registry, k.public)
	return n, err
}
