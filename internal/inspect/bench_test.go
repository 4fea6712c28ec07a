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
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

var (
	releases = flag.Int("releases", 2000, "how many releases the tree of BenchmarkTree has")
	workflow = flag.Bool("workflow", false, "have them signed by a workflow, through a Sigstore of the public one's shape")
)

// job signs as acme's workflow.
type job struct{ *sigtest.Sigstore }

func (j job) Sign(_ context.Context, s *ledger.Statement) ([]byte, error) {
	return j.Sigstore.Sign(ledger.Encode(s), sigtest.GitHub("acme", "tools"), sigtest.OlderLog)
}

func (job) SignCheckpoint(context.Context, spec.RegistryName, ledger.LogRoot) ([]byte, error) {
	return nil, nil
}

// keylessTree is a tree that a workflow signs, with nothing in it.
func keylessTree(tb testing.TB) *tree {
	tb.Helper()
	s, err := sigtest.New(sigtest.Options{P384: true})
	if err != nil {
		tb.Fatal(err)
	}
	text, err := s.TrustedRoot()
	if err != nil {
		tb.Fatal(err)
	}
	root, err := keyless.ParseRoot(text)
	if err != nil {
		tb.Fatal(err)
	}
	id, c := ledger.GitHubIdentity("acme/tools"), sigtest.GitHub("acme", "tools")
	id.RepositoryID, id.OwnerID = c.RepositoryID, c.RepositoryOwnerID
	trust := ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id}
	t := &tree{tb: tb, signer: job{s}, store: registry.NewMemory(), clock: time.Now()}
	t.doc = &ledger.Registry{Schema: ledger.RegistrySchema, Name: "acme/tools", Trust: trust}
	t.policy = verify.Policy{Registry: t.doc.Name, Trust: trust, Sigstore: root}
	t.seal(t.store, registry.Batch{})
	return t
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

// big is a tree of a number of releases, two versions of each tool.
func big(tb testing.TB, n int) *tree {
	tb.Helper()
	t := newTree(tb)
	if *workflow {
		t = keylessTree(tb)
	}
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
//	go test ./internal/inspect -run '^$' -bench Tree -benchtime 3x -releases 10000 -workflow
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
