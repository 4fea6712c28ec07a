package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/index/indextest"
)

// The documents, and the marks between which each carries what was measured.
const (
	document  = "docs/search.md"
	times     = "docs/benchmarks.md"
	beginMark = "<!-- figures: make eval-search-write -->\n"
	timeMark  = "<!-- times: make eval-search-write -->\n"
	sizeMark  = "<!-- sizes: make eval-search-write SEARCH=-times -->\n"
	endMark   = "<!-- end -->\n"
)

// report collects tables.
type report struct {
	quality, speed, scaled strings.Builder
}

// named is an engine of a table.
type named struct {
	name string
	open func(context.Context, *indextest.Set, string) (*engine, error)
}

func engines() []named {
	return []named{
		{"bleve, query string", func(ctx context.Context, s *indextest.Set, _ string) (*engine, error) {
			return bleveDefault(ctx, s, queryString)
		}},
		{"bleve, match", func(ctx context.Context, s *indextest.Set, _ string) (*engine, error) {
			return bleveDefault(ctx, s, matchQuery)
		}},
		{"FTS5, tuned", func(ctx context.Context, s *indextest.Set, _ string) (*engine, error) { return fts5(ctx, s) }},
		{"patch-git", func(ctx context.Context, s *indextest.Set, dir string) (*engine, error) {
			search, done, err := indextest.Ours(ctx, s, dir)
			return &engine{search, done}, err
		}},
	}
}

// measure asks every engine the requests of a set. The times of all are taken in one
// run, one engine after the other.
func (r *report) measure(ctx context.Context, s *indextest.Set, dir string) error {
	fmt.Fprintf(&r.quality, "### %s: %d tools, %d requests\n\n| | nDCG@10 | recall@1 | @5 | @10 | MRR | refused |\n|---|---|---|---|---|---|---|\n", s.Name, len(s.Tools), len(s.Requests))
	if r.speed.Len() == 0 {
		r.speed.WriteString("| set | engine | p50 | p99 | p50 against patch-git |\n|---|---|---|---|---|\n")
	}
	var all []indextest.Measures
	for _, e := range engines() {
		opened, err := e.open(ctx, s, dir)
		if err != nil {
			return fmt.Errorf("%s over %s: %w", e.name, s.Name, err)
		}
		indextest.Measure(s, opened.search, nil) // so that every page is there when time counts
		m := indextest.Measure(s, opened.search, time.Now)
		if err := opened.close(); err != nil {
			return err
		}
		all = append(all, m)
		fmt.Fprintf(&r.quality, "| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %d |\n", e.name, 100*m.NDCG, 100*m.Recall1, 100*m.Recall5, 100*m.Recall10, 100*m.MRR, m.Refused)
	}
	first, tuned, ours := all[0], all[2], all[3]
	fmt.Fprintf(&r.quality, "\n%+.1f against bleve's query string, %+.1f against FTS5.\n\n", 100*(ours.NDCG-first.NDCG), 100*(ours.NDCG-tuned.NDCG))
	for i, e := range engines() {
		fmt.Fprintf(&r.speed, "| %s | %s | %s | %s | %.1f |\n", s.Name, e.name, short(all[i].P50), short(all[i].P99), float64(all[i].P50)/float64(max(1, ours.P50)))
	}
	return nil
}

// short is a time with two digits.
func short(d time.Duration) string {
	switch {
	case d < 100*time.Microsecond:
		return fmt.Sprintf("%.0f µs", float64(d.Nanoseconds())/1e3)
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d.Nanoseconds())/1e6)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d.Nanoseconds())/1e6)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// publish prints what was measured, and writes it into the documents or compares it.
func (r *report) publish(o options, complete bool) error {
	fmt.Fprintf(os.Stdout, "%s\n%s\n%s", r.quality.String(), r.speed.String(), r.scaled.String())
	if !o.write && !o.check {
		return nil
	}
	if o.check {
		text, err := os.ReadFile(filepath.Join(root, document))
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(string(text), beginMark)
		written, _, _ := strings.Cut(rest, endMark)
		if stable(written) != stable(r.quality.String()) {
			return errors.New(document + " has other figures; `make eval-search-write` writes them")
		}
		fmt.Fprintf(os.Stdout, "ranking: the figures of %s are what was measured\n", document)
		return nil
	}
	if !complete {
		return errors.New("the figures of a part of the sets are not written")
	}
	if err := between(document, beginMark, r.quality.String()); err != nil {
		return err
	}
	if err := between(times, timeMark, r.speed.String()); err != nil {
		return err
	}
	if o.times {
		return between(times, sizeMark, r.scaled.String())
	}
	return nil
}

// stable are the lines that are the same in every run: bleve adds floating point
// in the order of a map, so that its order of near-equals is another each time.
func stable(table string) string {
	var out []string
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "###") || strings.HasPrefix(line, "| FTS5") || strings.HasPrefix(line, "| patch-git") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// between replaces what stands between a mark and the next end in a document.
func between(name, mark, content string) error {
	path := filepath.Join(root, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(text, []byte(mark))
	_, after, closed := bytes.Cut(rest, []byte(endMark))
	if !ok || !closed {
		return fmt.Errorf("%s has no place between %s and its end", name, strings.TrimSpace(mark))
	}
	return os.WriteFile(path, bytes.Join([][]byte{before, after}, []byte(mark+content+endMark)), 0o644) //nolint:gosec // a document that all may read
}
