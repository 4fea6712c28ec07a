package pyenv

import "github.com/patch-cat/patch-git/internal/sandbox"

// Script is the job of one of patch-git's own programs on the interpreter,
// with input as its standard input: no network, nothing writable, nothing of
// the host but the interpreter.
func (in *Interpreter) Script(program string, input []byte, l sandbox.Limits) sandbox.Job {
	job := in.job(program)
	job.Stdin, job.Limits = input, l
	return job
}

// Reserved tells whether a tool finds something of patch-git's at that path, so
// that no file of the host can be shown there.
func Reserved(path string) bool {
	return path == toolPath || path == argsPath || path == launchPath || path == modulesTarget
}
