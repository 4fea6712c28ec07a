package mcpserver

import (
	"context"
	"slices"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

// Offered tells what a server would offer now, tool by tool in the order of their
// names: by which name hosts are told of it, "" where they are not, about how many
// tokens that costs, and why it would not run.
func Offered(ctx context.Context, c *consume.Client, each func(tool config.Tool, version spec.Version, name string, tokens int, err error)) error {
	s := newStock(c, newLog(c.Host.Stderr))
	if _, err := s.refresh(ctx, true); err != nil {
		return err
	}
	now := s.state.Load()
	for _, e := range now.entries {
		if e.runs() && !e.called() {
			continue // its operations stand beside it, or it is a skill
		}
		name := ""
		if slices.Contains(now.listed, e) {
			name = e.name
		}
		each(config.Tool{Registry: e.registry, Name: e.ref.Name}, e.ref.Version, name, e.tokens, e.err)
	}
	return nil
}
