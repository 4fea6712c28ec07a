package keyless

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/digitorus/timestamp"
	"github.com/sigstore/rekor/pkg/generated/models"
	"github.com/sigstore/rekor/pkg/tle"
	"github.com/sigstore/sigstore/pkg/oauthflow"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
)

// witness remembers the last request and what was answered to it.
type witness struct{ query, answer []byte }

func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	var err error
	if w.query, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(w.query))
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if w.answer, err = io.ReadAll(resp.Body); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(w.answer))
	return resp, nil
}

// scene is a signer halfway: it has a key, a signature and a certificate.
type scene struct {
	*Workflow

	witness
	token string
	key   *ecdsa.PrivateKey
	made  *signed
}

func newScene(f *testing.F, config func(*sigtest.Server) []byte) *scene {
	f.Helper()
	instance, err := sigtest.New(sigtest.Options{})
	if err != nil {
		f.Fatal(err)
	}
	v := instance.Serve(f, sigtest.GitHub("acme", "tools"))
	s := &scene{made: &signed{payload: []byte("{}\n")}}
	token := GitHubToken(func(k string) string {
		return map[string]string{tokenURLVariable: v.TokenURL, tokenSecretVariable: v.RequestToken}[k]
	}, &http.Client{})
	s.Workflow, err = NewWorkflow(WorkflowOptions{
		Token: token, Config: config(v), HTTP: &http.Client{Transport: &s.witness}, Now: time.Now,
		Check: func([]byte, *ledger.Statement) error { return nil },
	})
	if err != nil {
		f.Fatal(err)
	}
	if s.token, err = token(f.Context()); err != nil {
		f.Fatal(err)
	}
	if s.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		f.Fatal(err)
	}
	if s.made.sig, err = signature(s.key, ledger.PAE(ledger.PayloadType, s.made.payload)); err != nil {
		f.Fatal(err)
	}
	if s.made.leaf, err = s.certify(f.Context(), s.token, s.key); err != nil {
		f.Fatal(err)
	}
	return s
}

func newest(v *sigtest.Server) []byte { return v.SigningConfig }
func older(v *sigtest.Server) []byte  { return v.SigningConfigV1 }

// FuzzCertificate: whatever the authority answers, no certificate comes out but
// one for the key.
func FuzzCertificate(f *testing.F) {
	s := newScene(f, newest)
	f.Add(s.answer)
	f.Add(bytes.Replace(s.answer, []byte("Embedded"), []byte("Detached"), 1))
	f.Add([]byte(`{"signedCertificateEmbeddedSct":{"chain":{"certificates":["-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"]}}}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		leaf, err := parseCertificate(answer, &s.key.PublicKey)
		if (leaf == nil) == (err == nil) || leaf != nil && !s.key.PublicKey.Equal(leaf.PublicKey) {
			t.Errorf("got %v and %v", leaf, err)
		}
	})
}

// FuzzStamp: no timestamp passes that is about something else.
func FuzzStamp(f *testing.F) {
	s := newScene(f, newest)
	if _, err := s.stamp(f.Context(), s.stamps[0], s.made.sig); err != nil {
		f.Fatal(err)
	}
	q, err := timestamp.ParseRequest(s.query)
	if err != nil || q.Nonce == nil || !q.Certificates {
		f.Fatalf("asked was %+v, %v", q, err)
	}
	f.Add(s.answer)
	f.Add(s.answer[:len(s.answer)/2])
	f.Add([]byte("\x30\x05\x30\x03\x02\x01\x02"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if checkStamp(answer, q) == nil && (!bytes.Contains(answer, q.HashedMessage) || !bytes.Contains(answer, q.Nonce.Bytes())) {
			t.Errorf("a timestamp about something else: %x", answer)
		}
	})
}

// FuzzRekorV1: what comes out can stand in a bundle, and is what Rekor's own
// code makes of the same answer.
func FuzzRekorV1(f *testing.F) {
	s := newScene(f, older)
	for range 3 { // so that there is a path to the root
		var err error
		if s.made.sig, err = signature(s.key, ledger.PAE(ledger.PayloadType, s.made.payload)); err != nil {
			f.Fatal(err)
		}
		if _, err := s.enter(f.Context(), s.logs[0], s.made); err != nil {
			f.Fatal(err)
		}
		if theirsV1(s.answer) == nil {
			f.Fatalf("Rekor's own code does not read %s", s.answer)
		}
		f.Add(s.answer)
	}
	f.Add([]byte(`{"a":{},"b":{}}`))
	f.Add([]byte(`{"a":{"body":"e30=","logID":"abc","verification":{"inclusionProof":{"hashes":[null],"checkpoint":"x"},"signedEntryTimestamp":"AA=="}}}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		ours, err := parseEntryV1(answer)
		if (ours == nil) == (err == nil) {
			t.Fatalf("got %v and %v", ours, err)
		}
		if ours == nil {
			return
		}
		if _, err := protojson.Marshal(ours); err != nil {
			t.Error(err)
		}
		if theirs := theirsV1(answer); theirs != nil && !proto.Equal(ours, theirs) {
			t.Errorf("ours is %v, Rekor's %v", ours, theirs)
		}
	})
}

