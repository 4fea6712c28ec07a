package inspect_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

var releases = flag.Int("releases", 2000, "how many releases the tree of BenchmarkTree has")

// newborn is a store in which no seal ever died: the folders of new releases
// are empty, which Memory would look for in all of its files.
type newborn struct{ *registry.Memory }

func (n newborn) List(ctx context.Context, dir string) ([]string, error) {
	if strings.HasPrefix(dir, "releases/") {
		return nil, nil
	}
	return n.Memory.List(ctx, dir)
}

// big is a tree of a number of releases, two versions of each tool.
func big(tb testing.TB, n int) *tree {
	tb.Helper()
	t := newTree(tb)
	for v := range 2 {
		var b registry.Batch
		for i := range n / 2 {
			b.Accept = append(b.Accept, accepted(tb, spec.Name(fmt.Sprintf("tool_n%d", i)), spec.Version(fmt.Sprintf("1.%d.0", v))))
		}
		t.seal(newborn{t.store}, b)
	}
	return t
}

// BenchmarkTree audits a whole tree in memory and in a folder, with one core
// and with all, and reports releases/s:
//
//	go test ./internal/inspect -run '^$' -bench Tree -benchtime 3x -releases 10000
func BenchmarkTree(b *testing.B) {
	t := big(b, *releases)
	dir := filepath.Join(b.TempDir(), "v1")
	for p, data := range t.store.Files() {
		file := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	all := runtime.GOMAXPROCS(0)
	for _, where := range []struct {
		name string
		src  registry.Source
	}{{"memory", t.store}, {"folder", registry.OpenDir(dir)}} {
		for _, quick := range []bool{false, true} {
			for _, cores := range []int{1, all} {
				b.Run(fmt.Sprintf("%s/quick=%t/cores=%d", where.name, quick, cores), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
					start, n := time.Now(), int64(0)
					for b.Loop() {
						r, err := inspect.Tree(b.Context(), where.src, t.policy, inspect.Options{Quick: quick})
						if err == nil {
							err = r.Err()
						}
						if err != nil {
							b.Fatal(err, r)
						}
						n += r.Counts.Releases
					}
					b.ReportMetric(float64(n)/time.Since(start).Seconds(), "releases/s")
				})
			}
		}
	}
}
