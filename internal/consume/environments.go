package consume

import (
	"context"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// needs are the packages of everything that is installed. A release whose list
// of packages cannot be read is an error, because what it needs would look like
// something that nobody does; with lenient it is left out.
func (c *Client) needs(lenient bool) ([]pyenv.Need, error) {
	tools, err := c.Box.List()
	if err != nil {
		return nil, err
	}
	var out []pyenv.Need
	for _, t := range tools {
		for _, v := range t.Versions {
			ref := spec.Ref{Name: t.Name, Version: v}
			data, err := c.Box.Closure(ref)
			var closure *ledger.Closure
			if err == nil && data != nil {
				closure, err = ledger.ParseClosure(data)
			}
			switch {
			case err != nil && !lenient:
				return nil, fault.New(fault.NotVerified, "closure", "what %s needs cannot be read: %w", ref.At(), err).
					Hint("patch-git verify %s", ref.At()).Hint("patch-git remove %s", ref.At())
			case err != nil:
				c.warn("what " + ref.At() + " needs cannot be read: " + err.Error())
			case closure != nil:
				out = append(out, pyenv.Need{Tool: ref.At(), Closure: closure})
			}
		}
	}
	return out, nil
}

// Environments lists the environments of installed tools, and of tools that
// were.
func (c *Client) Environments() (*pyenv.Stored, error) {
	needs, err := c.needs(true)
	if err != nil {
		return nil, err
	}
	return pyenv.New(c.Host, nil).Stored(needs, nil)
}

// PruneOptions say which environments go.
type PruneOptions struct {
	All       bool          // also those that installed tools need
	OlderThan time.Duration // only those used longer ago
	DryRun    bool
}

// Prune removes the packages that no installed tool needs.
func (c *Client) Prune(ctx context.Context, o PruneOptions) (*pyenv.Pruned, error) {
	needs, err := c.needs(o.All)
	if err != nil {
		return nil, err
	}
	return pyenv.New(c.Host, nil).Prune(ctx, needs, pyenv.PruneOptions{
		All: o.All, OlderThan: o.OlderThan, DryRun: o.DryRun, Builds: c.builds(ctx),
	})
}

// builds are the interpreters of this machine; nil where nothing can be tried,
// so that no environment is taken for one of an interpreter that is gone.
func (c *Client) builds(ctx context.Context) []spec.Digest {
	box, err := c.sandbox(ctx, RunOptions{})
	if err != nil {
		return nil
	}
	defer box.Close()
	known, _, err := pyenv.New(c.Host, box).Known(ctx)
	if err != nil {
		return nil
	}
	out := []spec.Digest{}
	for _, in := range known {
		out = append(out, in.Build)
	}
	return out
}
