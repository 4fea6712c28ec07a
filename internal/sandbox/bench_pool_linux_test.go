package sandbox_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// BenchmarkPool compares, in turns, the bare interpreter, a run of a process
// that lives on, and the same by a program that waits in a pool. It reports
// medians in milliseconds, and those of the differences to bare round by round.
//
//	go test -run '^$' -bench Pool -benchtime 100x ./internal/sandbox
func BenchmarkPool(b *testing.B) {
	job := tool(b, hello)
	job.StdinFile, job.Late, job.Stdin = "", true, []byte("{}")
	dir := realTemp(b)
	source := filepath.Join(dir, "tool.py")
	if err := os.WriteFile(source, []byte(hello), 0o644); err != nil {
		b.Fatal(err)
	}
	s := open(b, "")
	p := sandbox.NewPool(s, sandbox.PoolOptions{PerKey: 1})
	defer p.Close()
	kinds := []struct {
		name string
		run  func() bool // whether it counts
	}{
		{"bare", func() bool {
			cmd := exec.Command(job.Argv[0], "-I", source)
			cmd.Env, cmd.Stdin = job.Env, bytes.NewReader([]byte("{}"))
			if _, err := cmd.Output(); err != nil {
				b.Fatal(err)
			}
			return true
		}},
		{"cold", func() bool { run(b, s, job); return true }},
		{"pool", func() bool { return call(b, p, release, job).Warm }},
	}
	took, over := make([][]time.Duration, len(kinds)), make([][]time.Duration, len(kinds))
	for b.Loop() {
		var bare time.Duration
		for i, k := range kinds {
			began := time.Now()
			counts := k.run()
			d := time.Since(began)
			if i == 0 {
				bare = d
			}
			if counts {
				took[i], over[i] = append(took[i], d), append(over[i], d-bare)
			}
		}
		time.Sleep(150 * time.Millisecond) // the next one boots
	}
	for i, k := range kinds {
		if len(took[i]) == 0 {
			continue // a single round has nothing that waits
		}
		b.ReportMetric(median(took[i]), k.name+"-ms")
		if i > 0 {
			b.ReportMetric(median(over[i]), k.name+"-over-bare-ms")
		}
	}
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}
