package branch

import (
	"context"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Order is how two commits of the remote lie to each other.
type Order int

// The zero Order is no answer, and comes with an error alone.
const (
	_         Order = iota
	Later           // the first one comes after the second
	Earlier         // the first one is in the history of the second
	Unrelated       // neither, or the remote says that it does not have one of them
)

// Compare asks the remote how one commit lies to another. That it gave no
// answer is an error, Unavailable: who takes that for a no publishes an older
// state on top of a newer one.
func (b *Branch) Compare(ctx context.Context, one, other string) (Order, error) {
	if !isID(one) || !isID(other) {
		return 0, fault.New(fault.Unavailable, "git", "%s or %s is not the name of a commit", spec.Quote(one), spec.Quote(other))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats.Fetches++
	exit, stderr, err := b.git.try(ctx, nil, nil, "fetch", "-q", "--no-tags", "--no-write-fetch-head", "--filter=tree:0", "origin", one, other)
	switch {
	case err != nil:
		return 0, err
	case exit != 0 && disowned(stderr, one, other):
		return Unrelated, nil
	case exit != 0:
		return 0, failed("fetch", exit, stderr)
	}
	for _, q := range []struct {
		older, newer string
		means        Order
	}{{one, other, Earlier}, {other, one, Later}} {
		switch exit, stderr, err = b.git.try(ctx, nil, nil, "merge-base", "--is-ancestor", q.older, q.newer); {
		case err != nil:
			return 0, err
		case exit == 0:
			return q.means, nil
		case exit != 1: // 1 is no, all else is no answer
			return 0, failed("merge-base", exit, stderr)
		}
	}
	return Unrelated, nil
}

// disowned tells whether the remote itself said that it does not have one of
// some commits, which is more than that it did not send it.
func disowned(stderr []byte, ids ...string) bool {
	for line := range strings.Lines(string(stderr)) {
		line = strings.TrimSpace(line)
		for _, id := range ids {
			if strings.HasPrefix(line, "fatal: remote error: ") && strings.HasSuffix(line, "not our ref "+id) {
				return true
			}
		}
	}
	return false
}

// Newest tells whether a commit is the one that the remote's own branch, where
// people propose to, is at now.
func (b *Branch) Newest(ctx context.Context, commit string) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id, err := b.at(ctx, "HEAD")
	return err == nil && id == commit && isID(id), err
}