// theirsV1 is nil where Rekor's own code does not read an answer.
func theirsV1(answer []byte) proto.Message {
	var doc map[string]models.LogEntryAnon
	if json.Unmarshal(answer, &doc) != nil {
		return nil
	}
	for _, e := range doc {
		if e.Validate(nil) != nil || e.Verification == nil || e.Verification.InclusionProof == nil {
			return nil // it follows pointers without a look
		}
		if m, err := tle.GenerateTransparencyLogEntry(e); err == nil {
			return m
		}
	}
	return nil
}

// FuzzRekorV2: what comes out can stand in a bundle.
func FuzzRekorV2(f *testing.F) {
	s := newScene(f, newest)
	if _, err := s.enter(f.Context(), s.logs[0], s.made); err != nil {
		f.Fatal(err)
	}
	f.Add(s.answer)
	f.Add([]byte(`{"logIndex":"-1","inclusionProof":{"hashes":[null]},"x":1}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		e, err := parseEntryV2(answer)
		if (e == nil) == (err == nil) {
			t.Fatalf("got %v and %v", e, err)
		}
		if _, err := protojson.Marshal(e); err != nil {
			t.Error(err)
		}
	})
}

// FuzzTokenSubject: a token names whom sigstore-go takes it to name.
func FuzzTokenSubject(f *testing.F) {
	for _, claims := range []string{
		`{"sub":"repo:acme/tools"}`, `{"sub":"x","email":"a@example.com","email_verified":true}`, `{"email":"a@example.com","email_verified":"true"}`,
		`{"sub":"x","email":"a@example.com"}`, `{"sub":"x","email":"a@example.com","email_verified":"false"}`, `{}`, `null`, `[]`, `{"sub":1}`, ``,
	} {
		f.Add([]byte(claims))
	}
	f.Fuzz(func(t *testing.T, claims []byte) {
		ours, err := tokenSubject("e30." + base64.RawURLEncoding.EncodeToString(claims) + ".sig")
		if (ours == "") == (err == nil) {
			t.Fatalf("got %q and %v", ours, err)
		}
		if theirs, no := oauthflow.SubjectFromUnverifiedToken(claims); err == nil && no == nil && ours != theirs {
			t.Errorf("got %q, sigstore-go %q", ours, theirs)
		}
	})
}

func TestTokenSubject(t *testing.T) {
	body := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"repo:acme/tools"}`))
	if who, err := tokenSubject("e30." + body + ".sig"); who != "repo:acme/tools" || err != nil {
		t.Errorf("got %q, %v", who, err)
	}
	for _, bad := range []string{"", "e30", "e30." + body, "e30.?." + body, "e30..", "..", "e30.e30.sig"} {
		if who, err := tokenSubject(bad); who != "" || err == nil {
			t.Errorf("%q names %q", bad, who)
		}
	}
}
