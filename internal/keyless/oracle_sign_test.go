package keyless_test

import (
	"testing"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
	sigstore "github.com/sigstore/sigstore-go/pkg/verify"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
)

// TestOracleSigns holds the signer against sigstore-go's: what theirs makes of the
// same services our policy accepts, and what ours makes their verifier does.
func TestOracleSigns(t *testing.T) {
	for name, config := range map[string]func(*sigtest.Server) []byte{
		"rekor v1": func(v *sigtest.Server) []byte { return v.SigningConfigV1 },
		"rekor v2": func(v *sigtest.Server) []byte { return v.SigningConfig },
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, sigtest.GitHub("acme", "tools"))
			j.opts.Config = config(j.server)
			for range 3 { // the log grows
				ours, err := j.workflow(t).Sign(t.Context(), statement())
				if err != nil {
					t.Fatal(err)
				}
				j.accepts(ours)
				if err := j.theySay(t, ours, j.policy.Trust.Identity.SAN); err != nil {
					t.Errorf("sigstore-go refuses ours: %v", err)
				}
				if err := j.theySay(t, ours, j.policy.Trust.Identity.SAN+"x"); err == nil {
					t.Error("sigstore-go accepts another name")
				}
				theirs, err := j.theySign(t)
				if err != nil {
					t.Fatal(err)
				}
				j.accepts(theirs)
			}
		})
	}
}

// theySign is what sigstore-go signs as the same job.
func (j *job) theySign(t *testing.T) ([]byte, error) {
	t.Helper()
	config, err := root.NewSigningConfigFromJSON(j.opts.Config)
	if err != nil {
		t.Fatal(err)
	}
	token, err := j.opts.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	key, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	log := config.RekorLogURLs()[0]
	b, err := sign.Bundle(&sign.DSSEData{Data: ledger.Encode(statement()), PayloadType: ledger.PayloadType}, key, sign.BundleOptions{
		Context:                    t.Context(),
		CertificateProvider:        sign.NewFulcio(&sign.FulcioOptions{BaseURL: config.FulcioCertificateAuthorityURLs()[0].URL}),
		CertificateProviderOptions: &sign.CertificateProviderOptions{IDToken: token},
		TimestampAuthorities: []*sign.TimestampAuthority{
			sign.NewTimestampAuthority(&sign.TimestampAuthorityOptions{URL: config.TimestampAuthorityURLs()[0].URL}),
		},
		TransparencyLogs: []sign.Transparency{sign.NewRekor(&sign.RekorOptions{BaseURL: log.URL, Version: log.MajorAPIVersion})},
	})
	if err != nil {
		return nil, err
	}
	return protojson.Marshal(b)
}

// theySay is what sigstore-go says of a bundle that somebody with the name
// should have signed: a logged certificate, a logged signature, a signed time.
func (j *job) theySay(t *testing.T, data []byte, san string) error {
	t.Helper()
	id, err := sigstore.NewShortCertificateIdentity(j.policy.Trust.Identity.Issuer, "", san, "")
	if err != nil {
		t.Fatal(err)
	}
	var b bundle.Bundle
	if err := b.UnmarshalJSON(data); err != nil {
		return err
	}
	_, err = j.theirs.Verify(&b, sigstore.NewPolicy(sigstore.WithoutArtifactUnsafe(), sigstore.WithCertificateIdentity(id)))
	return err
}
