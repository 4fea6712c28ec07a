package verify

import (
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Withdrawal verifies the evidence of a yank, an unyank or a revocation against
// the log's entry of it, and returns the root of the log that it states.
// Whether that root is one of the log of today is for whoever has the whole log.
func (p Policy) Withdrawal(evidence []byte, index int64, e ledger.Entry) (ledger.LogRoot, error) {
	ref := spec.Ref{Name: e.Name, Version: e.Version, Digest: e.Release}
	s, err := p.statement(evidence, p.Registry.Subject(ref), ledger.PredicateWithdrawal)
	if err != nil {
		return ledger.LogRoot{}, err
	}
	w, err := ledger.ParseWithdrawal(s)
	if err != nil {
		return ledger.LogRoot{}, refuse(ReasonStatement, "%s: %w", ref.At(), err)
	}
	switch {
	case w.Registry.Name != p.Registry:
		return ledger.LogRoot{}, refuse(ReasonRegistry, "evidence for the %s of %s is of the registry %s", e.Event, ref.At(), w.Registry.Name)
	case w.Name != e.Name || w.Version != e.Version:
		return ledger.LogRoot{}, refuse(ReasonSubject, "evidence for the %s of %s is about %s@%s", e.Event, ref.At(), w.Name, w.Version)
	case s.Subject[0].Digest.SHA256 != e.Release || w.Release != e.Release:
		return ledger.LogRoot{}, refuse(ReasonRelease, "evidence for the %s of %s is about another release.json", e.Event, ref.At())
	case w.Event != e.Event || w.Reason != e.Reason || w.Time != e.Time || w.Index != index || index >= w.Log.Size:
		return ledger.LogRoot{}, refuse(ReasonLog, "evidence for the %s of %s is about another entry of the log", e.Event, ref.At())
	}
	return w.Log, nil
}
