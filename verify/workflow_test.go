package verify_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// notary stands for Sigstore: it believes what a bundle says of its signer.
// What the real one checks is tested where it is used, in package keyless.
type notary struct{}

type notarised struct {
	Payload []byte          `json:"payload"`
	Signer  ledger.Identity `json:"signer"`
}

var errNotary = fault.New(fault.NotVerified, string(verify.ReasonTime), "it is too late")

func (notary) Open(bundle []byte, _ string) ([]byte, ledger.Identity, error) {
	var n notarised
	if json.Unmarshal(bundle, &n) != nil {
		return nil, ledger.Identity{}, errNotary
	}
	return n.Payload, n.Signer, nil
}

// workflow signs as an identity.
type workflow struct{ id ledger.Identity }

func (w *workflow) Sign(_ context.Context, s *ledger.Statement) ([]byte, error) {
	return ledger.Encode(notarised{ledger.Encode(s), w.id}), nil
}

func (*workflow) SignCheckpoint(context.Context, spec.RegistryName, ledger.LogRoot) ([]byte, error) {
	return nil, nil
}

func acme() ledger.Identity {
	id := ledger.GitHubIdentity("acme/tools")
	id.RepositoryID, id.OwnerID = "900000001", "800000001"
	id.Environment, id.TokenSubject = "publish", "repo:acme@800000001/tools@900000001:environment:publish"
	return id
}

// keylessTree publishes one release as an identity.
func keylessTree(t *testing.T, id ledger.Identity) *registry.Memory {
	t.Helper()
	store := registry.NewMemory()
	own := acme()
	trust := ledger.Trust{Kind: ledger.TrustKeyless, Identity: &own}
	_, err := registry.Seal(t.Context(), store, registry.Batch{Accept: []registry.Acceptance{{
		Release: release(t, "echo_text", "1.0.0", nil), Contributor: ledger.Owner{Login: "ann", ID: 7},
		Report: spec.DigestOf(release(t, "echo_text", "1.0.0", nil).Files[0].Data),
	}}}, registry.SealOptions{
		Registry: &ledger.Registry{Schema: ledger.RegistrySchema, Name: "acme/tools", Trust: trust},
		Signer:   &workflow{id}, Checker: "patch-git test",
		Now:       func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) },
		CheckHead: func(_, _ []byte) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func policyFor(id ledger.Identity) verify.Policy {
	return verify.Policy{Registry: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id}, Sigstore: notary{}}
}

