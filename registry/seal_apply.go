package registry

import (
	"maps"
	"slices"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// apply returns the records as the plan makes them: versions added at their
// place, withdrawals marked, metadata set. The current ones stay untouched.
func (p *plan) apply(cur *chain, now string) map[spec.Name]*ledger.Record {
	out := map[spec.Name]*ledger.Record{}
	edit := func(n spec.Name) *ledger.Record {
		if out[n] == nil {
			r := ledger.Record{Schema: ledger.RecordSchema, Name: n}
			if old := p.records[n]; old != nil {
				r = *old
				r.Versions = slices.Clone(old.Versions)
			}
			out[n] = &r
		}
		return out[n]
	}
	for i, a := range p.accept {
		r := edit(a.doc.Name)
		if len(r.Versions) == 0 {
			r.Owners = a.Owners
		}
		at, _ := slices.BinarySearchFunc(r.Versions, a.doc.Version, func(v ledger.RecordVersion, w spec.Version) int {
			return v.Version.Compare(w)
		})
		r.Versions = slices.Insert(r.Versions, at, ledger.RecordVersion{
			Version: a.doc.Version, Release: a.digest, Published: now,
			LogIndex: cur.logRoot().Size + int64(i), Permissions: a.doc.Permissions, Contributor: a.Contributor, PullRequest: a.PullRequest,
		})
	}
	for _, w := range p.withdraw {
		v := edit(w.Name).Find(w.Version)
		switch w.Event {
		case ledger.EventRevoke:
			v.Revoked = w.Reason
		default: // yank, or unyank with an empty reason
			v.Yanked = w.Reason
		}
	}
	for _, n := range p.changed {
		m, r := p.meta[n], edit(n)
		r.Owners, r.Deprecated, r.ReplacedBy = slices.Clone(m.Owners), m.Deprecated, m.ReplacedBy
	}
	return out
}

// revoke adds the plan's revocations to the list, or changes their reasons.
func (p *plan) revoke(list *ledger.Revoked) {
	for _, w := range p.withdraw {
		if w.Event != ledger.EventRevoke {
			continue
		}
		at, found := slices.BinarySearchFunc(list.Revoked, w.ref(), func(e ledger.RevokedRelease, r spec.Ref) int {
			return byRef(spec.Ref{Name: e.Name, Version: e.Version}, r)
		})
		e := ledger.RevokedRelease{Name: w.Name, Version: w.Version, Reason: w.Reason}
		if found {
			list.Revoked[at] = e
		} else {
			list.Revoked = slices.Insert(list.Revoked, at, e)
		}
	}
}

func sortedNames(m map[spec.Name]*ledger.Record) []spec.Name { return slices.Sorted(maps.Keys(m)) }
