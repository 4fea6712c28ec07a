package verify_test

import (
	"bytes"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// TestFile: a file is believed by the evidence that states these bytes, this
// name and this registry, and what an insider signs beside that is refused.
func TestFile(t *testing.T) {
	tr := newTree(t, "acme/tools")
	tr.publish("echo_text", "1.0.0")
	c := tr.fetch("echo_text@1.0.0")
	main := c.Files["tool.py"]
	subject := tr.doc.Name.Subject(spec.Ref{Name: "echo_text", Version: "1.0.0"})
	signed, err := tr.policy.Evidence(c.Evidence, subject, ledger.PredicateAcceptance)
	if err != nil {
		t.Fatal(err)
	}
	again := func(change func(*ledger.Acceptance)) []byte {
		a, err := ledger.ParseAcceptance(signed)
		if err != nil {
			t.Fatal(err)
		}
		change(a)
		b, err := tr.key.Sign(t.Context(), ledger.NewStatement(subject, signed.Subject[0].Digest.SHA256, ledger.PredicateAcceptance, a))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, x := range map[string]struct {
		evidence, main []byte
		want           verify.Reason
	}{
		"no evidence":         {nil, main, verify.ReasonBundle},
		"evidence of a head":  {c.Chain.HeadEvidence, main, verify.ReasonPredicate},
		"a line more":         {c.Evidence, append(bytes.Clone(main), "# x\n"...), verify.ReasonFile},
		"another tool":        {c.Evidence, source("case_text", "1.0.0", nil), verify.ReasonSubject},
		"another version":     {c.Evidence, source("echo_text", "1.1.0", nil), verify.ReasonSubject},
		"no tool":             {c.Evidence, []byte("print(1)\n"), verify.ReasonManifest},
		"nothing":             {c.Evidence, nil, verify.ReasonManifest},
		"another registry":    {again(func(a *ledger.Acceptance) { a.Registry.Name = "demo/else" }), main, verify.ReasonRegistry},
		"another name inside": {again(func(a *ledger.Acceptance) { a.Name = "case_text" }), main, verify.ReasonSubject},
		"the file not listed": {again(func(a *ledger.Acceptance) { a.Files = nil }), main, verify.ReasonFile},
		"other permissions":   {again(func(a *ledger.Acceptance) { a.Permissions.Network = true }), main, verify.ReasonManifest},
	} {
		if a, err := tr.policy.File(x.evidence, spec.FormatPatch, x.main); a != nil || fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != string(x.want) {
			t.Errorf("%s: %+v, %v (%s), want %s", name, a, err, fault.ReasonOf(err), x.want)
		}
	}
	// The twins: as it was published, and signed again with nothing changed.
	for _, evidence := range [][]byte{c.Evidence, again(func(*ledger.Acceptance) {})} {
		if a, err := tr.policy.File(evidence, spec.FormatPatch, main); err != nil || a.Name != "echo_text" {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if _, err := (verify.Policy{}).File(c.Evidence, spec.FormatPatch, main); fault.ReasonOf(err) != string(verify.ReasonPolicy) {
		t.Errorf("a policy that says nothing: %v", err)
	}
}
