package keyless_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/verify"
)

// message is a signed message of CMS in a response of RFC 3161, as far as it is
// needed to make the reader work.
type message struct {
	Status struct{ Code int }
	Token  struct {
		Type   asn1.ObjectIdentifier
		Signed struct {
			Version int
			Digests []pkix.AlgorithmIdentifier `asn1:"set"`
			Content struct {
				Type asn1.ObjectIdentifier
				Text []byte `asn1:"explicit,tag:0"`
			}
			Certificates asn1.RawValue
			Signers      []signerInfo `asn1:"set"`
		} `asn1:"explicit,tag:0"`
	}
}

type signerInfo struct {
	Version int
	By      struct {
		Issuer asn1.RawValue
		Serial *big.Int
	}
	Digest, Signature pkix.AlgorithmIdentifier
	Value             []byte
}

// largeKey is a timestamp that is signed by an RSA key of so many bytes.
func largeKey(t *testing.T, size int) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public := &rsa.PublicKey{N: new(big.Int).SetBytes(bytes.Repeat([]byte{0xff}, size)), E: 1<<31 - 1}
	cert := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "x"}}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, public, key)
	if err != nil {
		t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	s := signerInfo{Version: 1, Value: bytes.Repeat([]byte{0x7f}, size)}
	s.By.Issuer, s.By.Serial = asn1.RawValue{FullBytes: cert.RawIssuer}, cert.SerialNumber
	s.Digest.Algorithm = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1} // SHA-256
	s.Signature.Algorithm = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}  // RSA
	var m message
	m.Token.Type = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2} // signed data
	m.Token.Signed.Content.Type = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
	m.Token.Signed.Certificates = asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: der}
	m.Token.Signed.Signers = []signerInfo{s}
	b, err := asn1.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// overlapping is a timestamp in which each element ends after the one around
// it, so that who reads on after each reads most of it again.
func overlapping(t *testing.T) []byte {
	t.Helper()
	b, err := asn1.Marshal(struct {
		Status struct{ Code int }
		Token  asn1.RawValue
	}{Token: asn1.RawValue{
		Tag: asn1.TagSequence, IsCompound: true,
		Bytes: append(bytes.Repeat([]byte{0x30, 0x24, 0x30, 0x20}, 100), make([]byte, 60)...),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// deep is one whose elements are each in another.
func deep(t *testing.T) []byte {
	t.Helper()
	b := []byte{0x05, 0x00}
	for range 3000 {
		var err error
		if b, err = asn1.Marshal(asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: b}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// TestSlowStamps: a timestamp is read before anybody knows who made it, and
// none is read for long. The twin of each is the one that was there.
func TestSlowStamps(t *testing.T) {
	in := newInstance(t, sigtest.Options{})
	good := in.sign(statement(), sigtest.GitHub("acme", "tools"))
	in.accepts(good)
	for name, stamp := range map[string][]byte{
		"elements that overlap": overlapping(t),
		"elements in elements":  deep(t),
		"a key of 720,000 bits": largeKey(t, 90_000),
		"a key of 56,000 bits":  largeKey(t, 7_000),
	} {
		t.Run(name, func(t *testing.T) {
			in := *in
			in.tb = t
			var b map[string]any
			if err := json.Unmarshal(good, &b); err != nil {
				t.Fatal(err)
			}
			stamps := b["verificationMaterial"].(map[string]any)["timestampVerificationData"].(map[string]any)["rfc3161Timestamps"].([]any)
			stamps[0].(map[string]any)["signedTimestamp"] = stamp
			data, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				in.refuses(data, verify.ReasonTime)
			}()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				t.Fatalf("a bundle of %d bytes is looked at for too long", len(data))
			}
		})
	}
}
