package sandbox

import (
	"bytes"
	"context"
	"slices"
)

// Ready is a program of a pool that has the early part of its input, see [Job], and
// waits for the rest. It is for a caller who knows what is to run and has yet to find
// out whether it may: the program wakes up and reads meanwhile, and nothing of a
// stranger's runs before [Ready.Run]. It belongs to one call, in one goroutine; nil is
// no program.
type Ready struct {
	pool *Pool
	of   *waiting
	s    *spare // nil once it is somebody else's
}

// Ready makes a program ready that waits for a tool, for the job that was asked for
// last; nil where none waits, or it has nothing that is early. Call Discard in the end.
func (p *Pool) Ready(tool Tool) *Ready {
	w, s := p.lend(tool)
	switch {
	case w == nil:
		return nil
	case !s.fit():
		p.work.Go(s.discard)
		return nil
	}
	s.t.given = writeSome(s.t.stdin, w.start.Stdin)
	return &Ready{p, w, s}
}

// lend takes the program out of the list.
func (p *Pool) lend(tool Tool) (*waiting, *spare) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, w := range slices.Backward(p.kept) {
		if w.tool == tool && w.spare != nil && len(w.start.Stdin) > 0 {
			w.timer.Stop()
			p.kept = slices.Delete(p.kept, i, i+1)
			return w, w.spare
		}
	}
	return nil, nil
}

// Run is [Pool.Run], by this program where it is one for the job.
func (r *Ready) Run(ctx context.Context, tool Tool, job Job) (Outcome, error) {
	return r.pool.run(ctx, tool, job, r)
}

// take is the program for its run: nil unless it waits for exactly this job, has read
// nothing but what is early of it, and has done nothing else.
func (r *Ready) take(tool Tool, job string, early []byte) *spare {
	if r == nil || r.s == nil || r.of.tool != tool || r.of.job != job || !bytes.Equal(r.of.start.Stdin, early) || !r.s.fit() {
		return nil
	}
	s := r.s
	r.s = nil
	return s
}

// Discard ends the program if it was not run, and has another one wait in its place.
func (r *Ready) Discard() {
	if r == nil || r.s == nil {
		return
	}
	s, w := r.s, r.of
	r.s = nil
	r.pool.later(func() {
		s.discard()
		r.pool.start(w.tool, w.job, w.start, false)
	})
}
