package mcpserver

import (
	"context"
	"math"
	"runtime/debug"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
)

// The bound never lies below what lives, and the process has its own back after.
func TestThrift(t *testing.T) {
	for _, live := range []uint64{0, limits.MiB, 24 * limits.MiB, 100 * limits.MiB, 8 << 30, math.MaxUint64} {
		got := memoryFor(live)
		if got < limits.MCPMemory || uint64(got) < min(live, 1<<60) {
			t.Errorf("%d bytes live, and %d may be held", live, got)
		}
	}
	before := debug.SetMemoryLimit(-1)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() {
		thrift(ctx)
		close(ended)
	}()
	for debug.SetMemoryLimit(-1) != limits.MCPMemory {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-ended
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("the limit is %d, and was %d", after, before)
	}
}
