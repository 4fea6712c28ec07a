package pyenv

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// BenchmarkPool compares, in turns, bare `python -I tool.py` with runs of the
// prepared tool in a process that lives on, started for the call and waiting
// for it. It reports medians in milliseconds.
//
//	go test -run '^$' -bench Pool -benchtime 100x ./internal/pyenv
func BenchmarkPool(b *testing.B) {
	p := real(b)
	in, err := p.Find(b.Context(), "3.12", false)
	if err != nil {
		in = anyPython(b, p)
	}
	g, err := p.Prepare(b.Context(), in, []byte(helloTool))
	if err != nil {
		b.Fatal(err)
	}
	const args, want = `{"name": "world"}`, "{\"hello\": \"world\"}\n"
	tool := b.TempDir() + "/tool.py"
	if err := os.WriteFile(tool, []byte(helloTool), 0o600); err != nil {
		b.Fatal(err)
	}
	s := box(b, "")
	pool := sandbox.NewPool(s, sandbox.PoolOptions{PerKey: 1})
	defer pool.Close()
	job := g.Job(Call{Args: []byte(args)})
	names := []string{"bare", "cold", "pool"}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for _, name := range names {
			began, counts := time.Now(), true
			var got string
			var err error
			switch name {
			case "bare":
				cmd := exec.CommandContext(b.Context(), in.Path, "-I", tool)
				cmd.Stdin = strings.NewReader(args)
				var out []byte
				out, err = cmd.Output()
				got = string(out)
			case "cold":
				var out sandbox.Outcome
				out, err = s.Run(b.Context(), job)
				got = string(out.Stdout)
			case "pool":
				var out sandbox.Outcome
				out, err = pool.Run(b.Context(), sandbox.Tool{Name: "hello", Release: "1"}, job)
				got, counts = string(out.Stdout), out.Warm
			}
			if err != nil || got != want {
				b.Fatalf("%s: %q, %v", name, got, err)
			}
			if counts {
				took[name] = append(took[name], time.Since(began))
			}
		}
		time.Sleep(150 * time.Millisecond) // the next one boots
	}
	for _, name := range names {
		if d := took[name]; len(d) > 0 {
			slices.Sort(d)
			b.ReportMetric(float64(d[len(d)/2].Microseconds())/1000, name+"-ms")
		}
	}
}
