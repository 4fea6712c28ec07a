package mcpserver

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
)

// thrift keeps the garbage of a server within bounds until ctx ends. main lets the
// heap of a command grow to five times what lives in it, which makes calls fast and
// is never seen in a process of milliseconds; a server with ten thousand tools would
// keep all that for days. The bound follows what lives: one below it would have the
// collector run without end.
func thrift(ctx context.Context) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limits.MCPMemory))
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	next := time.NewTicker(limits.MCPPulse)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		metrics.Read(sample)
		debug.SetMemoryLimit(memoryFor(sample[0].Value.Uint64()))
	}
}

// memoryFor is how much memory a server may hold whose heap has so many bytes that
// live.
func memoryFor(live uint64) int64 {
	return max(limits.MCPMemory, 2*int64(min(live, 1<<60))+limits.MCPSpare)
}
