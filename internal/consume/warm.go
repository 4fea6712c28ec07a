package consume

import (
	"context"
	"encoding/json"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// Warm runs installed tools for a process that lives on, such as a server: like
// [Client.Run], by interpreters that wait for their tool in closed sandboxes.
// Every call is verified, admitted and recorded as a single one is; what is
// kept between two calls is a program that has seen neither the tool nor its
// arguments. It is safe for concurrent use.
type Warm struct {
	client *Client
	box    *sandbox.Sandbox
	pool   *sandbox.Pool
}

// Warm opens a sandbox and a pool over it, which is empty at first.
func (c *Client) Warm(ctx context.Context, o sandbox.PoolOptions) (*Warm, error) {
	box, err := sandbox.Open(ctx, ahead.Options(c.Host.Paths, c.Host.Now))
	if err != nil {
		return nil, err
	}
	return &Warm{c, box, sandbox.NewPool(box, o)}, nil
}

// Run verifies an installed tool and runs it. A run without a sandbox is for a
// person at a command line alone, and refused.
func (w *Warm) Run(ctx context.Context, ref spec.Ref, raw json.RawMessage, o RunOptions) (*Ran, error) {
	if o.UnsafeNoSandbox {
		return nil, fault.New(fault.Denied, "unsafe", "a server runs no tool without a sandbox")
	}
	s, err := w.subject(ctx, w.client, ref)
	if err != nil {
		return nil, err
	}
	o.warm = w
	return w.client.Run(ctx, s, raw, o)
}

// subject makes the subject of an installed release.
func (w *Warm) subject(ctx context.Context, c *Client, ref spec.Ref) (*Subject, error) {
	return c.Installed(ctx, ref)
}

// Close ends what waits.
func (w *Warm) Close() { w.pool.Close() }

// start has a job done: by what waits for it where there is a pool.
func (w *Warm) start(ctx context.Context, box *sandbox.Sandbox, s *Subject, job sandbox.Job) (sandbox.Outcome, error) {
	if w == nil {
		return box.Run(ctx, job)
	}
	return w.pool.Run(ctx, sandbox.Tool{Name: s.Ref.Name.String(), Release: s.Ref.Digest.Hex()}, job)
}
