package consume

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/taint"
)

// BenchmarkStack is everything of a call in a server but the sandbox itself, whose
// place a function takes that answers at once: verification, checks, taint, records.
// Hot calls follow one another; each cold one comes after a pause, in which processors
// and caches turned to something else, and its steps are told one by one. Boxed calls
// are cold ones by the sandbox itself, which is a step of its own.
//
//	go test -run '^$' -bench Stack/hot -benchtime 2000x ./internal/consume
//	go test -run '^$' -bench Stack/cold -benchtime 100x ./internal/consume
//	go test -run '^$' -bench Stack/boxed -benchtime 40x ./internal/consume
func BenchmarkStack(b *testing.B) {
	b.Run("hot", func(b *testing.B) { stack(b, 0, false) })
	b.Run("cold", func(b *testing.B) { stack(b, 150*time.Millisecond, false) })
	b.Run("boxed", func(b *testing.B) { stack(b, 500*time.Millisecond, true) })
}

func stack(b *testing.B, pause time.Duration, boxed bool) {
	b.Helper()
	s, refs := installed(b, "3.12", "1.0.0")
	s.client.Host.Now = time.Now
	s.client.Journal = audit.Open(s.client.Host.Paths, time.Now, leaks)
	w, err := s.client.Warm(b.Context(), sandbox.PoolOptions{PerKey: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Run(b.Context(), refs[0], text("x"), RunOptions{}); err != nil {
		b.Skipf("no Python 3.12 here: %v", err)
	}
	time.Sleep(3 * time.Second) // what was written a moment ago is read at each call
	mark := func(string) {}
	serve := func(_ context.Context, _ sandbox.Tool, job sandbox.Job) (sandbox.Outcome, error) {
		return sandbox.Outcome{Driver: w.box.Driver(), Stdout: []byte(`{"text": "x", "module": 1, "file": 1, "version": "1.0.0"}` + "\n")}, job.Gate()
	}
	if boxed {
		serve = w.serve
	}
	w.serve = func(ctx context.Context, tool sandbox.Tool, job sandbox.Job) (sandbox.Outcome, error) {
		mark("box")
		defer mark("result")
		return serve(ctx, tool, job)
	}
	session := NewSession("bench")
	session.Taint.Untrusted(taint.Source{Run: "note"}, json.RawMessage(`{"a":"somebody wrote this line of text"}`))
	took := map[string][]time.Duration{}
	for b.Loop() {
		time.Sleep(pause)
		began, last, at := time.Now(), time.Now(), "lookup"
		mark = func(stage string) {
			now := time.Now()
			took[at] = append(took[at], now.Sub(last))
			at, last = stage, now
		}
		if _, err := w.Run(b.Context(), refs[0], text("x"), RunOptions{Session: session, Step: mark}); err != nil {
			b.Fatal(err)
		}
		mark("")
		took["all"] = append(took["all"], time.Since(began))
	}
	for name, d := range took {
		slices.Sort(d)
		if b.ReportMetric(micros(d[len(d)/2]), name+"-p50-µs"); name == "all" {
			b.ReportMetric(micros(d[len(d)*95/100]), name+"-p95-µs")
		}
	}
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
