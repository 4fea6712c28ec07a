package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestGate: a program starts only after its gate opened, and not at all when
// the gate says no, in every driver.
func TestGate(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		mark := filepath.Join(dir, "ran")
		job := tool(t, "open("+strconv.Quote(mark)+", \"w\").close()\n")
		job.Mounts = append(job.Mounts, sandbox.Mount{Source: dir, Target: dir, Write: true})

		no := errors.New("no")
		job.Gate = func() error { return no }
		if out, err := s.Run(t.Context(), job); !errors.Is(err, no) || out.Exit != -1 {
			t.Errorf("a closed gate: %+v, %v", out, err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Error("the program ran behind a closed gate")
		}
		job.Gate = func() error {
			time.Sleep(50 * time.Millisecond) // the sandbox is built by now
			if _, err := os.Stat(mark); err == nil {
				t.Error("the program did not wait for its gate")
			}
			return nil
		}
		if out, err := s.Run(t.Context(), job); err != nil || out.Exit != 0 {
			t.Errorf("an open gate: %+v, %v", out, err)
		}
		if _, err := os.Stat(mark); err != nil {
			t.Error("the program did not run behind an open gate")
		}
	})
}

// TestGateOfALargeCaller: what the caller holds is not the program's, though the
// process that waits for the gate shares it.
func TestGateOfALargeCaller(t *testing.T) {
	ballast := make([]byte, 300*mib)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, "print('ok')")
		job.Limits.Memory = 256 * mib
		job.Gate = func() error {
			time.Sleep(200 * time.Millisecond) // several counts
			runtime.KeepAlive(ballast)
			return nil
		}
		if out := run(t, s, job); out.OutOfMemory || string(out.Stdout) != "ok\n" {
			t.Errorf("got %+v\n%s", out, out.Stderr)
		}
	})
}
