package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Digest is a SHA-256. It prints as 64 lower-case hexadecimal digits, and so
// it stands in every document; [Digest.String] puts "sha256:" before them.
type Digest [sha256.Size]byte

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest { return sha256.Sum256(b) }

// ParseDigest reads 64 lower-case hexadecimal digits, with or without
// "sha256:" before them.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	const prefix = "sha256:"
	h := s
	if len(h) > len(prefix) && h[:len(prefix)] == prefix {
		h = h[len(prefix):]
	}
	if len(h) != hex.EncodedLen(len(d)) {
		return Digest{}, fmt.Errorf("digest %s is not a SHA-256 in hexadecimal", Quote(s))
	}
	for i := range len(h) {
		if c := h[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return Digest{}, fmt.Errorf("digest %s is not lower-case hexadecimal", Quote(s))
		}
	}
	if _, err := hex.Decode(d[:], []byte(h)); err != nil {
		return Digest{}, err
	}
	return d, nil
}

// Hex returns the 64 digits alone.
func (d Digest) Hex() string { return hex.EncodeToString(d[:]) }

func (d Digest) String() string { return "sha256:" + d.Hex() }

// Short is the first twelve digits, for people.
func (d Digest) Short() string { return d.Hex()[:12] }

// IsZero tells whether the digest was never set.
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText writes the 64 digits.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.Hex()), nil }

// UnmarshalText reads exactly the form that MarshalText writes.
func (d *Digest) UnmarshalText(b []byte) error {
	if len(b) != hex.EncodedLen(len(d)) {
		return fmt.Errorf("digest %s is not 64 hexadecimal digits", Quote(string(b)))
	}
	p, err := ParseDigest(string(b))
	if err != nil {
		return err
	}
	*d = p
	return nil
}
