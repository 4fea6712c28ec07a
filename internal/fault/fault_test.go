package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
)

func TestKindsAndExitCodes(t *testing.T) {
	cause := fmt.Errorf("opening: %w", fs.ErrNotExist)
	e := fault.New(fault.Unavailable, "network", "fetch %q: %w", "x", cause).Hint("try %s", "again")
	wrapped := fmt.Errorf("pull: %w", e)
	if got := fault.KindOf(wrapped); got != fault.Unavailable {
		t.Errorf("KindOf is %v", got)
	}
	if fault.ReasonOf(wrapped) != "network" || !slices.Equal(fault.HintsOf(wrapped), []string{"try again"}) {
		t.Errorf("reason %q, hints %q", fault.ReasonOf(wrapped), fault.HintsOf(wrapped))
	}
	if !errors.Is(wrapped, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
	if got, want := e.Error(), `fetch "x": opening: file does not exist`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// A second classification speaks for what it wraps and keeps its hints.
	outer := fault.New(fault.NotVerified, "log", "check: %w", e)
	if fault.KindOf(outer) != fault.NotVerified || len(fault.HintsOf(outer)) != 1 {
		t.Errorf("outer is %v with hints %q", fault.KindOf(outer), fault.HintsOf(outer))
	}
	codes := map[fault.Kind]int{
		fault.Internal: 1, fault.Usage: 2, fault.Findings: 3, fault.NotVerified: 4, fault.Denied: 5, fault.NotFound: 6,
		fault.Unavailable: 7, fault.ToolFailed: 8, fault.Interrupted: 130,
	}
	for k, want := range codes {
		if k.ExitCode() != want {
			t.Errorf("%v exits with %d, want %d", k, k.ExitCode(), want)
		}
	}
}

func TestUnclassified(t *testing.T) {
	for err, want := range map[error]fault.Kind{
		errors.New("x"): fault.Internal, context.Canceled: fault.Interrupted, context.DeadlineExceeded: fault.Unavailable,
	} {
		if got := fault.KindOf(err); got != want {
			t.Errorf("KindOf(%v) is %v, want %v", err, got, want)
		}
	}
}
