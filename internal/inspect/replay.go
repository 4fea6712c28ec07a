package inspect

import (
	"slices"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// status is what the entries of the log amount to for one version.
type status struct {
	index   int64 // of the acceptance
	entry   *ledger.Entry
	yanked  string
	revoked string
}

// replay plays the entries in their order.
func (a *audit) replay(l *log) {
	l.states = map[spec.Ref]*status{}
	l.holed = slices.Contains(l.entries, nil)
	for i, e := range l.entries {
		if e == nil {
			continue
		}
		index := int64(i)
		at := spec.Ref{Name: e.Name, Version: e.Version}
		s, known := l.states[at]
		bad := func(format string, args ...any) {
			a.damage(l.tiles[index/int64(l.tiles[0].Count)].Path, ReasonEntry, format, args...)
		}
		switch {
		case e.Event == ledger.EventAccept && known:
			bad("entry %d accepts %s once more, after entry %d", index, at.At(), s.index)
			continue
		case e.Event == ledger.EventAccept:
			l.states[at] = &status{index: index, entry: e}
			continue
		case !known:
			if !l.holed {
				bad("entry %d is a %s of %s, which was not accepted before", index, e.Event, at.At())
			}
			continue
		case e.Release != s.entry.Release:
			bad("entry %d is a %s of another release than entry %d accepted as %s", index, e.Event, s.index, at.At())
		}
		switch e.Event {
		case ledger.EventYank, ledger.EventUnyank:
			s.yanked = e.Reason
		case ledger.EventRevoke:
			s.revoked = e.Reason
		}
		if (e.Event == ledger.EventUnyank) != (e.Reason == "") {
			bad("entry %d is a %s of %s with the reason %s", index, e.Event, at.At(), spec.Quote(e.Reason))
		}
	}
}
