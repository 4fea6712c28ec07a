//go:build !linux && !darwin

package sandbox_test

import (
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestOpenRefuses sees that a system without a driver runs nothing.
func TestOpenRefuses(t *testing.T) {
	_, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now})
	if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "sandbox_unavailable" || len(fault.HintsOf(err)) == 0 {
		t.Errorf("got %v", err)
	}
	if reports := sandbox.Probe(t.Context(), sandbox.Options{Now: time.Now}); len(reports) != 0 {
		t.Errorf("got %v", reports)
	}
}
