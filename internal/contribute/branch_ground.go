package contribute

import (
	"context"

	"github.com/patch-cat/patch-git/internal/branch"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// ownHead is the newest head of the branch, the zero head where there is none.
// One that is not this registry's own, or that does not lead to what lies on
// the branch, stops here, before anything is made of it.
func (b *bench) ownHead(ctx context.Context) (ledger.Head, spec.Digest, error) {
	chain, err := registry.FetchHead(ctx, b.store())
	if fault.ReasonOf(err) == "no_registry" {
		return ledger.Head{}, spec.Digest{}, nil
	}
	if err != nil {
		return ledger.Head{}, spec.Digest{}, err
	}
	if err := b.signer.checkHead(chain.HeadEvidence, chain.Head); err != nil {
		return ledger.Head{}, spec.Digest{}, err
	}
	head, err := ledger.ParseHead(chain.Head)
	if err != nil {
		return ledger.Head{}, spec.Digest{}, fault.New(fault.NotVerified, "head", "%w", err)
	}
	return *head, spec.DigestOf(chain.Head), registry.Settled(ctx, b.store())
}

// behind tells whether the branch was published from a commit that comes after
// the one that is checked out. Then there is nothing to do: all that is new here
// was there too, and what is not here yet (a version, a yank) would be taken
// for something that was taken away.
//
// Where it is not certain that what was published is in the history of what is
// checked out, nothing is published, except from the newest commit that the
// remote has: that is what a history which was written anew is published from.
func (b *branchBench) behind(ctx context.Context, checkout *branch.Checkout) (bool, error) {
	source, err := b.Source(ctx)
	if err != nil {
		return false, err
	}
	for _, newer := range []string{b.before, source} {
		if newer == "" || newer == b.tip || checkout.Reaches(ctx, newer) {
			continue
		}
		order, err := b.Compare(ctx, newer, b.tip)
		if err != nil {
			return false, err
		}
		switch order {
		case branch.Later:
			return true, nil
		case branch.Earlier:
			continue
		}
		newest, err := b.Newest(ctx, b.tip)
		if err != nil {
			return false, err
		}
		if !newest {
			return false, fault.New(fault.NotVerified, "rewritten", "what was published last is of commit %s, and %s does not come after it", newer, b.tip).
				Hint("publish from the newest commit of the branch that people propose to")
		}
	}
	return false, nil
}
