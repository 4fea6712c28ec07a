package taint_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/taint"
)

// prose is a text of so many bytes with as many different words as a report has.
func prose(n int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	words := make([]string, 20_000)
	for i := range words {
		b := make([]byte, 2+r.IntN(9))
		for j := range b {
			b[j] = "etaoinshrdlucmfwypvbgkjqxz"[min(r.IntN(26), r.IntN(26))]
		}
		words[i] = string(b)
	}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[min(r.IntN(len(words)), r.IntN(len(words)))])
		b.WriteByte(" ,. \n"[r.IntN(5)])
		if r.IntN(40) == 0 {
			fmt.Fprintf(&b, "%s@example.com https://example.com/%x ", words[r.IntN(len(words))], r.Uint64())
		}
	}
	return b.String()[:n]
}

// filled is a history of a megabyte in outputs of 16 KiB.
func filled(b *testing.B) *taint.History {
	b.Helper()
	h := taint.NewHistory()
	for i := range 64 {
		h.Untrusted(taint.Source{Run: fmt.Sprint(i)}, object(b, "text", prose(16<<10, uint64(i))))
	}
	return h
}

// BenchmarkCheck holds arguments against a megabyte of history; p95 is what the
// slowest twentieth of the checks take at least.
func BenchmarkCheck(b *testing.B) {
	h := filled(b)
	for name, args := range map[string]any{
		"address":  map[string]any{"to": "someone.else@elsewhere.example", "subject": "Minutes", "n": 12345},
		"found":    map[string]any{"to": strings.Fields(prose(16<<10, 7))[900:912]},
		"text-1KB": map[string]any{"body": prose(1<<10, 4711)},
		"text-8KB": map[string]any{"body": prose(8<<10, 4711)},
	} {
		arguments, err := json.Marshal(args)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now() //floors:allow
				h.Check(taint.Call{Arguments: arguments})
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
		})
	}
}

// BenchmarkUntrusted is what labelling an output costs.
func BenchmarkUntrusted(b *testing.B) {
	for name, size := range map[string]int{"100B": 100, "4KB": 4 << 10, "64KB": 64 << 10, "1MB": 1 << 20} {
		text := prose(size, 5)
		lines := strings.Split(text, "\n")
		output := object(b, "lines", lines)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(output)))
			h := taint.NewHistory()
			for b.Loop() {
				h.Untrusted(taint.Source{Run: "r"}, output)
			}
		})
	}
}
