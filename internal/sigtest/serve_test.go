package sigtest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sigtest"
	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"google.golang.org/protobuf/encoding/protojson"
)

// fetchToken gets a job's token as @actions/core does.
func fetchToken(t *testing.T, url, requestToken string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "bearer "+requestToken)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return "", errors.Join(err, fmt.Errorf("%s: %s", answer.Status, text))
	}
	var token struct{ Value string }
	return token.Value, json.Unmarshal(text, &token)
}

// options are what production code makes of a signing configuration.
func options(t *testing.T, v *sigtest.Server, token string) sign.BundleOptions {
	t.Helper()
	config, err := root.NewSigningConfigFromJSON(v.SigningConfig)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	fulcio, err := root.SelectService(config.FulcioCertificateAuthorityURLs(), sign.FulcioAPIVersions, now)
	if err != nil {
		t.Fatal(err)
	}
	o := sign.BundleOptions{
		Context:                    t.Context(),
		CertificateProvider:        sign.NewFulcio(&sign.FulcioOptions{BaseURL: fulcio.URL}),
		CertificateProviderOptions: &sign.CertificateProviderOptions{IDToken: token},
	}
	stamps, err := root.SelectServices(config.TimestampAuthorityURLs(), config.TimestampAuthorityURLsConfig(), sign.TimestampAuthorityAPIVersions, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stamps {
		o.TimestampAuthorities = append(o.TimestampAuthorities, sign.NewTimestampAuthority(&sign.TimestampAuthorityOptions{URL: s.URL}))
	}
	logs, err := root.SelectServices(config.RekorLogURLs(), config.RekorLogURLsConfig(), sign.RekorAPIVersions, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range logs {
		o.TransparencyLogs = append(o.TransparencyLogs, sign.NewRekor(&sign.RekorOptions{BaseURL: s.URL, Version: s.MajorAPIVersion}))
	}
	return o
}

// publish signs as a job of GitHub Actions does.
func publish(t *testing.T, v *sigtest.Server) (*protobundle.Bundle, error) {
	t.Helper()
	token, err := fetchToken(t, v.TokenURL+"&audience=sigstore", v.RequestToken)
	if err != nil {
		return nil, err
	}
	return publishWith(t, v, token)
}

func publishWith(t *testing.T, v *sigtest.Server, token string) (*protobundle.Bundle, error) {
	t.Helper()
	keys, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		return nil, err
	}
	return sign.Bundle(&sign.DSSEData{Data: statement(), PayloadType: "application/vnd.in-toto+json"}, keys, options(t, v, token))
}

func accepted(t *testing.T, v *sigtest.Server, b *protobundle.Bundle, c sigtest.Claims) error {
	t.Helper()
	raw, err := protojson.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	_, err = open(v.TrustedRoot, raw, c)
	return err
}

func requests(t *testing.T, v *sigtest.Server, token, fulcio, tsa, rekor int) {
	t.Helper()
	for service, want := range map[string]int{
		sigtest.ServiceToken: token, sigtest.ServiceFulcio: fulcio, sigtest.ServiceTSA: tsa, sigtest.ServiceRekor: rekor,
	} {
		if got := v.Requests(service); got != want {
			t.Errorf("%s got %d requests, want %d", service, got, want)
		}
	}
}

// TestServe: sigstore-go's signing code finds what it finds at the real services.
func TestServe(t *testing.T) {
	for _, p384 := range []bool{false, true} {
		t.Run(fmt.Sprintf("P384=%v", p384), func(t *testing.T) {
			c := sigtest.GitHub("acme", "tools")
			c.Environment = "publish"
			v := instance(t, sigtest.Options{P384: p384}).Serve(t, c)
			n := 0
			for _, config := range [][]byte{v.SigningConfig, v.SigningConfigV1} {
				v.SigningConfig = config
				for range 3 {
					b, err := publish(t, v)
					if err != nil {
						t.Fatal(err)
					}
					if err := accepted(t, v, b, c); err != nil {
						t.Error(err)
					}
					n++
					requests(t, v, n, n, n, n)
				}
			}
		})
	}
}

// TestServeMisbehaves as Sign does, until it is told to stop.
func TestServeMisbehaves(t *testing.T) {
	v := instance(t, sigtest.Options{}).Serve(t, claims)
	misbehaves(t, v)
	v.SigningConfig = v.SigningConfigV1
	misbehaves(t, v)
}

func misbehaves(t *testing.T, v *sigtest.Server) {
	t.Helper()
	for name, change := range map[string]sigtest.Change{
		"NoSCT": sigtest.NoSCT, "ForeignSCT": sigtest.ForeignSCT, "LogOtherDigest": sigtest.LogOtherDigest,
		"TimestampAt": sigtest.TimestampAt(time.Now().Add(time.Hour)), "SAN": sigtest.SAN("https://github.com/acme/other"),
		"WithoutExtension": sigtest.WithoutExtension(15),
	} {
		v.Misbehave(change)
		b, err := publish(t, v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := accepted(t, v, b, claims); err == nil {
			t.Errorf("%s: accepted", name)
		}
		v.Misbehave()
		if b, err = publish(t, v); err != nil {
			t.Fatalf("after %s: %v", name, err)
		}
		if err := accepted(t, v, b, claims); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
}

// TestToken: only the job gets one, and Fulcio takes only its own.
func TestToken(t *testing.T) {
	var later atomic.Int64
	s := instance(t, sigtest.Options{Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }})
	v := s.Serve(t, claims)
	if _, err := fetchToken(t, v.TokenURL+"&audience=sigstore", "guessed"); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("with another request token: %v", err)
	}
	token := func(url, from string) string {
		t.Helper()
		got, err := fetchToken(t, url, from)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	good := token(v.TokenURL+"&audience=sigstore", v.RequestToken)
	other := s.Serve(t, claims)
	head, rest, _ := strings.Cut(good, ".")
	body, sig, _ := strings.Cut(rest, ".")
	text, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		t.Fatal(err)
	}
	forged := head + "." + base64.RawURLEncoding.EncodeToString(bytes.ReplaceAll(text, []byte("acme"), []byte("evil"))) + "." + sig
	for name, bad := range map[string]string{
		"of no audience":            token(v.TokenURL, v.RequestToken),
		"of another audience":       token(v.TokenURL+"&audience=pypi", v.RequestToken),
		"of another issuer":         token(other.TokenURL+"&audience=sigstore", other.RequestToken),
		"with other claims":         forged,
		"without a signature":       head + "." + body + ".",
		"without a signature's dot": head + "." + body,
	} {
		if _, err := publishWith(t, v, bad); err == nil || !strings.Contains(err.Error(), "Fulcio returned 401") {
			t.Errorf("a token %s: %v", name, err)
		}
	}
	if _, err := publishWith(t, v, good); err != nil {
		t.Errorf("the token as it was: %v", err)
	}
	later.Store(int64(time.Hour))
	if _, err := publishWith(t, v, good); err == nil || !strings.Contains(err.Error(), "not valid now") {
		t.Errorf("an old token: %v", err)
	}
}

// TestFailures come from the service that was told to fail, as often as stated.
func TestFailures(t *testing.T) {
	v := instance(t, sigtest.Options{}).Serve(t, claims)
	for _, one := range []struct {
		service string
		status  int
		says    string
	}{
		{sigtest.ServiceToken, http.StatusServiceUnavailable, "503"},
		{sigtest.ServiceFulcio, http.StatusForbidden, "Fulcio returned 403"},
		{sigtest.ServiceTSA, http.StatusNotFound, "timestamp authority returned 404"},
		{sigtest.ServiceRekor, http.StatusInternalServerError, "500"},
	} {
		v.FailNext(one.service, 2, one.status)
		for range 2 {
			if _, err := publish(t, v); err == nil || !strings.Contains(err.Error(), one.says) {
				t.Errorf("%s: %v", one.service, err)
			}
		}
		if _, err := publish(t, v); err != nil {
			t.Errorf("%s, after its failures: %v", one.service, err)
		}
	}
	requests(t, v, 12, 10, 8, 6)
}

// TestDelay holds a service's answers back, but not the end of the test.
func TestDelay(t *testing.T) {
	var unanswered sync.WaitGroup
	t.Cleanup(unanswered.Wait) // after the servers have ended
	v := instance(t, sigtest.Options{}).Serve(t, claims)
	const pause = 30 * time.Millisecond
	v.Delay(sigtest.ServiceToken, pause)
	began := time.Now()
	if _, err := publish(t, v); err != nil || time.Since(began) < pause {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	v.Delay(sigtest.ServiceToken, 0)
	// Nothing but its timeout ends a request of sigstore-go's to Fulcio.
	v.Delay(sigtest.ServiceFulcio, time.Hour)
	unanswered.Go(func() { _, _ = publish(t, v) })
	for v.Requests(sigtest.ServiceFulcio) < 2 {
		time.Sleep(time.Millisecond)
	}
}
