//go:build unix

package consume

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/provision"
	"github.com/patch-cat/patch-git/spec"
)

// engineOf is an engine that does what a script says to run a container, in a folder
// where it is; "rm" says the name of a container that is there and takes it away.
func engineOf(t *testing.T, run, rm string) (contained, string) {
	t.Helper()
	dir := t.TempDir()
	engine := filepath.Join(dir, "engine")
	script := "#!/bin/sh\ncd " + dir + "\ncase $1 in\nrun)\n: >begun\n" + run + "\n;;\nrm)\n" + rm + "\nif [ -e container ]; then rm container; echo \"$4\"; fi\n;;\nesac\n"
	if err := os.WriteFile(engine, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	argv := []string{engine, "run", "x@sha256:1"}
	return contained{
		prefix: &provision.Prefix{Engine: engine, Run: argv[:2], Command: argv}, argv: argv, env: []string{"PATH=/usr/bin:/bin"},
		engineEnv: []string{"PATH=/usr/bin:/bin"},
	}, dir
}

func thereIs(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// begun is a context that is over as soon as an engine was told to run something.
func begun(t *testing.T, dir string) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil && !thereIs(dir, "begun") {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	return ctx
}

// TestContainedEnd: a container ends with its run, whatever became of the program that
// was to stay with it. The twin is one whose program says by itself how it ended.
func TestContainedEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		run, rm string
		giveUp  bool
		left    bool
		exit    int
	}{
		"given up":                   {run: ": >container; exec sleep 20", giveUp: true, exit: -1},
		"given up before it is made": {run: "exec sleep 20", rm: "if [ ! -e asked ]; then : >asked; : >container; exit; fi", giveUp: true, exit: -1},
		"its program was killed":     {run: ": >container; kill -9 $$", exit: -1},
		"its program lost it":        {run: ": >container; exit 125", exit: 125},
		"it ended by itself":         {run: ": >container; exit 3", exit: 3, left: true}, // which the engine would take away
	} {
		t.Run(name, func(t *testing.T) {
			r, dir := engineOf(t, tt.run, tt.rm)
			ctx := t.Context()
			if tt.giveUp {
				ctx = begun(t, dir)
			}
			out, err := r.run(ctx)
			if (err != nil) != tt.giveUp || err != nil && fault.ReasonOf(err) != "run_cancelled" || out.Exit != tt.exit {
				t.Errorf("%+v, %v", out, err)
			}
			if thereIs(dir, "container") != tt.left {
				t.Error("the container is not as it should be")
			}
			if strings.Contains(tt.rm, "asked") && !thereIs(dir, "asked") {
				t.Error("nobody asked for its end")
			}
		})
	}
}

// TestContainedTalk: a conversation ends with its run, also where something that the
// engine's program started holds its streams.
func TestContainedTalk(t *testing.T) {
	r, dir := engineOf(t, ": >container; sleep 20 & exec sleep 20", "")
	var heard error
	r.talk = func(_ io.Writer, out io.Reader) { _, heard = io.ReadAll(out) }
	began := time.Now()
	out, err := r.run(begun(t, dir))
	if fault.ReasonOf(err) != "run_cancelled" || out.Exit != -1 || heard == nil || time.Since(began) > 15*time.Second {
		t.Errorf("%+v, %v, after %v with %v", out, err, time.Since(began), heard)
	}
	// The twin.
	r, _ = engineOf(t, "echo hello", "")
	var said []byte
	r.talk = func(_ io.Writer, out io.Reader) { said, heard = io.ReadAll(out) }
	if out, err := r.run(t.Context()); err != nil || out.Exit != 0 || heard != nil || string(said) != "hello\n" {
		t.Errorf("the twin: %+v, %v, %q, %v", out, err, said, heard)
	}
}

// TestHearNothing: what fails while a tool's answer is looked at early fails again where
// somebody catches it, and takes no process with it.
func TestHearNothing(t *testing.T) {
	tool := &spec.Tool{}
	k := &call{s: &Subject{Tool: tool}, begun: func() (*audit.Run, error) { panic("on purpose") }}
	k.hear([]byte("1\n"))
	if k.heard.line != nil || k.heard.wrong != nil {
		t.Errorf("it heard %+v", k.heard)
	}
	// The twin.
	k.begun = func() (*audit.Run, error) { return nil, io.EOF }
	k.hear([]byte("noise\n1\n"))
	if string(k.heard.line) != "1" {
		t.Errorf("it heard %+v", k.heard)
	}
}
