package sigtest_test

import (
	"crypto/sha256"
	"encoding/asn1"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/fulcio/certificate"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
)

var (
	artifact = []byte("what a tool is made of")
	claims   = sigtest.GitHub("acme", "tools")
)

// statement is about the artifact.
func statement() []byte {
	return fmt.Appendf(nil, `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"tool","digest":{"sha256":"%x"}}],`+
		`"predicateType":"https://example.com/acceptance/v1","predicate":{}}`, sha256.Sum256(artifact))
}

func instance(tb testing.TB, o sigtest.Options) *sigtest.Sigstore {
	tb.Helper()
	s, err := sigtest.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func signed(tb testing.TB, s *sigtest.Sigstore, c sigtest.Claims, changes ...sigtest.Change) []byte {
	tb.Helper()
	raw, err := s.Sign(statement(), c, changes...)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func trusted(tb testing.TB, s *sigtest.Sigstore) []byte {
	tb.Helper()
	trust, err := s.TrustedRoot()
	if err != nil {
		tb.Fatal(err)
	}
	return trust
}

// strict asks for one of everything.
func strict() []verify.VerifierOption {
	return []verify.VerifierOption{verify.WithSignedCertificateTimestamps(1), verify.WithTransparencyLog(1), verify.WithSignedTimestamps(1)}
}

// open verifies a bundle as sigstore-go does for a client that knows exactly
// who must have signed: whoever has the claims.
func open(trust, raw []byte, c sigtest.Claims, want ...verify.VerifierOption) (*verify.VerificationResult, error) {
	tr, err := root.NewTrustedRootFromJSON(trust)
	if err != nil {
		return nil, err
	}
	if want == nil {
		want = strict()
	}
	v, err := verify.NewVerifier(tr, want...)
	if err != nil {
		return nil, err
	}
	san, err := verify.NewSANMatcher("https://github.com/"+c.JobWorkflowRef, "")
	if err != nil {
		return nil, err
	}
	issuer, err := verify.NewIssuerMatcher(c.Issuer, "")
	if err != nil {
		return nil, err
	}
	id, err := verify.NewCertificateIdentity(san, issuer, extensions(c))
	if err != nil {
		return nil, err
	}
	b := &bundle.Bundle{}
	if err := b.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	digest := sha256.Sum256(artifact)
	return v.Verify(b, verify.NewPolicy(verify.WithArtifactDigest("sha256", digest[:]), verify.WithCertificateIdentity(id)))
}

func extensions(c sigtest.Claims) certificate.Extensions {
	const gh = "https://github.com/"
	return certificate.Extensions{
		GithubWorkflowTrigger: c.EventName, GithubWorkflowSHA: c.SHA, GithubWorkflowName: ".github/workflows/publish.yml",
		GithubWorkflowRepository: c.Repository, GithubWorkflowRef: c.Ref,
		BuildSignerURI: gh + c.JobWorkflowRef, BuildSignerDigest: c.JobWorkflowSHA, RunnerEnvironment: c.RunnerEnvironment,
		SourceRepositoryURI: gh + c.Repository, SourceRepositoryDigest: c.SHA, SourceRepositoryRef: c.Ref,
		SourceRepositoryIdentifier: c.RepositoryID, SourceRepositoryOwnerURI: gh + c.RepositoryOwner,
		SourceRepositoryOwnerIdentifier: c.RepositoryOwnerID, BuildConfigURI: gh + c.WorkflowRef, BuildConfigDigest: c.WorkflowSHA,
		BuildTrigger: c.EventName, RunInvocationURI: gh + c.Repository + "/actions/runs/" + c.RunID + "/attempts/" + c.RunAttempt,
		SourceRepositoryVisibilityAtSigning: c.Visibility,
	}
}

// TestBundles are accepted, on both curves, with and without a statement, under
// their own instance's root alone.
func TestBundles(t *testing.T) {
	for _, p384 := range []bool{false, true} {
		t.Run(fmt.Sprintf("P384=%v", p384), func(t *testing.T) {
			s, other := instance(t, sigtest.Options{P384: p384}), instance(t, sigtest.Options{P384: p384})
			raw := signed(t, s, claims)
			res, err := open(trusted(t, s), raw, claims)
			if err != nil {
				t.Fatal(err)
			}
			if res.Statement.GetPredicateType() != "https://example.com/acceptance/v1" || len(res.VerifiedTimestamps) != 1 {
				t.Errorf("verified: %v, %v", res.Statement, res.VerifiedTimestamps)
			}
			if _, err := open(trusted(t, other), raw, claims); err == nil {
				t.Error("a bundle of another instance is accepted")
			}
			blob, err := s.SignBlob(artifact, claims)
			if err != nil {
				t.Fatal(err)
			}
			if res, err := open(trusted(t, s), blob, claims); err != nil || res.Statement != nil {
				t.Errorf("a blob: %v", err)
			}
		})
	}
}

// TestExtensions that sigstore-go does not read: they are there in the form that
// Fulcio gives them, if there is anything to say.
func TestExtensions(t *testing.T) {
	s := instance(t, sigtest.Options{})
	published := claims
	published.Environment = "publish"
	for _, one := range []struct {
		c       sigtest.Claims
		changes []sigtest.Change
		want    map[int]string
	}{
		{claims, nil, map[int]string{24: "\x0c\x37repo:acme@800000001/tools@900000001:ref:refs/heads/main", 8: "\x0c\x2b" + claims.Issuer, 1: claims.Issuer, 6: "refs/heads/main"}},
		{published, nil, map[int]string{23: "\x0c\x07publish"}},
		{published, []sigtest.Change{sigtest.WithoutExtension(23), sigtest.WithoutExtension(24)}, map[int]string{23: "", 24: ""}},
		{claims, nil, map[int]string{23: ""}},
		{sigtest.Claims{Issuer: claims.Issuer}, nil, map[int]string{1: claims.Issuer, 4: "", 9: "", 12: "", 16: "", 18: "", 21: "", 24: ""}},
	} {
		b := &bundle.Bundle{}
		if err := b.UnmarshalJSON(signed(t, s, one.c, one.changes...)); err != nil {
			t.Fatal(err)
		}
		content, err := b.VerificationContent()
		if err != nil {
			t.Fatal(err)
		}
		got := map[int]string{}
		for _, e := range content.Certificate().Extensions {
			arc := asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1}
			if len(e.Id) == len(arc)+1 && e.Id[:len(arc)].Equal(arc) {
				got[e.Id[len(arc)]] = string(e.Value)
			}
		}
		for n, want := range one.want {
			if got[n] != want {
				t.Errorf("extension %d is %q, want %q", n, got[n], want)
			}
		}
	}
}

// TestClock: an instance lives in its own time.
func TestClock(t *testing.T) {
	for _, year := range []int{2001, 2039} {
		now := time.Date(year, 3, 4, 5, 6, 7, 890, time.Local)
		s := instance(t, sigtest.Options{Now: func() time.Time { return now }})
		trust := trusted(t, s)
		for range 2 {
			res, err := open(trust, signed(t, s, claims), claims)
			if err != nil {
				t.Fatal(err)
			}
			if got := res.VerifiedTimestamps[0].Timestamp; !got.Equal(now.Truncate(time.Second)) {
				t.Errorf("signed at %v, want %v", got, now)
			}
			now = now.AddDate(9, 0, 0)
		}
	}
}

// TestParallel: all of it, and the log has an entry of its own for each bundle.
func TestParallel(t *testing.T) {
	s := instance(t, sigtest.Options{})
	trust := trusted(t, s)
	indexes := make(chan int64, 8*20)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				raw, err := s.Sign(statement(), claims)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := open(trust, raw, claims); err != nil {
					t.Error(err)
					return
				}
				b := &bundle.Bundle{}
				if err := b.UnmarshalJSON(raw); err != nil {
					t.Error(err)
					return
				}
				indexes <- b.GetVerificationMaterial().GetTlogEntries()[0].GetLogIndex()
			}
		})
	}
	wg.Wait()
	close(indexes)
	seen := map[int64]bool{}
	for at := range indexes {
		seen[at] = true
	}
	if len(seen) != cap(indexes) || !seen[0] || !seen[int64(cap(indexes))-1] {
		t.Errorf("%d bundles have %d places in the log", cap(indexes), len(seen))
	}
}

// TestBadName: what cannot be certified is an error, not a bundle.
func TestBadName(t *testing.T) {
	s := instance(t, sigtest.Options{})
	if raw, err := s.Sign(statement(), claims, sigtest.SAN("https://[")); err == nil {
		t.Errorf("signed as %s", raw)
	}
}
