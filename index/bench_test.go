package index

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// catalogue makes n tools of words whose frequencies are those of a language,
// and requests for some of them.
func catalogue(n, requests int) (tools []ledger.Listing, queries []string) {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 30, uint64(2000+4*n))
	syllables := []string{"ba", "con", "de", "fi", "gra", "ho", "in", "ju", "ka", "lo", "me", "no", "pre", "qui", "ro", "sta", "tor", "un", "ver", "we", "xi", "yo", "za", "ment", "ing"}
	words := func(n int) string {
		out := make([]string, n)
		for i := range out {
			for w := zipf.Uint64() + 25; w > 0; w /= 25 {
				out[i] += syllables[w%25]
			}
		}
		return strings.Join(out, " ")
	}
	for i := range n {
		l := tool(fmt.Sprintf("tool_%s_%06d", strings.ReplaceAll(words(2), " ", "_"), i), words(12)+".", func(l *ledger.Listing) {
			l.Owners = []string{fmt.Sprintf("owner%d", i%97)}
			l.Permissions.Network = i%3 == 0
			l.Summary.License = "MIT"
			l.Summary.Tags = []string{fmt.Sprintf("tag%d", i%61), fmt.Sprintf("tag%d", i%7)}
			for range 3 {
				l.Summary.Inputs = append(l.Summary.Inputs, ledger.SummaryInput{Name: strings.ReplaceAll(words(2), " ", "_"), Description: words(6)})
				l.Summary.Examples = append(l.Summary.Examples, "please "+words(8))
			}
		})
		l.Name = spec.Name(l.Name.String()[:min(48, len(l.Name))])
		tools = append(tools, l)
	}
	slices.SortFunc(tools, func(a, b ledger.Listing) int { return strings.Compare(string(a.Name), string(b.Name)) })
	tools = slices.CompactFunc(tools, func(a, b ledger.Listing) bool { return a.Name == b.Name })
	for range requests {
		w := strings.Fields(tools[random.IntN(len(tools))].Description)
		q := strings.Join(w[:2+random.IntN(8)], " ") + " " + words(random.IntN(4))
		queries = append(queries, strings.TrimSpace(q))
	}
	return tools, queries
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		tools, _ := catalogue(n, 0)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			before := cpu()
			for b.Loop() {
				built, err := Build(b.Context(), tools)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(built.Segment())), "bytes")
			}
			b.ReportMetric(float64((cpu()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		tools, queries := catalogue(n, 500)
		built, err := Build(b.Context(), tools)
		if err != nil {
			b.Fatal(err)
		}
		dir := filepath.Join(b.TempDir(), "index")
		if err := Install(b.Context(), dir, built.Segment()); err != nil {
			b.Fatal(err)
		}
		built = nil
		b.Run(fmt.Sprintf("open/%d", n), func(b *testing.B) {
			for b.Loop() {
				x, err := Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				_ = x.Close()
			}
		})
		b.Run(fmt.Sprintf("first/%d", n), func(b *testing.B) {
			for b.Loop() {
				x, err := Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := x.Search(b.Context(), Query{Text: queries[0]}, 10); err != nil {
					b.Fatal(err)
				}
				_ = x.Close()
			}
		})
		x, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("search/%d", n), func(b *testing.B) {
			var took []time.Duration
			before := cpu()
			for b.Loop() {
				for _, q := range queries {
					start := time.Now()
					if _, err := x.Search(b.Context(), Query{Text: q}, 10); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(start))
				}
			}
			b.ReportMetric(float64((cpu()-before).Microseconds())/float64(len(took)), "cpu-µs/query")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
		_ = x.Close()
	}
}

// cpu is the processor time of this process: other work on the machine does not count.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
