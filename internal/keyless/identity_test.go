package keyless_test

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"testing"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/verify"
)

// name is one of a certificate's names, of the kind that the tag says.
func name(tag int, text string) asn1.RawValue {
	return asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: tag, Bytes: []byte(text)}
}

// TestNames: the name of a certificate counts as it is spelled, and as the only
// one.
func TestNames(t *testing.T) {
	const uri, numbers = 6, 8
	in := newInstance(t, sigtest.Options{})
	own := ledger.GitHubIdentity(registryName).SAN
	signed := func(names ...asn1.RawValue) []byte {
		value, err := asn1.Marshal(names)
		if err != nil {
			t.Fatal(err)
		}
		return in.sign(statement(), sigtest.GitHub("acme", "tools"),
			sigtest.Extension(pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: value}))
	}
	in.accepts(signed(name(uri, own)))
	for _, other := range []string{own + "#", "HTTPS" + own[len("https"):], own + "?", "https://github.com/acme/tools/.github/workflows/%70ublish.yml@refs/heads/main"} {
		in.refuses(signed(name(uri, other)), "identity:san")
	}
	in.refuses(signed(name(uri, own), name(uri, own)), verify.ReasonCertificate)
	in.refuses(signed(name(uri, own), name(numbers, "\x2a\x03")), verify.ReasonCertificate)
	in.refuses(signed(name(numbers, "\x2a\x03"), name(uri, own)), verify.ReasonCertificate)
	in.refuses(signed(name(2, "acme.example")), verify.ReasonCertificate)
}
