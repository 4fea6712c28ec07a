package sandbox

import "slices"

// Waiting is how many programs wait in a pool.
func (p *Pool) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.kept)
}

// WaitsFor tells whether a program of a tool waits in a pool.
func (p *Pool) WaitsFor(tool string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.kept, func(w *waiting) bool { return w.tool.Name == tool })
}

// Weigh is what a pool does when a program has booted.
func (p *Pool) Weigh() { p.weigh() }

// Unfit tells that nothing that waits would serve.
func (p *Pool) Unfit() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.kept {
		if w.spare == nil || w.spare.fit() {
			return false
		}
	}
	return true
}

// Heed is how long a program that was told of a call is that call's.
const Heed = heed
