package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/mcpserver/mcptest"
)

// listing measures from the start of a process to the end of its first complete
// tools/list, in turns.
func listing(ctx context.Context, f *field, o options, out *strings.Builder) error {
	fmt.Fprintf(out, "| tools | server | start → first complete `tools/list` | worst of %d | the second list | memory | its most |\n|---|---|---|---|---|---|---|\n", o.rounds)
	for _, n := range o.sizes {
		// The first start of all: nothing was ever read of this toolbox.
		if err := os.RemoveAll(filepath.Join(f.state(n), "cache")); err != nil {
			return err
		}
		began := time.Now()
		if err := f.same(ctx, n); err != nil {
			return err
		}
		first := time.Since(began)
		type row struct{ start, again, now, peak []float64 }
		rows := make([]row, len(f.contenders))
		for range o.rounds {
			for i, c := range f.contenders {
				began := time.Now()
				p, err := mcptest.Start(c.start(ctx, n), mcptest.Legacy)
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				pages, err := p.Pages()
				rows[i].start = append(rows[i].start, ms(time.Since(began)))
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				all, err := mcptest.Listed(pages)
				if err != nil || len(all) < n {
					return fmt.Errorf("%s lists %d tools of %d: %w", c.name, len(all), n, err)
				}
				began = time.Now()
				if _, err := p.Pages(); err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				rows[i].again = append(rows[i].again, ms(time.Since(began)))
				now, peak := p.Memory()
				rows[i].now, rows[i].peak = append(rows[i].now, float64(now)/1e6), append(rows[i].peak, float64(peak)/1e6)
				if err := p.End(); err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
			}
		}
		for i, c := range f.contenders {
			r := rows[i]
			fmt.Fprintf(out, "| %s | %s | %.0f ms | %.0f ms | %.1f ms | %.0f MB | %.0f MB |\n", number(n), c.name, at(r.start, 50), at(r.start, 100), at(r.again, 50), at(r.now, 50), at(r.peak, 50))
		}
		fmt.Fprintf(out, "| %s | patch-git, the very first start after %s installations | %.0f ms | | | | |\n", number(n), number(n), ms(first))
	}
	out.WriteString("\n")
	return nil
}

// calling measures calls one after the other, of a tool that answers at once.
func calling(ctx context.Context, f *field, o options, out *strings.Builder) error {
	n := o.sizes[min(1, len(o.sizes)-1)]
	name := string(mcptest.Name(0))
	bare, err := openBare(ctx, f.state(n))
	if err != nil {
		return err
	}
	defer bare.close()
	peers := make([]*mcptest.Peer, len(f.contenders))
	for i, c := range f.contenders {
		if peers[i], err = mcptest.Start(c.start(ctx, n), mcptest.Legacy); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	const said = "hello"
	args := map[string]any{"text": said}
	took := make([][]float64, len(f.contenders))
	var pool, more []float64
	for round := range o.calls + 5 { // some to warm up
		var bareTook float64
		for i, c := range f.contenders {
			if c.confine {
				time.Sleep(pause) // what waits for the next call has booted
				t, warm, err := bare.run(ctx)
				if err != nil {
					return err
				}
				if bareTook = t; !warm {
					bareTook = math.NaN()
				}
				time.Sleep(pause)
			}
			began := time.Now()
			r, err := peers[i].Tool(name, args)
			t := ms(time.Since(began))
			if err != nil || r.IsError || !strings.Contains(r.Text(), said) {
				return fmt.Errorf("%s: %+v, %w", c.name, r, err)
			}
			if round < 5 {
				continue
			}
			took[i] = append(took[i], t)
			if c.confine && !math.IsNaN(bareTook) {
				pool, more = append(pool, bareTook), append(more, t-bareTook)
			}
		}
	}
	fmt.Fprintf(out, "| one call after the other, %s tools | p50 | p95 | p99 |\n|---|---|---|---|\n", number(n))
	row := func(name string, v []float64) {
		fmt.Fprintf(out, "| %s | %.2f ms | %.2f ms | %.2f ms |\n", name, at(v, 50), at(v, 95), at(v, 99))
	}
	for i, c := range f.contenders {
		what := ", in its own process"
		if c.confine {
			what = ": verified, in a sandbox that waited, recorded"
		}
		row(c.name+what, took[i])
	}
	row(fmt.Sprintf("the same sandbox and tool without server, checks and records (%d pairs)", len(pool)), pool)
	row("what patch-git adds to it, pair by pair", more)
	for i, p := range peers {
		if err := p.End(); err != nil {
			return fmt.Errorf("%s: %w", f.contenders[i].name, err)
		}
	}
	return nil
}

// pause is how long an interpreter takes to be ready for the next call, and more.
const pause = 120 * time.Millisecond

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// at is a percentile.
func at(v []float64, percent int) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(v))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}
