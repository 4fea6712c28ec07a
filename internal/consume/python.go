package consume

import (
	"context"
	"slices"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// sandbox opens the sandbox of a run, by one driver alone where it is named.
func (c *Client) sandbox(ctx context.Context, o RunOptions) (*sandbox.Sandbox, error) {
	options := ahead.Options(c.Host.Paths, c.Host.Now)
	if o.UnsafeNoSandbox && o.Driver != "" {
		return nil, fault.New(fault.Usage, "usage", "a run has a sandbox or none, not both")
	}
	if o.warm != nil {
		if o.Driver != "" && o.Driver != o.warm.box.Driver() {
			return nil, fault.New(fault.Denied, "sandbox_unavailable", "this server runs tools by the driver %s, and not by %s", o.warm.box.Driver(), o.Driver)
		}
		return o.warm.box, nil
	}
	if o.UnsafeNoSandbox {
		c.warn("the tool runs without a sandbox, with all of your rights")
		return sandbox.OpenUnsafe(options)
	}
	if box := ahead.Take(); box != nil {
		if o.Driver == "" || o.Driver == box.Driver() {
			return box, nil
		}
		box.Close() // the guess was another driver's
	}
	options.Driver = o.Driver
	return sandbox.Open(ctx, options)
}

// Pythons opens the interpreters of this user.
func (c *Client) Pythons(ctx context.Context) (*pyenv.Pythons, error) {
	box, err := c.sandbox(ctx, RunOptions{})
	if err != nil {
		return nil, err
	}
	return pyenv.New(c.Host, box), nil
}

// InstallPython downloads an interpreter, "3.12" or "3.12.14", from the mirror
// if one is named. fresh is false where it was there.
func (c *Client) InstallPython(ctx context.Context, version, mirror string) (in *pyenv.Interpreter, fresh bool, err error) {
	p, err := c.Pythons(ctx)
	if err != nil {
		return nil, false, err
	}
	return p.Download(ctx, version, pyenv.DownloadOptions{Mirror: mirror, Progress: func(g pyenv.Progress) {
		c.progress(g.Step+" Python "+version, g.Done, g.Total)
	}})
}

// prepare makes ready what a release needs to run, so that the first run is as
// quick as the next: its packages and its bytecode. A machine that cannot run
// the tool can still install it; the reason is a remark, and the run says it
// again.
//
// A release without packages for this platform will never run here, and one
// whose packages come from an address that is refused should not: both are
// errors. Until release is called the packages stay.
func (c *Client) prepare(ctx context.Context, v verify.Verified) (environment, remark string, release func(), err error) {
	release = func() {}
	if v.Document().Format != spec.FormatPatch {
		return "", "", release, nil // what it needs, if anything, is acquired when a person sets it up
	}
	closure, err := closureOf(v)
	if err != nil {
		return "", "", release, err
	}
	s := &Subject{Tool: v.Tool(), Main: v.Main(), Closure: closure}
	box, err := c.sandbox(ctx, RunOptions{})
	if err == nil {
		var m *machine
		if m, err = c.program(ctx, box, s); err == nil {
			if m.env.Dir == "" {
				return "", "", m.release, nil
			}
			return m.env.Key.Short(), "", m.release, nil
		}
	}
	switch fault.KindOf(err) {
	case fault.NotVerified, fault.Interrupted, fault.Findings:
		return "", "", release, err
	}
	if slices.Contains([]string{"no_target", "wheel_address"}, fault.ReasonOf(err)) {
		return "", "", release, err
	}
	return "", v.Ref().At() + " cannot run on this machine as it is: " + err.Error(), release, nil
}

// machine is what a tool runs on.
type machine struct {
	program *pyenv.Program
	env     pyenv.Env
	python  *pyenv.Interpreter
	release func() // lets the packages be pruned again
}

// program finds the interpreter, the packages and the bytecode of a tool.
func (c *Client) program(ctx context.Context, box *sandbox.Sandbox, s *Subject) (*machine, error) {
	if err := interpreted(s.Tool); err != nil {
		return nil, err
	}
	pythons := pyenv.New(c.Host, box)
	in, err := pythons.Find(ctx, s.Tool.Runtime.PythonVersion, s.Closure != nil)
	if err != nil {
		return nil, err
	}
	env, made, release, err := pythons.Use(ctx, in, s.Closure, pyenv.InstallOptions{Progress: func(p pyenv.Progress) {
		c.progress(p.Step+" packages of "+s.Tool.Name.String(), p.Done, p.Total)
	}})
	if err != nil {
		return nil, err
	}
	if made {
		box.Close() // what was started ahead sees the packages that were there before
	}
	program, err := pythons.Prepare(ctx, in, s.Main)
	if err != nil {
		release()
		return nil, err
	}
	return &machine{program, env, in, release}, nil
}

// job is the run of a subject with its arguments. Until release is called its
// packages stay.
func (c *Client) job(ctx context.Context, w *Warm, box *sandbox.Sandbox, s *Subject, args []byte, grants []sandbox.Mount, l sandbox.Limits) (job sandbox.Job, python audit.Python, release func(), err error) {
	m, err := w.program(ctx, c, box, s)
	if err != nil {
		return job, python, func() {}, err
	}
	job = m.program.Job(pyenv.Call{Args: args, Env: m.env, Grants: grants, Network: s.Tool.Capabilities.Network, Limits: l})
	return job, audit.Python{Version: m.python.Version, Path: m.python.Path, Note: m.python.Note}, m.release, nil
}
