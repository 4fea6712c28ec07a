package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
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
