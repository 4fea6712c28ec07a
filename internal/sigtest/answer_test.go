package sigtest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
)

// TestNonsense gets the status that the real services have for it.
func TestNonsense(t *testing.T) {
	v := instance(t, sigtest.Options{}).Serve(t, claims)
	config, err := root.NewSigningConfigFromJSON(v.SigningConfig)
	if err != nil {
		t.Fatal(err)
	}
	fulcio := config.FulcioCertificateAuthorityURLs()[0].URL + "/api/v2/signingCert"
	rekor := config.RekorLogURLs()[0].URL + "/api/v2/log/entries"
	if config, err = root.NewSigningConfigFromJSON(v.SigningConfigV1); err != nil {
		t.Fatal(err)
	}
	older := config.RekorLogURLs()[0].URL + "/api/v1/log/entries"
	token, err := fetchToken(t, v.TokenURL+"&audience=sigstore", v.RequestToken)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	public, err := keys.GetPublicKeyPem()
	if err != nil {
		t.Fatal(err)
	}
	request := func(subject string) string {
		proof, _, err := keys.SignData(t.Context(), []byte(subject))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"publicKeyRequest":{"publicKey":{"algorithm":"ECDSA","content":%q},"proofOfPossession":%q}}`, public, base64.StdEncoding.EncodeToString(proof))
	}
	for _, one := range []struct {
		url, body string
		want      int
	}{
		{fulcio, request(claims.Subject), http.StatusOK},
		{fulcio, request("repo:evil/tools:ref:refs/heads/main"), http.StatusBadRequest},
		{fulcio, "{", http.StatusBadRequest},
		{fulcio, "{}", http.StatusBadRequest},
		{fulcio, `{"publicKeyRequest":{"publicKey":{"content":"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"}}}`, http.StatusBadRequest},
		{config.TimestampAuthorityURLs()[0].URL, "no query", http.StatusBadRequest},
		{rekor, "{", http.StatusBadRequest},
		{rekor, "{}", http.StatusBadRequest},
		{rekor, `{"hashedRekordRequestV002":{}}`, http.StatusBadRequest},
		{rekor, strings.Repeat(" ", 1<<20+1), http.StatusBadRequest},
		{rekor + "/1", "{}", http.StatusNotFound},
		{older, "{", http.StatusBadRequest},
		{older, `{"kind":"hashedrekord","apiVersion":"0.0.1","spec":{}}`, http.StatusBadRequest},
		{older, `{"kind":"dsse","apiVersion":"0.0.1","spec":{"proposedContent":{"envelope":"{}","verifiers":["AAAA"]}}}`, http.StatusBadRequest},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, one.url, strings.NewReader(one.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != one.want {
			t.Errorf("%s of %.60q: %s, want %d", one.url, one.body, answer.Status, one.want)
		}
	}
}

// TestLoggedTwice: the log takes an entry once, as the real one does, so that who
// sends a signature again after a lost answer sees what there is to see.
func TestLoggedTwice(t *testing.T) {
	v := instance(t, sigtest.Options{}).Serve(t, claims)
	token, err := fetchToken(t, v.TokenURL+"&audience=sigstore", v.RequestToken)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, v, token)
	o.TransparencyLogs = append(o.TransparencyLogs, o.TransparencyLogs[0])
	_, err = sign.Bundle(&sign.PlainData{Data: artifact}, keys, o)
	if err == nil || !strings.Contains(err.Error(), "409") || !strings.Contains(err.Error(), "index 0") {
		t.Errorf("the second entry: %v", err)
	}
	o.TransparencyLogs = o.TransparencyLogs[:1]
	if _, err := sign.Bundle(&sign.PlainData{Data: artifact}, keys, o); err != nil {
		t.Errorf("another signature: %v", err)
	}
}
