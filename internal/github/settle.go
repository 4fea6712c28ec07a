package github

import (
	"context"
	"errors"

	"github.com/patch-cat/patch-git/internal/limits"
)

// settle makes a change that a second time would make another: a comment, a
// merge. Where it is not known what became of an attempt, done looks, after the
// wait that GitHub needs to show it, and only where nothing was done another
// attempt is made. Between the look and the attempt nobody else acts in this
// token's name; where somebody does, there are two comments, and the older one
// is edited from then on.
func (c *Client) settle(ctx context.Context, send func() error, done func() (bool, error)) error {
	for attempt := 1; ; attempt++ {
		err := send()
		if !errors.Is(err, errUnclear) || attempt >= limits.GitHubAttempts {
			return err
		}
		d := backOff(attempt)
		c.wire.wait("unclear", d)
		if err := c.sleep(ctx, d); err != nil {
			return err
		}
		if ok, lookErr := done(); ok || lookErr != nil {
			return lookErr
		}
	}
}
