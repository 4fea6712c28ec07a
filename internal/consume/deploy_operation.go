package consume

import (
	"context"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/smoke"
	"github.com/patch-cat/patch-git/spec"
)

// operation makes a smoke run of an action, or of a tool of the MCP server that the
// tool is.
func (t *deployedTool) operation(_ context.Context, s spec.Smoke, _ time.Duration) (smoke.Reply, error) {
	return smoke.Reply{}, fault.New(fault.Unavailable, "smoke", "a smoke test of the kind %s cannot be run yet", s.Kind)
}
