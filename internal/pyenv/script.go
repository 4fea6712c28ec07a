package pyenv

import (
	"context"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/sealed"
)

// programPath is where a program of ours lies in its sandbox: an argument, which
// Linux cuts at 128 KiB, would not hold all of them.
const programPath = sandbox.ScratchDir + "/program"

// programLife is how long bytecode is kept that nobody made anew.
const programLife = 30 * 24 * time.Hour

// Script is the job of one of patch-git's own programs on the interpreter,
// with input as its standard input: no network, nothing writable, nothing of
// the host but the interpreter.
func (in *Interpreter) Script(program string, input []byte, l sandbox.Limits) sandbox.Job {
	job := in.job(program)
	job.Stdin, job.Limits = input, l
	return job
}

// script is Script of a program in a file.
func (in *Interpreter) script(data []byte, suffix string, input []byte, l sandbox.Limits) sandbox.Job {
	job := in.job("")
	job.Argv = append(in.argv(), programPath+suffix)
	job.Files = []sandbox.File{{Target: programPath + suffix, Data: data}}
	job.Stdin, job.Limits = input, l
	return job
}

// CompiledScript is [Interpreter.Script] of a program that is long and run
// often: it is compiled once, in the sandbox, and its bytecode kept. What does
// not compile, or cannot be kept, is run as it is.
func (p *Pythons) CompiledScript(ctx context.Context, in *Interpreter, program string, input []byte, l sandbox.Limits) (sandbox.Job, error) {
	kept := sealed.Open(p.host.Paths.Programs(), p.host.Now, programLife, launchBytes)
	name := sealed.Name(in.Path, in.Version, in.Build.Hex(), in.Magic, compileScript, program)
	if code := kept.Load(name); in.bytecode(code) {
		return in.script(code, ".pyc", input, l), nil
	}
	job := in.job(compileScript, "program")
	job.Stdin = []byte(program)
	job.Limits = sandbox.Limits{Wall: compileTime, Stdout: launchBytes}
	out, err := p.box.Run(ctx, job)
	if err != nil {
		return sandbox.Job{}, err
	}
	parts, whole := split(out.Stdout, 1)
	if out.Exit != 0 || !whole || !in.bytecode(parts[0]) {
		return in.script([]byte(program), ".py", input, l), nil
	}
	kept.Save(name, parts[0])
	return in.script(parts[0], ".pyc", input, l), nil
}
