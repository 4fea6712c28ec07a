package keyless_test

import (
	"bytes"
	"crypto/x509/pkix"
	"encoding/json"
	"slices"
	"testing"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	sigstore "github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/verify"
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

// TestOracleAgrees: what sigstore-go is stricter in than the parts that are used
// here. Each has a twin that both accept.
func TestOracleAgrees(t *testing.T) {
	in := newInstance(t, sigtest.Options{})
	own := sigtest.GitHub("acme", "tools")
	good := in.sign(statement(), own, sigtest.OlderLog)
	in.accepts(good)
	for _, end := range []string{`\n"`, `\n— other.test AAAAAAAAAAAAAAAA\n"`} {
		// The checkpoint is the one text of a bundle that ends a line.
		head, tail, found := bytes.Cut(good, []byte(`\n"`))
		changed := slices.Concat(head, []byte(end), tail)
		switch theirs := in.oracle(changed); {
		case !found || theirs == nil != bytes.Equal(good, changed):
			t.Errorf("a checkpoint that ends in %s: sigstore-go says %v", end, theirs)
		case theirs == nil:
			in.accepts(changed)
		default:
			in.refuses(changed, verify.ReasonLog)
		}
	}

	odd := func(id ...int) []byte {
		return in.sign(statement(), own, sigtest.Extension(pkix.Extension{Id: id, Value: []byte{0x30, 0x01}}))
	}
	in.accepts(odd(1, 3, 6, 1, 4, 1, 57264, 2)) // nobody reads it
	addresses := odd(1, 3, 6, 1, 5, 5, 7, 1, 7)
	if in.oracle(addresses) == nil {
		t.Error("sigstore-go accepts IP address blocks that are none")
	}
	in.refuses(addresses, verify.ReasonCertificate)

	var trusted map[string]any
	data, err := in.TrustedRoot()
	if err != nil || json.Unmarshal(data, &trusted) != nil {
		t.Fatal(err)
	}
	chain := trusted["timestampAuthorities"].([]any)[0].(map[string]any)["certChain"].(map[string]any)
	chain["certificates"] = chain["certificates"].([]any)[:1]
	if data, err = json.Marshal(trusted); err != nil {
		t.Fatal(err)
	}
	alone := *in
	alone.theirs = theirs(t, data)
	if alone.policy.Sigstore, err = keyless.ParseRoot(data); err != nil {
		t.Fatal(err)
	}
	if alone.oracle(good) == nil {
		t.Error("sigstore-go accepts a timestamp authority that nobody stands above")
	}
	alone.refuses(good, verify.ReasonTime)
}
