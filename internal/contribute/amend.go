package contribute

import (
	"context"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Amending is what is changed about a published tool.
type Amending string

// What may change about a published tool. The zero value is none of it.
const (
	Yank        Amending = "yank"
	Unyank      Amending = "unyank"
	Revoke      Amending = "revoke"
	Deprecate   Amending = "deprecate"
	Undeprecate Amending = "undeprecate"
	Transfer    Amending = "transfer"
)

// Amendment is one change to tool.yaml.
type Amendment struct {
	What    Amending
	Ref     spec.Ref // with the version that is yanked or revoked
	Reason  string   // of a yank, a revocation, a deprecation
	Instead spec.Name
	Owners  []ledger.Owner // of a transfer
}

// apply makes the change in what tool.yaml says.
func (a Amendment) apply(m *registry.Meta) error {
	switch a.What {
	case Yank:
		return m.Yank(a.Ref, a.Reason)
	case Unyank:
		m.Unyank(a.Ref.Version)
		return nil
	case Revoke:
		return m.Revoke(a.Ref, a.Reason)
	case Deprecate:
		if a.Reason == "" {
			return fault.New(fault.Usage, "reason", "a deprecation needs a reason of one line").
				Hint(`say why, as in --reason "the service is gone"`)
		}
		return m.Deprecate(a.Ref.Name, a.Reason, a.Instead)
	case Undeprecate:
		return m.Deprecate(a.Ref.Name, "", "")
	case Transfer:
		return m.Transfer(a.Ref.Name, a.Owners)
	}
	return fault.New(fault.Internal, "amendment", "there is no change called %s", spec.Quote(string(a.What)))
}

// ofVersion tells whether the change is about one version and not the tool.
func (a Amendment) ofVersion() bool { return a.What == Yank || a.What == Unyank || a.What == Revoke }

// of is what the change is about, as people write it.
func (a Amendment) of() string { return a.Ref.At() }

// AmendTree changes what a registry's folder says of a published tool and
// publishes that and nothing else: what is new, unfinished or wrong in the
// source tree must not keep malware in circulation.
func (w *Workshop) AmendTree(ctx context.Context, a Amendment, dir string, with Signing) (*Published, error) {
	b, err := w.open(ctx, dir, with)
	if err != nil {
		return nil, err
	}
	names := []spec.Name{a.Ref.Name}
	changes, err := b.tree.Diff(ctx, b.store(), names)
	if err != nil {
		return nil, err
	}
	published := changes.Published[a.Ref.Name]
	if a.ofVersion() && !has(published, a.Ref.Version) || len(published) == 0 {
		return nil, fault.New(fault.NotFound, "no_version", "%s has not published %s", b.doc.Name, a.of())
	}
	if err := b.tree.Amend(a.Ref, a.apply); err != nil {
		return nil, err
	}
	if changes, err = b.tree.Diff(ctx, b.store(), names); err != nil {
		return nil, err
	}
	var batch registry.Batch
	if a.ofVersion() {
		batch.Withdraw = slices.DeleteFunc(changes.Withdraw, func(x registry.Withdrawal) bool { return x.Version != a.Ref.Version })
	} else {
		batch.Meta = changes.Meta
	}
	out := newPublished(b)
	return out, w.seal(ctx, b, batch, out)
}
