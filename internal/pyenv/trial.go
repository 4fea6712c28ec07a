package pyenv

import "github.com/patch-cat/patch-git/internal/sandbox"

// Trial is a job in which a program of patch-git's own, which lies beside a tool
// and its arguments, runs the tool in a way of its own. It gets how, the paths of
// the tool and of its arguments and the directory of the packages as arguments,
// and input as its standard input. There is no network and nothing of the host
// but the interpreter and the packages.
func (in *Interpreter) Trial(program []byte, how string, tool, args []byte, env Env, input []byte, l sandbox.Limits) sandbox.Job {
	job := sandbox.Job{
		Argv:   append(in.argv(), trialPath, how, toolPath, argsPath, env.Dir),
		Env:    in.env(),
		Mounts: in.mounts(),
		Files:  []sandbox.File{{Target: trialPath, Data: program}, {Target: toolPath, Data: tool}, {Target: argsPath, Data: args}},
		Stdin:  input,
		Limits: l,
	}
	if env.Dir != "" {
		job.Mounts = append(job.Mounts, sandbox.Mount{Source: env.Dir, Target: env.Dir})
	}
	return job
}

// trialPath is gone before the tool begins.
const trialPath = sandbox.ScratchDir + "/.trial.py"
