package inspect

import (
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
)

// withdrawals verifies the evidence of every yank, unyank and revocation in the
// log: each is the registry's own word about that very entry.
func (a *audit) withdrawals(l *log) error {
	var all []int64
	for i, e := range l.entries {
		if e != nil && e.Event != ledger.EventAccept {
			all = append(all, int64(i))
		}
	}
	return each(a, "withdrawals", all, func(index int64) {
		e := l.entries[index]
		path := ledger.WithdrawalPath(index)
		evidence, ok := a.plain(path, limits.Bundle)
		if !ok {
			return
		}
		root, err := a.policy.Withdrawal(evidence, index, *e)
		if err != nil {
			a.failed(path, err)
			return
		}
		a.rootOf(l, path, root)
	})
}
