//go:build unix

package registry_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/registry"
)

// BenchmarkSeal publishes one new version of a tool, every write durable, into
// a registry of a hundred tools on disk and, in turns so that both meet the
// same machine, into one of ten thousand. The medians must not tell them apart:
//
//	go test ./registry -run '^$' -bench Seal -benchtime 200x
func BenchmarkSeal(b *testing.B) {
	sizes := [...]int{100, 10_000}
	var stores [len(sizes)]registry.Store
	for i, tools := range sizes {
		dir := filepath.Join(b.TempDir(), "v1")
		unpackTree(b, dir, bigTree(b, tools))
		stores[i] = registry.OpenDir(dir)
	}
	syscall.Sync() // what was unpacked is not for the first seal to wait for
	var took [len(sizes)][]time.Duration
	for n := 0; b.Loop(); n++ {
		for i, s := range stores {
			batch := registry.Batch{Accept: []registry.Acceptance{
				acceptance(sealRelease(toolName(n*37%sizes[i]), fmt.Sprintf("2.0.%d", n), "Is newer.")),
			}}
			o := sealOptions(b, n%60)
			start := time.Now()
			mustSeal(b, s, batch, o)
			took[i] = append(took[i], time.Since(start))
		}
	}
	var median [len(sizes)]float64
	for i, t := range took {
		slices.Sort(t)
		median[i] = float64(t[len(t)/2]) / float64(time.Millisecond)
		b.ReportMetric(median[i], fmt.Sprintf("ms/%d-tools", sizes[i]))
	}
	b.ReportMetric(median[1]/median[0], "ratio")
}

// newborn is a store in which no seal ever died: the folders of new releases
// are empty, which Memory would look for in all of its files.
type newborn struct{ *registry.Memory }

func (n newborn) List(ctx context.Context, dir string) ([]string, error) {
	if strings.HasPrefix(dir, "releases/") {
		return nil, nil
	}
	return n.Memory.List(ctx, dir)
}

func toolName(i int) string { return fmt.Sprintf("tool_%05d", i) }

// bigTree is a registry of tools with three versions each, after a life that
// touched every bucket.
func bigTree(tb testing.TB, tools int) map[string][]byte {
	tb.Helper()
	s := newborn{registry.NewMemory()}
	for v := range 3 {
		var batch registry.Batch
		for i := range tools {
			batch.Accept = append(batch.Accept, acceptance(sealRelease(toolName(i), fmt.Sprintf("1.%d.0", v), "Does one useful thing to the text that it is given.")))
		}
		mustSeal(tb, s, batch, sealOptions(tb, v))
	}
	mustSeal(tb, s, registry.Batch{Accept: []registry.Acceptance{acceptance(sealRelease("last_tool", "1.0.0", "Is the last."))}}, sealOptions(tb, 4))
	return s.Files()
}
