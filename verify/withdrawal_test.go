package verify_test

import (
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// TestWithdrawal: the evidence of a revocation is believed about its own entry
// of the log and about nothing else, and no other evidence is believed as one.
func TestWithdrawal(t *testing.T) {
	tr := newTree(t, "acme/tools")
	tr.publish("echo_text", "1.0.0")
	tr.seal(registry.Batch{Withdraw: []registry.Withdrawal{{Event: ledger.EventRevoke, Name: "echo_text", Version: "1.0.0", Reason: "steals keys"}}})
	read := func(path string) []byte {
		data, err := tr.store.Read(t.Context(), path, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	evidence := read(ledger.WithdrawalPath(1))
	list, err := ledger.SplitEntries(read("log/tile/entries/000.p/2"))
	if err != nil {
		t.Fatal(err)
	}
	entry, err := ledger.ParseEntry(list[1])
	if err != nil {
		t.Fatal(err)
	}
	if root, err := tr.policy.Withdrawal(evidence, 1, *entry); err != nil || root.Size != 2 {
		t.Fatalf("%+v, %v", root, err)
	}
	statement, err := tr.policy.Evidence(evidence, tr.doc.Name.Subject(spec.Ref{Name: "echo_text", Version: "1.0.0"}), ledger.PredicateWithdrawal)
	if err != nil {
		t.Fatal(err)
	}
	again := func(change func(*ledger.Statement, *ledger.Withdrawal)) []byte {
		s := *statement
		s.Subject = []ledger.Subject{s.Subject[0]}
		w, err := ledger.ParseWithdrawal(&s)
		if err != nil {
			t.Fatal(err)
		}
		change(&s, w)
		body := ledger.Encode(w)
		s.Predicate = body[:len(body)-1]
		b, err := tr.key.Sign(t.Context(), &s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, c := range map[string]struct {
		evidence []byte
		index    int64
		entry    func(ledger.Entry) ledger.Entry
		want     verify.Reason
	}{
		"none":              {evidence: nil, want: verify.ReasonBundle},
		"of an acceptance":  {evidence: read(ledger.ReleasePath("echo_text", "1.0.0", ledger.EvidenceFileName)), want: verify.ReasonPredicate},
		"of a head":         {evidence: read(ledger.HeadEvidencePath), want: verify.ReasonPredicate},
		"another event":     {evidence: again(func(_ *ledger.Statement, w *ledger.Withdrawal) { w.Event = ledger.EventYank }), want: verify.ReasonLog},
		"another reason":    {evidence: again(func(_ *ledger.Statement, w *ledger.Withdrawal) { w.Reason = "none" }), want: verify.ReasonLog},
		"another time":      {evidence: again(func(_ *ledger.Statement, w *ledger.Withdrawal) { w.Time = "2026-11-20T00:00:00Z" }), want: verify.ReasonLog},
		"another place":     {evidence: again(func(_ *ledger.Statement, w *ledger.Withdrawal) { w.Index = 0 }), want: verify.ReasonLog},
		"of a shorter log":  {evidence: again(func(_ *ledger.Statement, w *ledger.Withdrawal) { w.Log.Size = 1 }), want: verify.ReasonLog},
		"another registry":  {evidence: again(func(_ *ledger.Statement, w *ledger.Withdrawal) { w.Registry.Name = "demo/else" }), want: verify.ReasonRegistry},
		"another name":      {evidence: again(func(_ *ledger.Statement, w *ledger.Withdrawal) { w.Name = "case_text" }), want: verify.ReasonSubject},
		"another release":   {evidence: again(func(_ *ledger.Statement, w *ledger.Withdrawal) { w.Release = spec.DigestOf(nil) }), want: verify.ReasonRelease},
		"another digest":    {evidence: again(func(s *ledger.Statement, _ *ledger.Withdrawal) { s.Subject[0].Digest.SHA256 = spec.DigestOf(nil) }), want: verify.ReasonRelease},
		"for another entry": {evidence: evidence, index: 2, want: verify.ReasonLog},
		"for another tool": {evidence: evidence, want: verify.ReasonSubject, entry: func(e ledger.Entry) ledger.Entry {
			e.Name = "case_text"
			return e
		}},
	} {
		e, index := *entry, int64(1)
		if c.entry != nil {
			e = c.entry(e)
		}
		if c.index != 0 {
			index = c.index
		}
		if _, err := tr.policy.Withdrawal(c.evidence, index, e); fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != string(c.want) {
			t.Errorf("%s: %v (%s), want %s", name, err, fault.ReasonOf(err), c.want)
		}
	}
	// The twin of all of them: signed again as it was.
	if _, err := tr.policy.Withdrawal(again(func(*ledger.Statement, *ledger.Withdrawal) {}), 1, *entry); err != nil {
		t.Errorf("unchanged: %v", err)
	}
	// And no withdrawal passes for an acceptance.
	c := tr.fetch("echo_text@1.0.0")
	c.Evidence = evidence
	if _, err := check(tr.policy, c); fault.ReasonOf(err) != string(verify.ReasonPredicate) {
		t.Errorf("a withdrawal as the evidence of a release: %v", err)
	}
}
