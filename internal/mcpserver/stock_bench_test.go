package mcpserver

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
)

// BenchmarkStart is what a host waits for: the toolbox looked at, with the cards of
// an earlier server, and all pages of the list written. PATCH_GIT_BENCH_STATE is the
// folder of a user with many tools, as mcptest.Many makes it, of which a server ran
// to its end once.
//
//	PATCH_GIT_BENCH_STATE=… go test -run '^$' -bench Start ./internal/mcpserver
func BenchmarkStart(b *testing.B) {
	root := os.Getenv("PATCH_GIT_BENCH_STATE")
	if root == "" {
		b.Skip("PATCH_GIT_BENCH_STATE is not set")
	}
	tools := 0
	for b.Loop() {
		c, err := consume.New(&host.Host{Paths: paths.Paths{Root: root}, Now: time.Now})
		if err != nil {
			b.Fatal(err)
		}
		t := &toolset{stock: newStock(c, slog.New(slog.DiscardHandler))}
		if _, err := t.refresh(b.Context(), false); err != nil {
			b.Fatal(err)
		}
		tools = 0
		for cursor := ""; ; {
			page, err := t.list(b.Context(), &mcp.ListToolsParams{Cursor: cursor})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := page.MarshalJSON(); err != nil {
				b.Fatal(err)
			}
			tools += len(page.Tools) + len(page.rest)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
	}
	b.ReportMetric(float64(tools), "tools")
}
