package keyless_test

import (
	"bytes"
	"testing"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	sigstore "github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
)

// theirs is sigstore-go's own verifier. The product goes its own way through
// the parts of a bundle, because linking that verifier costs every start of the
// program more than it has; but what the product accepts, the verifier has to
// accept too, always.
func theirs(tb testing.TB, trustedRoot []byte) *sigstore.Verifier {
	tb.Helper()
	material, err := root.NewTrustedRootFromJSON(trustedRoot)
	if err != nil {
		tb.Fatal(err)
	}
	v, err := sigstore.NewVerifier(material,
		sigstore.WithSignedCertificateTimestamps(1), sigstore.WithTransparencyLog(1), sigstore.WithSignedTimestamps(1))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// oracle asks sigstore-go about a bundle.
func (in *instance) oracle(data []byte) error {
	var b bundle.Bundle
	if err := b.UnmarshalJSON(data); err != nil {
		return err
	}
	_, err := in.theirs.Verify(&b, sigstore.NewPolicy(sigstore.WithoutArtifactUnsafe(), sigstore.WithoutIdentitiesUnsafe()))
	return err
}

// TestOracle changes a good bundle in many places, one at a time: what is still
// accepted afterwards, sigstore-go accepts as well, and it says the same.
func TestOracle(t *testing.T) {
	j := newJob(t, sigtest.GitHub("acme", "tools"))
	for name, config := range map[string][]byte{"rekor v1": j.server.SigningConfigV1, "rekor v2": j.server.SigningConfig} {
		t.Run(name, func(t *testing.T) {
			j.opts.Config = config
			good, err := j.workflow(t).Sign(t.Context(), statement())
			if err != nil {
				t.Fatal(err)
			}
			accepted, refused := 0, 0
			for at := 0; at < len(good); at += 11 {
				for _, with := range []byte{good[at] ^ 1, good[at] ^ 0x20, '9', 'A', '"'} {
					changed := bytes.Clone(good)
					changed[at] = with
					s, err := j.policy.Evidence(changed, subject, ledger.PredicateAcceptance)
					if err != nil {
						refused++
						continue
					}
					accepted++
					if err := j.oracle(changed); err != nil {
						t.Errorf("byte %d as %q is accepted, and sigstore-go says: %v", at, with, err)
					}
					if !bytes.Equal(ledger.Encode(s), ledger.Encode(statement())) {
						t.Errorf("byte %d as %q: a statement that nobody signed", at, with)
					}
				}
			}
			t.Logf("%d changes refused, %d without effect", refused, accepted)
		})
	}
}
