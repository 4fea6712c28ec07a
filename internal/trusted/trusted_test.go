//go:build unix

package trusted_test

import (
	"context"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/trusted"
)

// The program gets the given input and environment and nothing inherited.
func TestRun(t *testing.T) {
	t.Setenv("INHERITED", "yes")
	out, err := trusted.Run(t.Context(), []string{"/bin/sh", "-c", `cat; echo "$GIVEN$INHERITED"; pwd >&2; exit 3`}, []string{"GIVEN=given"}, "/", []byte("input "))
	if err != nil || out.Exit != 3 || string(out.Stdout) != "input given\n" || string(out.Stderr) != "/\n" || len(out.NotEnforced) == 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, argv := range [][]string{nil, {"sh"}, {"./sh"}} {
		if _, err := trusted.Run(t.Context(), argv, nil, "", nil); fault.ReasonOf(err) != "bad_job" {
			t.Errorf("%q: %v", argv, err)
		}
	}
	if _, err := trusted.Run(t.Context(), []string{"/nowhere/sh"}, nil, "", nil); fault.ReasonOf(err) != "not_started" {
		t.Errorf("a missing program: %v", err)
	}
}

func TestRunStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := trusted.Run(ctx, []string{"/bin/sh", "-c", "sleep 60"}, nil, "", nil)
	if fault.ReasonOf(err) != "run_cancelled" || time.Since(began) > 30*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}
