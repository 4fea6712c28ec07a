package contribute

import (
	"context"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// servedWait bounds what is waited for one place that serves the registry: a
// publication does not depend on it.
const servedWait = 15 * time.Second

// served compares the head that is built on with those that the registry's own
// pages and mirrors serve. Somebody who may push can set the branch back, and a
// second head with the number of one that people have seen divides them for
// ever: each half refuses what the other one has.
//
// A place that serves nothing yet, or that gives no answer, keeps nobody from
// publishing. Only a head that this registry signed itself counts.
func (w *Workshop) served(ctx context.Context, b *bench, own ledger.Head, digest spec.Digest) error {
	for _, place := range b.doc.Mirrors {
		if !strings.HasPrefix(place, "https://") && !strings.HasPrefix(place, "http://") {
			continue // the branch itself
		}
		head, seen, err := w.servedAt(ctx, b, place)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case fault.ReasonOf(err) == "no_registry":
			continue
		case err != nil:
			w.warn("what " + place + " serves was not compared with the branch: " + err.Error())
			continue
		}
		if head.Seq > own.Seq || head.Seq == own.Seq && seen != digest {
			return fault.New(fault.NotVerified, "set_back", "%s serves head %d of %s, and the branch is at head %d, which does not come after it", place, head.Seq, b.doc.Name, own.Seq).
				Hint("put the branch back to the commit of head %d or a later one", head.Seq).
				Hint("if that one is lost, publish with PATCH_GIT_BEHIND_MIRRORS=true; who has seen it will refuse this registry")
		}
	}
	return nil
}

// servedAt is the head of this registry at one place.
func (w *Workshop) servedAt(ctx context.Context, b *bench, place string) (*ledger.Head, spec.Digest, error) {
	if w.host.HTTP == nil {
		return nil, spec.Digest{}, fault.New(fault.Unavailable, "network", "there is no network")
	}
	ctx, cancel := context.WithTimeout(ctx, servedWait)
	defer cancel()
	src, err := registry.Open(ctx, place, registry.Options{HTTP: w.host.HTTP(), Now: w.host.Now, Passing: true})
	if err != nil {
		return nil, spec.Digest{}, err
	}
	chain, err := registry.FetchHead(ctx, src)
	if err != nil {
		return nil, spec.Digest{}, err
	}
	if err := b.signer.checkHead(chain.HeadEvidence, chain.Head); err != nil {
		return nil, spec.Digest{}, err
	}
	head, err := ledger.ParseHead(chain.Head)
	return head, spec.DigestOf(chain.Head), err
}
