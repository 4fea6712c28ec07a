package sandbox

// Waiting is how many programs wait in a pool.
func (p *Pool) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.kept)
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
