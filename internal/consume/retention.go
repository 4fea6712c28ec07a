package consume

import (
	"context"
	"time"

	"github.com/patch-cat/patch-git/internal/config"
)

// slack is how much older than it is kept a record may become: a server prunes once
// a day at most, for every run waits while it does.
const slack = 24 * time.Hour

// prune removes the records that the user's configuration keeps no longer. A person
// is told when it cannot be done, and nothing else waits for it.
func (c *Client) prune(ctx context.Context) {
	conf, err := config.Load(c.Host.Paths)
	if err != nil || conf.MCP.KeepRuns() == 0 {
		return // whoever needs the configuration says what is wrong with it
	}
	before := c.Host.Now().Add(-conf.MCP.KeepRuns())
	oldest, err := c.Journal.Oldest()
	if err == nil && (oldest.IsZero() || oldest.After(before.Add(-slack))) {
		return
	}
	if err == nil {
		_, err = c.Journal.Prune(ctx, before, false)
	}
	if err != nil && ctx.Err() == nil {
		c.warn("old records of runs are still there: " + err.Error())
	}
}

// pruneDaily does so at once and then each day, until ctx ends.
func (c *Client) pruneDaily(ctx context.Context) {
	tick := time.NewTicker(slack)
	defer tick.Stop()
	for {
		c.prune(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
