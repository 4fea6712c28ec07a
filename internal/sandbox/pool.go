package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// PoolOptions bound a pool. A zero field takes the value in parentheses.
type PoolOptions struct {
	Idle   time.Duration // how long a program waits before it is ended (one minute)
	PerKey int           // programs that wait for the same job, once it was called twice (2)
	Total  int           // programs that wait (8)
	Memory int64         // bytes that all of them together hold, shared ones once (256 MiB)
	// Ahead has programs read the early part of their input before they wait, as it was
	// in the call whose program they replace, where the caller knows that to be harmless.
	Ahead bool
}

// Tool says whose job one is. Programs are started for one release and serve no
// other; one of a release that is not called any more is ended.
type Tool struct {
	Name    string
	Release string // what names its content, such as a digest
}

const (
	// calm is how long after its start a program is first looked at.
	calm = 300 * time.Millisecond
	// headStart is how long a call has the processors for itself before the
	// program is started that replaces the one that it took, and an answer before
	// what is left of its program is taken down.
	headStart = 30 * time.Millisecond
	// breath is how long whoever called has to give the answer, before that program
	// is started sooner, because no other one waits.
	breath = 2 * time.Millisecond
)

// Pool runs jobs with a late input by programs that were started before and
// wait for it: each serves one call and ends with it, so that no state goes
// from one to the next. It is for a process that lives long; a command has
// [Sandbox.Warm]. It is safe for concurrent use.
//
// A program waits for one release and one job exactly, input and gate aside:
// arguments, environment, mounts with their grants, network and limits. Its uplink is
// that of the call. What runs before the input must be trusted, see [Job]; that it
// has a grant already is as harmless as it is trusted. One that ends, or says
// anything, while it waits is no such program: it is ended and the job started anew,
// as if there were no pool.
type Pool struct {
	box  *Sandbox
	opts PoolOptions

	mu     sync.Mutex
	closed bool
	kept   []*waiting // those of the key that was called last at the end
	work   sync.WaitGroup
}

// waiting is a program in a pool.
type waiting struct {
	tool  Tool
	job   string        // as MarshalBinary has it
	start Job           // the same, with what is early as its whole input
	made  <-chan *spare // has it, or is closed when it did not start
	spare *spare        // the same, once it was made, to look at
	told  time.Time     // when that a call is on its way, or the early part of its input
	timer *time.Timer
}

// NewPool makes a pool over a sandbox, with nothing in it.
func NewPool(box *Sandbox, o PoolOptions) *Pool {
	o.Idle = cmp.Or(o.Idle, time.Minute)
	o.PerKey = cmp.Or(o.PerKey, 2)
	o.Total = cmp.Or(o.Total, 8)
	o.Memory = cmp.Or(o.Memory, 256<<20)
	return &Pool{box: box, opts: o}
}

// Run is [Sandbox.Run] for a job of a tool, by a program that waits where there
// is one. The wall time counts from the call.
func (p *Pool) Run(ctx context.Context, tool Tool, job Job) (Outcome, error) {
	checked, err := job.checked()
	if err != nil || !job.Late || job.Talk != nil {
		return p.box.Run(ctx, job)
	}
	b, err := checked.MarshalBinary()
	if err != nil {
		return p.box.Run(ctx, job)
	}
	if job.Uplink != nil {
		b = fmt.Append(b, job.Uplink.Doors())
	}
	same := string(b)
	job.Gate = sync.OnceValue(job.open) // it may be asked twice, see below
	checked.Gate = job.Gate
	var often atomic.Bool // a program waited for this call, so it is not the first
	take := func() *spare {
		if ctx.Err() != nil {
			return nil // nothing is given to a program for a call that is over already
		}
		return p.take(tool, same, job.Stdin[:job.Early])
	}
	s := take()
	// Not before: on a machine that stalls, the call would take the program that it
	// had started itself, and wait for it to boot.
	next := time.AfterFunc(headStart, func() { p.start(tool, same, checked, often.Load()) })
	defer func() {
		// Where another one waits, the call that may follow this one has the
		// processors for itself, too.
		if !p.waits(tool, same) && next.Stop() {
			next.Reset(breath)
		}
	}()
	for ; s != nil; s = take() {
		often.Store(true)
		s.later = p.later
		out, err := p.box.serve(ctx, p.box.driver, s, checked)
		select {
		case <-s.t.fed:
		case <-ctx.Done():
			return out, err
		}
		if !s.t.unheard.Load() || out.TimedOut {
			return out, err
		}
		// It ended after the look at it and before it read anything: nobody
		// has run the job yet.
	}
	return p.box.Run(ctx, job)
}

// later does something when a call has given its answer, at Close at the latest.
func (p *Pool) later(do func()) {
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.work.Add(1)
	}
	p.mu.Unlock()
	if closed {
		do()
		return
	}
	time.AfterFunc(headStart, func() {
		defer p.work.Done()
		do()
	})
}

