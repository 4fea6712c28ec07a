package keyless

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/url"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// retry does something until it succeeds, a service says no for good or vouches
// for something else than it was asked to, or it was tried often enough.
func (w *Workflow) retry(ctx context.Context, do func() error) error {
	var err error
	for n := range attempts {
		if n > 0 {
			select {
			case <-time.After(w.pause(n)):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err = do()
		refused, answered := errors.AsType[*answer](err)
		switch {
		case err == nil || ctx.Err() != nil:
			return ended(ctx, err)
		case answered && refused.forGood():
			return fault.New(fault.Denied, "signing_refused", "%w", refused)
		case fault.KindOf(err) == fault.Denied, fault.KindOf(err) == fault.NotVerified:
			return err
		}
	}
	return fault.New(fault.Unavailable, "signing_service", "not signed after %d attempts: %s", attempts, spec.Quote(cause(err)))
}

// cause is the end of a chain of errors that begins with what everybody knows,
// the address, and would be cut before it comes to the point.
func cause(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	return err.Error()
}

// ended prefers the end of the context, which is why the rest failed.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// pause grows from half a second, with some chance in it so that many jobs do
// not come back together.
func (w *Workflow) pause(n int) time.Duration {
	if w.opts.Pause != nil {
		return w.opts.Pause(n)
	}
	d := 500 * time.Millisecond << (n - 1)
	return d + time.Duration(rand.Int64N(int64(d))) //nolint:gosec // spreads load, hides nothing
}
