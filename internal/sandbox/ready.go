package sandbox

import "slices"

// Ready has a program that waits for a tool wake up, of the job that was asked for
// last, while a caller who knows what is to run finds out whether it may: it is given
// the early part of its input, see [Job], or where it has read that already its word
// for a call that is on its way. Nothing of a stranger's runs before [Pool.Run], and
// the program waits on for whoever calls next where no call comes. Ready tells whether
// there was one that was not told yet.
func (p *Pool) Ready(tool Tool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := len(p.kept) - 1
	for i >= 0 && p.kept[i].tool != tool {
		i--
	}
	if i < 0 {
		return false
	}
	job := p.kept[i].job
	// The first that no other call has ready: calls take them in this order.
	i = slices.IndexFunc(p.kept, func(w *waiting) bool {
		return w.tool == tool && w.job == job && w.spare != nil && !w.told
	})
	return i >= 0 && p.kept[i].tell()
}

// tell wakes the program; the pool is locked. Of an early part that is more than a pipe
// holds the rest comes with the call, and nothing in between.
func (w *waiting) tell() bool {
	t := w.spare.t
	switch t.given {
	case 0:
		w.ahead()
		w.told = t.given > 0
	case len(w.start.Stdin):
		w.told = writeSome(t.stdin, w.start.Wake) > 0
	}
	return w.told
}

// ahead has the program read what is early; the pool is locked.
func (w *waiting) ahead() { w.spare.t.given = writeSome(w.spare.t.stdin, w.start.Stdin) }

// readFor tells whether what a program has read is the beginning of an input.
func (w *waiting) readFor(early []byte) bool {
	return w.spare.t.given == 0 || slices.Equal(w.start.Stdin, early)
}
