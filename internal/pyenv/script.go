package pyenv

import "github.com/patch-cat/patch-git/internal/sandbox"

// Guess is what the job of most tools will look like on this machine, without
// a look at any tool: the mounts of the lowest interpreter that is known to
// run, no network. It is for sandbox.Sandbox.Warm and nothing else.
func (p *Pythons) Guess() sandbox.Job {
	var best *Interpreter
	for _, t := range p.readKnown().Tried {
		if t.Python != nil && (best == nil || minorOf(t.Python) < minorOf(best)) {
			best = t.Python
		}
	}
	if best == nil {
		return sandbox.Job{}
	}
	return sandbox.Job{Mounts: best.mounts()}
}

// Script is the job of one of patch-git's own programs on the interpreter,
// with input as its standard input: no network, nothing writable, nothing of
// the host but the interpreter.
func (in *Interpreter) Script(program string, input []byte, l sandbox.Limits) sandbox.Job {
	job := in.job(program)
	job.Stdin, job.Limits = input, l
	return job
}
