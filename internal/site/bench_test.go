package site

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

// BenchmarkRender writes the pages of many tools, each with a source of 4 KB,
// into an empty folder, and then once more over them.
func BenchmarkRender(b *testing.B) {
	const tools = 10_000
	r := registrytest.New(b)
	var batch registry.Batch
	body := strings.Repeat("def step(rows, limit=None):\n    \"\"\"Return the rows.\"\"\"\n    for i, row in enumerate(rows):\n        if limit is not None and i >= limit:\n            break\n        yield row['name'], 3.5 + i  # the rest\n\n", 18)
	for i := range tools {
		rel := registrytest.Release(fmt.Sprintf("tool_%05d", i), "1.0.0")
		rel.Tool.Tags = []string{fmt.Sprintf("tag-%d", i%300)}
		rel.Files[1].Data = append([]byte(strings.NewReplacer("output:", "outputs:", "  text: {type", "  - {name: text, type").Replace(string(rel.Files[1].Data))), body...)
		batch.Accept = append(batch.Accept, registry.Acceptance{
			Release: rel, Contributor: ledger.Owner{Login: fmt.Sprintf("user-%d", i%500), ID: int64(i%500) + 1}, Report: spec.DigestOf(rel.Files[0].Data),
		})
	}
	r.Seal(b, batch)
	dir := b.TempDir()
	for _, name := range []string{"fresh", "again"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if name == "fresh" {
					dir = b.TempDir()
				}
				before := spent(b)
				done, err := Render(b.Context(), r, dir)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(done.Pages), "pages")
				b.ReportMetric(float64((spent(b)-before).Milliseconds())/1000, "cpu-s")
			}
		})
	}
}

// spent is the processor time of the process, which other programs on the
// machine do not lengthen.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Skip(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
