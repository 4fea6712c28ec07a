package consume

import (
	"bytes"
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
	if err != nil || out.Exit < 0 || out.Exit == engineFailed {
		r.end(ctx, name)
	}
	if err != nil {
		return sandbox.Outcome{Exit: -1}, err
	}
	out.Driver = r.prefix.Engine
	out.NotEnforced = []string{"the container: " + r.prefix.Engine + " holds it, and not this program"}
	return out, nil
}

// engineFailed is the exit code by which an engine's program says that it failed itself:
// whether its container runs, nobody knows then.
const engineFailed = 125

// polite is how long what was spoken with may take to see that nobody speaks any more,
// and whoever speaks to see that nobody is left.
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
		// But not where another process holds those ends, too.
		past := time.Unix(1, 0)
		hush := func() { _ = errors.Join(inW.SetWriteDeadline(past), outR.SetReadDeadline(past)) }
		if err == nil { // what it said before is still to be read
			time.AfterFunc(polite, hush)
		} else {
			hush()
		}
		ended <- err
	}()
	r.talk(inW, io.LimitReader(outR, limits.Stdout))
	_ = inW.Close()
	go func() { _, _ = io.Copy(io.Discard, outR) }()
	for {
		select {
		case err = <-ended:
			return out, err
		case <-time.After(polite):
			go r.end(ctx, name)
		}
	}
}

// again are the pauses before each try to take a container away: a service that was told
// to make one, by a program that is gone, may be about to.
var again = [...]time.Duration{0, 100 * time.Millisecond, 400 * time.Millisecond, time.Second}

// end takes a container away, of which its engine says the name. One that is gone is as
// good.
func (r contained) end(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.EngineEnd)
	defer cancel()
	for _, pause := range again {
		time.Sleep(pause)
		out, err := trusted.Run(ctx, r.prefix.End(name), r.engineEnv, "", nil)
		if err != nil || out.Exit == 0 && len(bytes.TrimSpace(out.Stdout)) > 0 {
			return
		}
	}
}
