package sandbox

import (
	"slices"
	"time"
)

// Ready has a program that waits for a tool wake up, of the job that was asked for
// last, while a caller who knows what is to run finds out whether it may: it is given
// the early part of its input, see [Job], or where it has read that already its word
// for a call that is on its way. Nothing of a stranger's runs before [Pool.Run], and
// the program waits on for whoever calls next where no call comes. Ready tells whether
// there was one to tell, and something to tell it.
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
	// The first that no other call has ready: calls take them in this order. What was
	// said for a call that did not come is soon forgotten, or the next one's word would
	// go to another program than it takes, and so on.
	now := p.box.opts.Now()
	i = slices.IndexFunc(p.kept, func(w *waiting) bool {
		return w.tool == tool && w.job == job && w.spare != nil && now.Sub(w.told) > heed
	})
	return i >= 0 && p.kept[i].tell(now)
}

// heed is how long a program that was told of a call is that call's.
const heed = 5 * time.Millisecond

// tell wakes the program; the pool is locked. The word never stands within the early
// part, of which a pipe may have had no room for all.
func (w *waiting) tell(now time.Time) bool {
	some := 0
	if t := w.spare.t; t.given < len(w.start.Stdin) {
		some = w.ahead()
	} else {
		some = writeSome(t.stdin, w.start.Wake)
	}
	if some > 0 {
		w.told = now
	}
	return some > 0
}

// ahead has the program read what is early, or more of it; the pool is locked.
func (w *waiting) ahead() int {
	t := w.spare.t
	n := writeSome(t.stdin, w.start.Stdin[t.given:])
	t.given += n
	return n
}

// readFor tells whether what a program has read is the beginning of an input.
func (w *waiting) readFor(early []byte) bool {
	return w.spare.t.given == 0 || slices.Equal(w.start.Stdin, early)
}
