package consume

import (
	"context"
	"maps"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// job is the artifact with what the call says to it, under the limits and with the
// network and paths that were granted.
func (a *action) job(ctx context.Context, k *call, argv []string, stdin []byte) (job sandbox.Job, err error) {
	if k.deployed.artifact == nil {
		return job, fault.New(fault.Unavailable, "not_provisioned", "what %s installs is not on this machine", a.tool.Name).
			Hint("patch-git pull %s", a.tool.Name)
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(k.deployed.env)) {
		env = append(env, name+"="+k.deployed.env[name])
	}
	// The artifact starts by its own command, which stands for that of the manifest.
	more := argv[len(a.tool.Deployment.Command):]
	if job, err = k.deployed.artifact.Job(k.deployed.artifact.Argv(more...), env, stdin); err != nil {
		return job, err
	}
	job.Mounts = append(job.Mounts, k.grants.mounts()...)
	job.Network, job.Limits, job.Gate = k.s.Tool.Capabilities.Network, k.o.Limits, k.gate()
	k.rec.Sandbox.EnvKeys = envKeys(job.Env)
	job.Uplink, err = k.reach.uplink(ctx)
	return job, err
}

// start runs the artifact once. A process is not started again because it failed:
// nobody knows which of its exit codes pass.
func (a *action) start(ctx context.Context, k *call) error {
	box, err := k.c.sandbox(ctx, k.o)
	if err != nil {
		return err
	}
	if k.o.warm == nil {
		defer box.Close()
	}
	k.rec.Sandbox.Driver = box.Driver()
	job, err := a.job(ctx, k, k.said.Argv, k.said.Stdin)
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
