package indextest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Synthetic is a catalogue of n tools, the same on every machine, whose words are
// as frequent and whose texts as long as those of tools are: a description of five to
// thirteen words, two inputs, two tags. It also returns requests for some of
// them in words of theirs and others.
func Synthetic(n, requests int) ([]ledger.Listing, []string) {
	random := rand.New(rand.NewPCG(uint64(n), 7)) //nolint:gosec // the same catalogue on every machine
	zipf := rand.NewZipf(random, 1.15, 12, uint64(3000+n/2))
	syllables := strings.Fields("ba con de fi gra ho in ju ka lo me no pre qui ro sta tor un ver we xi yo za ment ing")
	vocabulary := map[uint64]string{}
	word := func() string {
		k := zipf.Uint64()
		w, ok := vocabulary[k]
		if !ok {
			for rest := k + 25; rest > 0; rest /= 25 {
				w += syllables[rest%25]
			}
			vocabulary[k] = w
		}
		return w
	}
	words := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = word()
		}
		return out
	}
	tools := make([]ledger.Listing, n)
	for i := range tools {
		name := strings.Join(words(2), "_")
		l := ledger.Listing{
			Name: spec.Name(fmt.Sprintf("%s_%x", name[:min(len(name), 40)], i)), Latest: "1.0.0",
			Description: strings.Join(words(5+random.IntN(9)), " ") + ".", Published: "2026-01-01T00:00:00Z",
			Owners:      []string{fmt.Sprintf("owner%d", random.IntN(1+n/10))},
			Permissions: spec.Permissions{Network: i%3 == 0, Filesystem: spec.FilesystemNone},
			Summary:     ledger.Summary{Format: spec.FormatPatch, License: "MIT", Tags: words(2)},
		}
		for range 2 {
			l.Summary.Inputs = append(l.Summary.Inputs, ledger.SummaryInput{Name: word(), Description: strings.Join(words(5), " ")})
		}
		tools[i] = l
	}
	slices.SortFunc(tools, func(a, b ledger.Listing) int { return strings.Compare(string(a.Name), string(b.Name)) })
	queries := make([]string, requests)
	for i := range queries {
		some := strings.Fields(strings.TrimSuffix(tools[random.IntN(n)].Description, "."))
		queries[i] = strings.Join(append(some[:2+random.IntN(4)], words(random.IntN(4))...), " ")
	}
	return tools, queries
}
