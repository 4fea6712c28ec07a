package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/index/indextest"
	"github.com/patch-cat/patch-git/ledger"
)

// asked are the requests to a large catalogue.
const asked = 1000

// scale measures a synthetic catalogue of n tools: this project's index and FTS5
// in turns, request by request, so that a slow moment of the machine meets both.
func (r *report) scale(ctx context.Context, n int, dir string) error {
	listings, requests := indextest.Synthetic(n, asked)
	began := time.Now()
	built, err := index.Build(ctx, listings)
	if err != nil {
		return err
	}
	build := time.Since(began)
	path := filepath.Join(dir, fmt.Sprintf("synthetic-%d", n))
	if err := index.Install(ctx, path, built.Segment()); err != nil {
		return err
	}
	var opens []time.Duration
	for range 9 {
		began := time.Now()
		x, err := index.Open(path)
		if err != nil {
			return err
		}
		opens = append(opens, time.Since(began))
		if err := x.Close(); err != nil {
			return err
		}
	}
	began = time.Now()
	other, err := fts5(ctx, asSet(listings))
	if err != nil {
		return err
	}
	otherBuild := time.Since(began)
	x, err := index.Open(path)
	if err != nil {
		return err
	}
	var ours, theirs []time.Duration
	for _, text := range requests {
		began := time.Now()
		if _, err := x.Search(ctx, index.Query{Text: text}, 10); err != nil {
			return err
		}
		between := time.Now()
		if _, ok := other.search(text); !ok {
			return fmt.Errorf("FTS5 refuses %q", text)
		}
		ours, theirs = append(ours, between.Sub(began)), append(theirs, time.Since(between))
	}
	if err := x.Close(); err != nil {
		return err
	}
	if err := other.close(); err != nil {
		return err
	}
	if r.scaled.Len() == 0 {
		r.scaled.WriteString("| tools | | build | open | p50 | p99 | index |\n|---|---|---|---|---|---|---|\n")
	}
	slices.Sort(opens)
	p := func(d []time.Duration, percent int) time.Duration {
		slices.Sort(d)
		return d[len(d)*percent/100]
	}
	fmt.Fprintf(&r.scaled, "| %d | patch-git | %s | %s | %s | %s | %.1f MB |\n", n, short(build), short(opens[len(opens)/2]), short(p(ours, 50)), short(p(ours, 99)), float64(len(built.Segment()))/1e6)
	fmt.Fprintf(&r.scaled, "| %d | FTS5, in memory | %s | | %s | %s | |\n", n, short(otherBuild), short(p(theirs, 50)), short(p(theirs, 99)))
	fmt.Fprintf(&r.scaled, "| %d | ratio | %.2f | | %.2f | %.2f | |\n", n, float64(build)/float64(otherBuild), float64(p(ours, 50))/float64(p(theirs, 50)), float64(p(ours, 99))/float64(p(theirs, 99)))
	return nil
}

// asSet is a catalogue as the other engines take it.
func asSet(listings []ledger.Listing) *indextest.Set {
	s := &indextest.Set{}
	for i := range listings {
		l := &listings[i]
		var params []string
		for _, in := range l.Summary.Inputs {
			params = append(params, in.Name, in.Description)
		}
		s.Tools = append(s.Tools, indextest.Tool{
			ID: string(l.Name), Name: string(l.Name), Description: l.Description, Params: strings.Join(params, " "),
			Category: strings.Join(l.Summary.Tags, " "), Provider: strings.Join(l.Owners, " "),
		})
	}
	return s
}
