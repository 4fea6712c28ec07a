package pyenv

import (
	"context"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/sealed"
	"github.com/patch-cat/patch-git/spec"
)

// programPath is where a program of ours lies in its sandbox: an argument, which
// Linux cuts at 128 KiB, would not hold all of them.
const programPath = sandbox.ScratchDir + "/program"

// keptFor is how long answers and bytecode are kept. They follow from what their
// names are made of, so that time alone makes none of them wrong.
const keptFor = 30 * 24 * time.Hour

// Asked is the question behind an answer that was not there and that no program
// waited for, by which one can be started ahead the next time.
type Asked struct {
	Job   sandbox.Job // late
	Known []byte      // what the name of an answer begins with; its input is the rest
}

// Answer runs one of patch-git's own programs over an input and returns what it
// printed. It must follow from program, interpreter and input alone, for an
// answer that good takes is kept, and is not asked for again. A program that
// fails, or says too much, is [fault.Unavailable]. The program does nothing before
// it has read its input to the end, so that it may be started before that is known.
func (p *Pythons) Answer(ctx context.Context, in *Interpreter, program string, input []byte, l sandbox.Limits, good func([]byte) bool) ([]byte, *Asked, error) {
	kept := sealed.Open(p.host.Paths.Answers(), p.host.Now, keptFor, limits.Document)
	known := []string{"patch-git/answer/v2", in.Path, in.Version, in.Build.Hex(), spec.DigestOf([]byte(program)).Hex()}
	name := sealed.Name(append(known, string(input))...)
	if data := kept.Load(name); data != nil && good(data) {
		return data, nil, nil
	}
	job, err := p.compiled(ctx, in, program)
	if err != nil {
		return nil, nil, err
	}
	job.Stdin, job.Late, job.Limits = input, true, l
	out, err := p.box.Run(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	if out.Exit != 0 || out.StdoutCut {
		return nil, nil, fault.New(fault.Unavailable, "facts", "the parser ended with exit code %d %s", out.Exit, out.Signal)
	}
	if good(out.Stdout) {
		kept.Save(name, out.Stdout)
	}
	if out.Warm {
		return out.Stdout, nil, nil
	}
	return out.Stdout, &Asked{job, sealed.List(known...)}, nil
}

// compiled is the job of a program that is long and run often: it is compiled
// once, in the sandbox, and its bytecode kept. What does not compile, or cannot
// be kept, is run as it is.
func (p *Pythons) compiled(ctx context.Context, in *Interpreter, program string) (sandbox.Job, error) {
	kept := sealed.Open(p.host.Paths.Programs(), p.host.Now, keptFor, launchBytes)
	name := sealed.Name(in.Path, in.Version, in.Build.Hex(), in.Magic, compileScript, program)
	if code := kept.Load(name); in.bytecode(code) {
		return in.file(code, ".pyc"), nil
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
		return in.file([]byte(program), ".py"), nil
	}
	kept.Save(name, parts[0])
	return in.file(parts[0], ".pyc"), nil
}

// file is the job of a program in a file.
func (in *Interpreter) file(data []byte, suffix string) sandbox.Job {
	job := in.job("")
	job.Argv = append(in.argv(), programPath+suffix)
	job.Files = []sandbox.File{{Target: programPath + suffix, Data: data}}
	return job
}
