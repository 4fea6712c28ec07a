package consume

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// Warm runs installed tools for a process that lives on, such as a server: like
// [Client.Run], by interpreters that wait for their tool in closed sandboxes.
// Every call is admitted and recorded as a single one is; what is kept between two
// calls is what was verified, as long as no file of it changes, and programs that have
// read a tool's code, run none of it, and have seen nobody's arguments. It is safe for
// concurrent use.
type Warm struct {
	client *Client
	box    *sandbox.Sandbox
	pool   *sandbox.Pool
	// serve is the pool's, but in a test of what is around it.
	serve func(context.Context, sandbox.Tool, sandbox.Job) (sandbox.Outcome, error)

	subjects keeper[called, *Subject]
	programs keeper[programKey, *machine]

	mu      sync.Mutex
	touched map[spec.Name]time.Time
	closed  bool
	end     context.CancelFunc // of what it does in the background for itself
	work    sync.WaitGroup     // until it ends
	noting  sync.WaitGroup     // until the last uses are noted
	synced  func() error       // ends the journal's way of not waiting for the disk
}

// Warm opens a sandbox and a pool over it, which is empty at first.
func (c *Client) Warm(ctx context.Context, o sandbox.PoolOptions) (*Warm, error) {
	box, err := sandbox.Open(ctx, ahead.Options(c.Host.Paths, c.Host.Now))
	if err != nil {
		return nil, err
	}
	o.Ahead = true // what was verified for a call is read, and not run, for the next
	pool := sandbox.NewPool(box, o)
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	w := &Warm{
		end: end, client: c, box: box, pool: pool, serve: pool.Run, synced: c.Journal.Live(), touched: map[spec.Name]time.Time{},
		subjects: keeper[called, *Subject]{now: c.Host.Now, most: limits.VerifiedBytes},
		programs: keeper[programKey, *machine]{now: c.Host.Now, most: limits.VerifiedBytes},
	}
	w.work.Go(func() { c.pruneDaily(life) })
	return w, nil
}

// Run verifies an installed tool and runs it. A run without a sandbox is for a
// person at a command line alone, and refused.
func (w *Warm) Run(ctx context.Context, ref spec.Ref, raw json.RawMessage, o RunOptions) (*Ran, error) {
	return w.Call(ctx, ref, "", raw, o)
}

// Call is Run for one operation of a tool that has several.
func (w *Warm) Call(ctx context.Context, ref spec.Ref, operation string, raw json.RawMessage, o RunOptions) (*Ran, error) {
	if o.UnsafeNoSandbox {
		return nil, fault.New(fault.Denied, "unsafe", "a server runs no tool without a sandbox")
	}
	what := called{ref, operation}
	likely := w.likely(what)
	w.ready(likely)
	s, err := w.subject(ctx, w.client, what, likely)
	if err != nil {
		return nil, err
	}
	o.warm = w
	return w.client.Run(ctx, s, raw, o)
}

// Close ends what waits, and waits for the records of what ran to be on the disk.
func (w *Warm) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.end()
	w.noting.Wait()
	w.work.Wait()
	w.pool.Close()
	if err := w.synced(); err != nil {
		w.client.warn("the last runs may not be on the disk: " + err.Error())
	}
}

// ready has a program that waits for a release, and read its code as it was verified
// for the call before, wake up while this one goes through its checks: nothing of it
// runs before all of them have said yes. It tells whether there was one.
func (w *Warm) ready(what called) bool {
	s := w.subjects.last(what)
	return s != nil && s.revoked == nil && w.pool.Ready(s.release())
}

// release is what the pool knows a release by.
func (s *Subject) release() sandbox.Tool {
	return sandbox.Tool{Name: s.Ref.Name.String(), Release: s.Ref.Digest.Hex()}
}

// start has a job done: by what waits for it, where there is a pool.
func (o RunOptions) start(ctx context.Context, box *sandbox.Sandbox, s *Subject, job sandbox.Job) (sandbox.Outcome, error) {
	if o.warm == nil {
		return box.Run(ctx, job)
	}
	return o.warm.serve(ctx, s.release(), job)
}
