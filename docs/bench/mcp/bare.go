package main

import (
	"context"
	"fmt"
	"time"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/mcpserver/mcptest"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// bare runs the tool that is called in a pool of sandboxes, and nothing else: no
// server, no verification, no consent, no record.
type bare struct {
	box  *sandbox.Sandbox
	pool *sandbox.Pool
	job  sandbox.Job
}

func openBare(ctx context.Context, root string) (*bare, error) {
	h := host.System()
	h.Paths = paths.Paths{Root: root}
	box, err := sandbox.Open(ctx, ahead.Options(h.Paths, h.Now))
	if err != nil {
		return nil, err
	}
	pythons := pyenv.New(h, box)
	in, err := pythons.Find(ctx, "3.9", false)
	if err != nil {
		return nil, err
	}
	g, err := pythons.Prepare(ctx, in, mcptest.Source(0))
	if err != nil {
		return nil, err
	}
	return &bare{box, sandbox.NewPool(box, sandbox.PoolOptions{}), g.Job(pyenv.Call{Args: []byte(`{"text":"hello","times":1,"loud":false}`)})}, nil
}

// run runs it once; warm tells whether something had waited for it.
func (b *bare) run(ctx context.Context) (took float64, warm bool, err error) {
	began := time.Now()
	out, err := b.pool.Run(ctx, sandbox.Tool{Name: "bare", Release: "1"}, b.job)
	if err == nil && out.Exit != 0 {
		err = fmt.Errorf("exit %d: %s", out.Exit, out.Stderr)
	}
	return ms(time.Since(began)), out.Warm, err
}

func (b *bare) close() {
	b.pool.Close()
	b.box.Close()
}
