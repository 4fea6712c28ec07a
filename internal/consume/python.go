package consume

import (
	"context"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/verify"
)

// sandbox opens the sandbox, by one driver alone where it is named.
func (c *Client) sandbox(ctx context.Context, driver string, unsafe bool) (*sandbox.Sandbox, error) {
	o := ahead.Options(c.Host.Paths, c.Host.Now)
	if unsafe && driver != "" {
		return nil, fault.New(fault.Usage, "usage", "a run has a sandbox or none, not both")
	}
	if unsafe {
		c.warn("the tool runs without a sandbox, with all of your rights")
		return sandbox.OpenUnsafe(o)
	}
	if box := ahead.Take(); box != nil {
		if driver == "" || driver == box.Driver() {
			return box, nil
		}
		box.Close() // the guess was another driver's
	}
	o.Driver = driver
	return sandbox.Open(ctx, o)
}

// prepare makes ready what a release needs to run, so that the first run is as
// quick as the next: its packages and its bytecode. A machine that cannot run
// the tool can still install it; the reason is a warning, and the run says it
// again.
func (c *Client) prepare(ctx context.Context, v verify.Verified) (string, error) {
	closure, err := closureOf(v)
	if err != nil {
		return "", err
	}
	s := &Subject{Tool: v.Tool(), Main: v.Main(), Closure: closure}
	box, err := c.sandbox(ctx, "", false)
	if err == nil {
		var env pyenv.Env
		if _, env, _, err = c.program(ctx, box, s); err == nil {
			if env.Dir == "" {
				return "", nil
			}
			return env.Key.Short(), nil
		}
	}
	switch fault.KindOf(err) {
	case fault.NotVerified, fault.Interrupted, fault.Findings:
		return "", err
	}
	c.warn(v.Ref().At() + " cannot run on this machine as it is: " + err.Error())
	return "", nil
}

// program finds the interpreter, the packages and the bytecode of a tool.
func (c *Client) program(ctx context.Context, box *sandbox.Sandbox, s *Subject) (*pyenv.Program, pyenv.Env, *pyenv.Interpreter, error) {
	pythons := pyenv.New(c.Host, box)
	in, err := pythons.Find(ctx, s.Tool.Runtime.PythonVersion, s.Closure != nil)
	if err != nil {
		return nil, pyenv.Env{}, nil, err
	}
	env, ready, err := pythons.EnvFor(in, s.Closure)
	if err != nil {
		return nil, env, in, err
	}
	if !ready {
		env, err = pythons.Install(ctx, in, s.Closure, pyenv.InstallOptions{Progress: func(p pyenv.Progress) {
			c.progress(p.Step+" packages of "+s.Tool.Name.String(), p.Done, p.Total)
		}})
		if err != nil {
			return nil, env, in, err
		}
	}
	program, err := pythons.Prepare(ctx, in, s.Main)
	return program, env, in, err
}

// job is the run of a subject with its arguments.
func (c *Client) job(ctx context.Context, box *sandbox.Sandbox, s *Subject, args []byte, grants []sandbox.Mount, l sandbox.Limits) (sandbox.Job, audit.Python, error) {
	program, env, in, err := c.program(ctx, box, s)
	if err != nil {
		return sandbox.Job{}, audit.Python{}, err
	}
	job := program.Job(pyenv.Call{Args: args, Env: env, Grants: grants, Network: s.Tool.Capabilities.Network, Limits: l})
	return job, audit.Python{Version: in.Version, Path: in.Path, Note: in.Note}, nil
}
