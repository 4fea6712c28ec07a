package consume

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// environment are the collected values as a process gets them.
func (k *call) environment() (env []string) {
	for _, name := range slices.Sorted(maps.Keys(k.deployed.env)) {
		env = append(env, name+"="+k.deployed.env[name])
	}
	return env
}

// argv is the command line of a call: the artifact starts by its own command, which
// stands for that of the manifest.
func (a *action) argv(k *call) []string {
	return k.started(k.said.Argv[len(a.tool.Deployment.Command):]...)
}

// started is the artifact's own command with more arguments, without network where the
// operation has none, which may have less than the tool.
func (k *call) started(more ...string) []string {
	argv := k.deployed.prefix.Argv(more...)
	if !k.s.Tool.Capabilities.Network {
		argv = k.deployed.prefix.Offline(argv)
	}
	return argv
}

// job is the artifact with what the call says to it, under the limits and with the
// network and paths that were granted.
func (a *action) job(ctx context.Context, k *call, argv []string, stdin []byte) (job sandbox.Job, err error) {
	if job, err = k.deployed.prefix.Job(argv, k.environment(), stdin); err != nil {
		return job, err
	}
	l := k.o.Limits
	l.Memory = cmp.Or(l.Memory, job.Limits.Memory)
	job.Mounts = append(job.Mounts, k.grants.mounts()...)
	job.Network, job.Limits, job.Gate = k.s.Tool.Capabilities.Network, l, k.gate()
	k.rec.Sandbox.EnvKeys = envKeys(job.Env)
	job.Uplink, err = k.reach.uplink(ctx)
	return job, err
}

// start runs the artifact once. A process is not started again because it failed:
// nobody knows which of its exit codes pass.
func (a *action) start(ctx context.Context, k *call) error {
	if err := a.there(k); err != nil {
		return err
	}
	if k.deployed.prefix.Engine != "" {
		return a.contained(ctx, k)
	}
	box, err := k.c.sandbox(ctx, k.o)
	if err != nil {
		return err
	}
	if k.o.warm == nil {
		defer box.Close()
	}
	k.rec.Sandbox.Driver = box.Driver()
	job, err := a.job(ctx, k, a.argv(k), k.said.Stdin)
	if err != nil {
		return err
	}
	k.rec.Operation.Attempts = 1
	k.out, err = box.Run(ctx, job)
	k.rec.Network, k.rec.NetworkMore = visited(job.Uplink)
	if err != nil {
		k.out = sandbox.Outcome{Exit: -1}
		return err
	}
	k.outcome()
	if err := a.ended(k); err != nil {
		return err
	}
	return a.answer(k, invoke.Reply{Body: k.out.Stdout, Exit: k.out.Exit})
}

// there refuses where nothing is installed that could be started.
func (a *action) there(k *call) error {
	if k.deployed.prefix == nil {
		return fault.New(fault.Unavailable, "not_provisioned", "what %s installs is not on this machine", a.tool.Name).
			Hint("patch-git pull %s", a.tool.Name)
	}
	return nil
}

// contained runs a container by its engine, which makes a sandbox of its own: this
// program bounds its time, and says of the rest that it does not.
func (a *action) contained(ctx context.Context, k *call) error {
	if err := a.contain(ctx, k, contained{argv: a.argv(k), stdin: k.said.Stdin}); err != nil {
		return err
	}
	if err := a.ended(k); err != nil {
		return err
	}
	return a.answer(k, invoke.Reply{Body: k.out.Stdout, Exit: k.out.Exit})
}

// contain runs a container once, under the time that a call has.
func (a *action) contain(ctx context.Context, k *call, r contained) error {
	if len(k.grants.list) > 0 {
		return fault.New(fault.Unavailable, "engine", "%s runs in a container, which is given no files of yours", a.name())
	}
	p, _, err := k.c.provisioner(nil)
	if err != nil {
		return err
	}
	r.prefix, r.env, r.engineEnv = k.deployed.prefix, k.environment(), p.EngineEnv()
	k.rec.Sandbox.Driver, k.rec.Sandbox.EnvKeys = r.prefix.Engine, envKeys(r.env)
	if err := k.gate()(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wall(k), errCallTime)
	defer cancel()
	k.rec.Operation.Attempts = 1
	began := k.c.Host.Now()
	k.out, err = r.run(ctx)
	if ctx.Err() != nil {
		return timedOut(a.name(), context.Cause(ctx))
	}
	if err != nil {
		return err
	}
	k.out.Duration = k.c.Host.Now().Sub(began)
	k.outcome()
	return nil
}

// outcome notes how a process ended, and under what it ran.
func (k *call) outcome() {
	out, rec := &k.out, &k.rec
	out.NotEnforced = append(out.NotEnforced, k.grants.notes...)
	rec.Sandbox.Driver, rec.Sandbox.NotEnforced = out.Driver, out.NotEnforced
	rec.ExitCode, rec.DurationMS = out.Exit, out.Duration.Milliseconds()
}

// ended is the failure of a process that the sandbox ended. One that ended by itself
// said by its exit code and its output how it went.
func (a *action) ended(k *call) error {
	out := k.out
	if out.Exit > 0 && !out.TimedOut && !out.OutOfMemory && !out.TooManyProcesses && !out.StdoutCut {
		return nil
	}
	return failure(k.s.Tool, out)
}