func candidate(t *testing.T, store *registry.Memory) spec.Candidate {
	t.Helper()
	c, err := registry.Fetch(t.Context(), store, spec.Ref{Name: "echo_text", Version: "1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// alter gives one field of an identity another value.
func alter(id ledger.Identity, field, value string) ledger.Identity {
	var members map[string]string
	if err := json.Unmarshal(ledger.Encode(id), &members); err != nil {
		panic(err)
	}
	members[field] = value
	var out ledger.Identity
	if err := json.Unmarshal(ledger.Encode(members), &out); err != nil {
		panic(err)
	}
	return out
}

// TestEveryFieldOfTheIdentityCounts: a signer that differs in one field is
// refused for that field, in the head and in the evidence of a release; the
// one that differs in none is accepted.
func TestEveryFieldOfTheIdentityCounts(t *testing.T) {
	good := candidate(t, keylessTree(t, acme()))
	if v, err := check(policyFor(acme()), good); err != nil || !v.OK() {
		t.Fatalf("the right workflow: %v", err)
	}
	own := acme()
	for _, f := range own.Fields() {
		for _, value := range []string{"", f.Value + "x", "1" + f.Value, f.Value[:len(f.Value)-1]} {
			bad := candidate(t, keylessTree(t, alter(acme(), f.Name, value)))
			_, err := check(policyFor(acme()), bad)
			wantRefusal(t, err, verify.Reason("identity:"+f.Name))
			// A head of the right signer over a release of the other.
			mixed := good
			mixed.Evidence = bad.Evidence
			_, err = check(policyFor(acme()), mixed)
			wantRefusal(t, err, verify.Reason("identity:"+f.Name))
		}
	}
}

// TestPolicyIsWhole: a policy that lacks one compulsory field judges nothing.
func TestPolicyIsWhole(t *testing.T) {
	c := candidate(t, keylessTree(t, acme()))
	own := acme()
	for _, f := range own.Fields() {
		_, err := check(policyFor(alter(acme(), f.Name, "")), c)
		if f.Name == "environment" || f.Name == "token_subject" {
			if err != nil {
				t.Errorf("without %s: %v", f.Name, err)
			}
			continue
		}
		wantRefusal(t, err, verify.ReasonPolicy)
	}
	for name, p := range map[string]verify.Policy{
		"nothing":     {},
		"no name":     {Trust: policyFor(own).Trust, Sigstore: notary{}},
		"no Sigstore": {Registry: "acme/tools", Trust: policyFor(own).Trust},
		"no identity": {Registry: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless}, Sigstore: notary{}},
		"both kinds":  {Registry: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &own, Key: []byte("x")}, Sigstore: notary{}},
		"another":     {Registry: "acme/tools", Trust: ledger.Trust{Kind: "none", Identity: &own}, Sigstore: notary{}},
	} {
		if _, err := check(p, c); fault.ReasonOf(err) != string(verify.ReasonPolicy) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{"0", "-1", "0900000001", "9e8", "x", "99999999999999999999"} {
		_, err := check(policyFor(alter(acme(), "repository_id", bad)), c)
		wantRefusal(t, err, verify.ReasonPolicy)
	}
}

// TestIntroduce: at the first meeting the numbers are learned, and everything
// else has to be right already.
func TestIntroduce(t *testing.T) {
	c := candidate(t, keylessTree(t, acme()))
	known := policyFor(ledger.GitHubIdentity("acme/tools"))
	id, err := known.Introduce(c.Chain.HeadEvidence, c.Chain.Head)
	if err != nil || id != acme() {
		t.Fatalf("got %+v, %v", id, err)
	}
	if _, err := check(policyFor(id), c); err != nil {
		t.Errorf("the identity that was learned: %v", err)
	}
	// Before that it judges nothing.
	_, err = check(known, c)
	wantRefusal(t, err, verify.ReasonPolicy)
	own := acme()
	for _, f := range own.Fields() {
		switch f.Name {
		case "repository_id", "owner_id", "environment", "token_subject":
			continue
		}
		bad := candidate(t, keylessTree(t, alter(acme(), f.Name, "x")))
		_, err := known.Introduce(bad.Chain.HeadEvidence, bad.Chain.Head)
		wantRefusal(t, err, verify.Reason("identity:"+f.Name))
	}
	// A certificate without the numbers pins nothing.
	bare := candidate(t, keylessTree(t, alter(acme(), "repository_id", "")))
	_, err = known.Introduce(bare.Chain.HeadEvidence, bare.Chain.Head)
	wantRefusal(t, err, verify.ReasonPolicy)
	_, err = known.Introduce(c.Evidence, c.Chain.Head)
	wantRefusal(t, err, verify.ReasonPredicate)
	_, err = known.Introduce(c.Chain.HeadEvidence, flip(c.Chain.Head))
	wantRefusal(t, err, verify.ReasonHead)
	_, err = verify.Policy{}.Introduce(c.Chain.HeadEvidence, c.Chain.Head)
	wantRefusal(t, err, verify.ReasonPolicy)
	if _, err := known.Introduce([]byte("no bundle"), c.Chain.Head); !errors.Is(err, errNotary) {
		t.Errorf("what Sigstore refuses: %v", err)
	}
}

// TestKindsDoNotMix: evidence of one kind does not serve where the other is trusted.
func TestKindsDoNotMix(t *testing.T) {
	tr := newTree(t, "acme/tools")
	tr.publish("echo_text", "1.0.0")
	byKey, byWorkflow := tr.fetch("echo_text@1.0.0"), candidate(t, keylessTree(t, acme()))
	_, err := check(tr.policy, byWorkflow)
	wantRefusal(t, err, verify.ReasonBundle)
	if _, err := check(policyFor(acme()), byKey); err == nil {
		t.Error("a key's word counted as a workflow's")
	}
}
