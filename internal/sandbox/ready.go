package sandbox

import "slices"

// Ready has a program that waits for a tool read the early part of its input, see
// [Job], of the job that was asked for last: it wakes up and reads while a caller who
// knows what is to run finds out whether it may. Nothing of a stranger's runs before
// [Pool.Run], and the program waits on for whoever calls next where no call comes. It
// tells whether there was one that had not read yet.
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
		return w.tool == tool && w.job == job && w.spare != nil && w.spare.t.given == 0
	})
	if i < 0 {
		return false
	}
	w := p.kept[i]
	w.spare.t.given = writeSome(w.spare.t.stdin, w.start.Stdin)
	return w.spare.t.given > 0
}

// readFor tells whether what a program has read is the beginning of an input.
func (w *waiting) readFor(early []byte) bool {
	return w.spare.t.given == 0 || slices.Equal(w.start.Stdin, early)
}
