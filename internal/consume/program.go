package consume

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// program is what a subject runs as. The stack around it is the same for all of them:
// a program decides nothing that a step before it has decided.
type program interface {
	// arguments checks those of a call and returns them as one canonical JSON object:
	// the bytes that a person is shown, an approval is bound to, and run is given as
	// k.args, or as k.grants.args with the paths in them as the sandbox shows them.
	arguments(s *Subject, raw json.RawMessage) (json.RawMessage, error)
	// prepare makes ready what can fail before anything is recorded as begun, and tells
	// by k.keep which values are secrets. Nothing of the tool may start in it, and
	// nothing of the call leave this process.
	prepare(ctx context.Context, k *call) error
	// run has the call done, after k.gate()() was nil, and answers by k.ran. k.out is
	// what is recorded and labelled of it, whatever the error.
	run(ctx context.Context, k *call) error
}

// gate is what the start waits for: the intent is written, and every step before was
// made. The gate of a run that was given up may still be asking.
func (k *call) gate() func() error {
	begun, tool, said := k.begun, k.s.Tool.Name, k.rec.Stages
	return func() error {
		_, err := begun()
		return cmp.Or(err, through(tool, said))
	}
}

// keep tells values that nobody but the tool may see: they are struck from the record,
// and from the answer.
func (k *call) keep(secrets ...string) { k.secrets = append(k.secrets, secrets...) }

// python is a Patch tool: one source, by an interpreter in the sandbox.
type python struct{}

func (python) arguments(s *Subject, raw json.RawMessage) (json.RawMessage, error) {
	return s.arguments(raw)
}

func (python) prepare(context.Context, *call) error { return nil }

func (python) run(ctx context.Context, k *call) error {
	s, o, rec, g := k.s, k.o, &k.rec, k.grants
	box, err := k.c.sandbox(ctx, o)
	if err != nil {
		return err
	}
	if o.warm == nil {
		defer box.Close() // whatever was started ahead and not needed
	}
	rec.Sandbox.Driver = box.Driver()
	job, python, release, err := k.c.job(ctx, o.warm, box, s, g.args, g.mounts(), o.Limits)
	if err != nil {
		return err
	}
	defer release()
	if s.parsedBy != nil {
		if err := s.parsedBy(ctx, python.Version); err != nil {
			return err
		}
	}
	if job.Uplink, err = k.reach.uplink(ctx); err != nil {
		return err
	}
	rec.Sandbox.Python, rec.Sandbox.EnvKeys = python, envKeys(job.Env)
	job.Gate, job.Heard = k.gate(), k.hear
	k.out, err = o.start(ctx, box, s, job)
	rec.Network, rec.NetworkMore = visited(job.Uplink)
	if err != nil {
		k.out = sandbox.Outcome{Exit: -1}
		return err
	}
	if s.Ref.Name != "" && !k.out.Warm && o.warm == nil {
		ahead.Learn(k.c.Host.Paths, s.Ref.Name, job, len(g.list) == 0 && !o.UnsafeNoSandbox, durable.Replace)
	}
	return k.result(python)
}
