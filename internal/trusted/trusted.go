// Package trusted runs a program that the person installed and trusts with all
// of their rights, in no sandbox at all. It exists for the package resolver uv
// and for git, which a maintainer runs when accepting and publishing a version,
// for gh, which is asked for the token of who contributes, for the programs of a
// desktop that tell a person of what waits for their word, for git and a container
// engine that acquire what an install manifest names (package provision checks the
// address, commit and digest that they are given), and for nothing else: no file or
// byte of a tool, a package or a registry may decide what runs here. What an engine
// runs of an image it holds in a container of its own. It is apart from package sandbox, which starts everything else,
// because what it needs of the standard library is initialised late, and a run
// would wait for that.
package trusted

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// grace is how long a killed program's pipes are waited for.
const grace = 2 * time.Second

// Run runs a program to its end. argv[0] is absolute; env is the whole
// environment. The program's own failure is an Outcome; an error means that it
// did not start or that ctx ended it.
func Run(ctx context.Context, argv, env []string, dir string, stdin []byte) (sandbox.Outcome, error) {
	if len(argv) == 0 || !filepath.IsAbs(argv[0]) {
		return sandbox.Outcome{Exit: -1}, fault.New(fault.Internal, "bad_job", "program path is not absolute")
	}
	stdout := &capped{limit: limits.Stdout}
	code, stderr, cut, err := run(ctx, argv, env, dir, bytes.NewReader(stdin), stdout)
	if err != nil {
		return sandbox.Outcome{Exit: -1}, err
	}
	return sandbox.Outcome{
		Exit: code, Stdout: stdout.kept, Stderr: stderr,
		StdoutCut: stdout.cut, StderrCut: cut, Driver: "none",
		NotEnforced: []string{"everything: the program is trusted"},
	}, nil
}

// Pipe is Run for a program that is given, or answers, more than should be held
// at once: stdin is read and stdout written while it runs, so that the caller
// bounds both. It returns the exit code and the beginning of stderr.
func Pipe(ctx context.Context, argv, env []string, dir string, stdin io.Reader, stdout io.Writer) (exit int, stderr []byte, err error) {
	if len(argv) == 0 || !filepath.IsAbs(argv[0]) {
		return -1, nil, fault.New(fault.Internal, "bad_job", "program path is not absolute")
	}
	exit, stderr, _, err = run(ctx, argv, env, dir, stdin, stdout)
	return exit, stderr, err
}

func run(ctx context.Context, argv, env []string, dir string, stdin io.Reader, stdout io.Writer) (code int, stderr []byte, cut bool, err error) {
	talk := &capped{limit: limits.Stderr}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	// An empty Env would mean the inherited one to os/exec.
	cmd.Env = append([]string{"LC_ALL=C.UTF-8"}, env...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, stdin, stdout, talk
	cmd.WaitDelay = grace
	err = cmd.Run()
	if ctx.Err() != nil {
		return -1, nil, false, fault.New(fault.KindOf(ctx.Err()), "run_cancelled", "run of %s was stopped: %w", filepath.Base(argv[0]), ctx.Err())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && cmd.ProcessState == nil {
		return -1, nil, false, fault.New(fault.Unavailable, "not_started", "start %s: %w", filepath.Base(argv[0]), err)
	}
	if err != nil && exit == nil { // it ran, and the one who reads or writes on our side failed
		return -1, nil, false, fault.New(fault.KindOf(err), fault.ReasonOf(err), "run %s: %w", filepath.Base(argv[0]), err)
	}
	return cmd.ProcessState.ExitCode(), talk.kept, talk.cut, nil
}

// capped keeps the first bytes that are written to it and counts on.
type capped struct {
	kept  []byte
	limit int
	cut   bool
}

func (c *capped) Write(b []byte) (int, error) {
	room := max(c.limit-len(c.kept), 0)
	c.kept = append(c.kept, b[:min(room, len(b))]...)
	c.cut = c.cut || len(b) > room
	return len(b), nil
}
