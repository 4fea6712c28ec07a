package consume

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// ExamineCommand is the command of this program that looks through the index in
// a folder, and Examined what it says of a sound one.
const (
	ExamineCommand = "examine-index"
	Examined       = "sound"
)

// examine lets this program look through an installed index in the sandbox: with
// nothing of this machine but itself and that folder, no network, and an end to
// its memory and its time. Where that cannot be had, nobody looks at it.
func (c *Client) examine(ctx context.Context, dir string) error {
	if c.Host.Executable == "" {
		return fault.New(fault.Unavailable, "examine", "this program does not know where it lies, so that nothing can look through it")
	}
	box, err := c.sandbox(ctx, RunOptions{})
	if err != nil {
		return err
	}
	program, err := filepath.EvalSymlinks(c.Host.Executable)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return fault.New(fault.Unavailable, "examine", "look through an index: %w", err)
	}
	inside := "/program/" + filepath.Base(program)
	job := sandbox.Job{
		Argv:   []string{inside, ExamineCommand, "/index"},
		Mounts: append(sandbox.HostLibraries(), sandbox.Mount{Source: program, Target: inside}, sandbox.Mount{Source: dir, Target: "/index"}),
		Limits: sandbox.Limits{Wall: limits.IndexTime, CPU: limits.IndexTime, Memory: limits.IndexMemory, Stdout: limits.KiB, Stderr: limits.KiB},
	}
	out, err := box.Run(ctx, job)
	switch {
	case err != nil:
		return err
	case out.TimedOut:
		return fault.New(fault.NotVerified, "index", "looking through it takes longer than %v", limits.IndexTime)
	case out.OutOfMemory:
		return fault.New(fault.NotVerified, "index", "looking through it takes too much memory")
	case out.Signal != "":
		return fault.New(fault.NotVerified, "index", "looking through it ended with %s", out.Signal)
	case out.Exit != 0 || strings.TrimSpace(string(out.Stdout)) != Examined:
		return fault.New(fault.NotVerified, "index", "looking through it says %s", said(out.Stderr))
	}
	return nil
}

// said is what the program complained of, or of what it died.
func said(stderr []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(stderr)), "\n")
	return spec.Quote(strings.TrimPrefix(line, "patch-git: error: "))
}
