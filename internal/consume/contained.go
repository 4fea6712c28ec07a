package consume

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/provision"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/trusted"
)

// contained is one run of a container by its engine. The engine's program only speaks
// with a service, which holds the container: whoever kills that program ends nothing.
// So each run has a name, by which it is ended when it did not end by itself.
type contained struct {
	prefix    *provision.Prefix
	argv, env []string // of the engine's program, to the container's first argument
	engineEnv []string
	stdin     []byte
	// talk speaks with what runs, in place of stdin. It returns when it is over, or when
	// out ends.
	talk func(in io.Writer, out io.Reader)
}

// run runs the container to its end, or until ctx is over, and leaves none behind.
func (r contained) run(ctx context.Context) (out sandbox.Outcome, err error) {
	name := "patch-git-" + rand.Text()
	argv, env := r.prefix.Named(r.argv, name), slices.Concat(r.env, r.engineEnv)
	if r.talk == nil {
		out, err = trusted.Run(ctx, argv, env, "", r.stdin)
	} else {
		out, err = r.speak(ctx, argv, env, name)
	}
	if err != nil {
		r.end(ctx, name)
		return sandbox.Outcome{Exit: -1}, err
	}
	out.Driver = r.prefix.Engine
	out.NotEnforced = []string{"the container: " + r.prefix.Engine + " holds it, and not this program"}
	return out, nil
}

// polite is how long what was spoken with may take to see that nobody speaks any more.
const polite = 2 * time.Second

// speak runs a container that is spoken with. Files, and not pipes of this process, are
// what the engine's program has: it ends as soon as its container does, whoever reads.
func (r contained) speak(ctx context.Context, argv, env []string, name string) (sandbox.Outcome, error) {
	none := sandbox.Outcome{Exit: -1}
	inR, inW, err := os.Pipe()
	if err != nil {
		return none, fault.New(fault.Unavailable, "not_started", "make a pipe: %w", err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return none, errors.Join(fault.New(fault.Unavailable, "not_started", "make a pipe: %w", err), inR.Close(), inW.Close())
	}
	defer func() { _ = outR.Close() }()
	out, ended := none, make(chan error, 1)
	go func() {
		var err error
		out.Exit, out.Stderr, err = trusted.Pipe(ctx, argv, env, "", inR, outW)
		_ = errors.Join(inR.Close(), outW.Close()) // whoever still reads or writes hears of it
		ended <- err
	}()
	r.talk(inW, io.LimitReader(outR, limits.Stdout))
	_ = inW.Close()
	go func() { _, _ = io.Copy(io.Discard, outR) }()
	late := time.AfterFunc(polite, func() { r.end(ctx, name) })
	defer late.Stop()
	err = <-ended
	return out, err
}

// end takes a container away. One that is gone is as good.
func (r contained) end(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.EngineEnd)
	defer cancel()
	_, _ = trusted.Run(ctx, r.prefix.End(name), r.engineEnv, "", nil)
}