// take removes a program of a key, the first that is as it should be and has read
// nothing but the early part of this input, and ends those of the tool's other
// releases.
func (p *Pool) take(tool Tool, job string, early []byte) *spare {
	for {
		w, stale := p.pick(tool, job)
		for _, s := range stale {
			p.work.Go(s.end)
		}
		if w == nil {
			return nil
		}
		s, ok := <-w.made
		if ok && s.fit() && w.readFor(early) {
			return s
		}
		if ok {
			p.work.Go(s.discard)
		}
	}
}

// fit tells whether a program does what it should while it waits: nothing.
func (s *spare) fit() bool {
	return len(s.t.ended) == 0 && s.t.silent() && (s.up == nil || s.up.there())
}

// pick takes out of the list what is to serve and what is to end, and puts the
// rest of the key at the end of it, where it lasts longest.
func (p *Pool) pick(tool Tool, job string) (found *waiting, stale []*waiting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var others, same []*waiting
	for _, w := range p.kept {
		switch {
		case w.tool == tool && w.job == job && found == nil:
			found = w
			w.timer.Stop()
		case w.tool == tool && w.job == job:
			same = append(same, w)
		case w.tool.Name == tool.Name && w.tool.Release != tool.Release:
			stale = append(stale, w)
		default:
			others = append(others, w)
		}
	}
	p.kept = append(others, same...)
	return found, stale
}

// waits tells whether a program of a key is left.
func (p *Pool) waits(tool Tool, job string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count(tool, job) > 0
}

func (p *Pool) count(tool Tool, job string) (n int) {
	for _, w := range p.kept {
		if w.tool == tool && w.job == job {
			n++
		}
	}
	return n
}

// start starts one program more of a key, unless there are enough, and with more,
// once that one has come to rest, the others that may wait. Where there are too
// many of all, the one goes whose key was called longest ago.
func (p *Pool) start(tool Tool, job string, j Job, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.count(tool, job)
	if p.closed || n >= p.opts.PerKey || n >= p.opts.Total {
		return
	}
	for len(p.kept) >= p.opts.Total {
		p.work.Go(p.kept[0].end)
		p.kept = p.kept[1:]
	}
	made := make(chan *spare, 1)
	// Nothing of the call before, its arguments least of all.
	j.Stdin, j.Gate, j.Heard = slices.Clone(j.Stdin[:j.Early]), nil, nil
	var up *lead
	if j.Uplink != nil {
		up = &lead{doors: j.Uplink.Doors()}
		j.Uplink = up
	}
	w := &waiting{tool: tool, job: job, start: j, made: made}
	w.timer = time.AfterFunc(p.opts.Idle, func() { p.drop(w) })
	p.kept = append(p.kept, w)
	boot := j
	boot.Stdin, boot.Early, boot.Wake = nil, 0, nil
	p.work.Go(func() {
		defer close(made)
		// A failure shows when Run tries for itself.
		if s, err := begin(p.box.driver, p.box.groups, boot, false); err == nil {
			s.job, s.up = []byte(job), up
			p.mu.Lock()
			if w.spare = s; p.opts.Ahead {
				w.ahead()
			}
			p.mu.Unlock()
			made <- s
			p.watch(w, calm)
			if more && n+1 < p.opts.PerKey {
				time.AfterFunc(calm, func() { p.start(tool, job, j, true) })
			}
		}
	})
}

// drop ends a program that is still waiting.
func (p *Pool) drop(w *waiting) {
	p.mu.Lock()
	i := slices.Index(p.kept, w)
	if i >= 0 {
		p.kept = slices.Delete(p.kept, i, i+1)
	}
	p.mu.Unlock()
	if i >= 0 {
		w.end()
	}
}

// end ends a program that is in no list any more.
func (w *waiting) end() {
	w.timer.Stop()
	if s, ok := <-w.made; ok {
		s.discard()
	}
}

// watch looks at what waits as long as a program does, less and less often:
// once it has booted it does nothing.
func (p *Pool) watch(w *waiting, pause time.Duration) {
	time.AfterFunc(pause, func() {
		p.weigh()
		p.mu.Lock()
		defer p.mu.Unlock()
		if slices.Contains(p.kept, w) {
			if p.opts.Ahead {
				w.ahead() // what its pipe had no room for
			}
			p.watch(w, 2*pause)
		}
	})
}

// weigh ends programs, the least recently used first, until what is left holds
// no more memory than it may. One that has ended by itself goes too.
func (p *Pool) weigh() {
	trees := map[*waiting]*tree{}
	p.mu.Lock()
	kept := slices.Clone(p.kept)
	for _, w := range kept {
		if w.spare != nil {
			trees[w] = w.spare.t
		}
	}
	p.mu.Unlock()
	var sum int64
	for _, w := range slices.Backward(kept) {
		t := trees[w]
		if t == nil {
			continue // as good as nothing yet
		}
		weight := t.weight()
		if len(t.ended) > 0 || sum+weight > p.opts.Memory {
			p.drop(w)
		} else {
			sum += weight
		}
	}
}

// Close ends every program that waits and waits until they are gone. Calls go on,
// without the pool.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	kept := p.kept
	p.kept = nil
	p.mu.Unlock()
	for _, w := range kept {
		w.end()
	}
	p.work.Wait()
}
