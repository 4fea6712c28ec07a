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
//
//	go test -run '^$' -bench Stack -benchtime 2000x ./internal/consume
func BenchmarkStack(b *testing.B) {
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
	w.serve = func(_ context.Context, _ sandbox.Tool, job sandbox.Job) (sandbox.Outcome, error) {
		return sandbox.Outcome{Driver: w.box.Driver(), Stdout: []byte(`{"text": "x", "module": 1, "file": 1, "version": "1.0.0"}` + "\n")}, job.Gate()
	}
	session := NewSession("bench")
	session.Taint.Untrusted(taint.Source{Run: "note"}, json.RawMessage(`{"a":"somebody wrote this line of text"}`))
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := w.Run(b.Context(), refs[0], text("x"), RunOptions{Session: session}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-µs")
	b.ReportMetric(float64(took[len(took)*95/100].Nanoseconds())/1000, "p95-µs")
}
