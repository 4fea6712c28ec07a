package mcptest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/mcpserver"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// BenchmarkOver is what a call costs over its sandbox: in one process and in turns, a
// pool of sandboxes that runs the tool and nothing else, one whose programs read the
// tool ahead as those of a server do, the same by the stack of checks and records, and
// a whole call of a host, from the line that it writes into the server to the line that
// it reads. Each lane makes a series of calls one right behind the other. The first comes
// after a pause, when caches and processors have gone cold, and the next three warm them
// again: both are told for themselves. What a lane adds is the difference of percentiles.
// A call that something was started for counts for nothing, and ends its series.
//
//	go test -run '^$' -bench Over -benchtime 30x -timeout 1h ./internal/mcpserver/mcptest
func BenchmarkOver(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the program has it
	root := filepath.Join(b.TempDir(), "state")
	if err := Many(b.Context(), root, 10); err != nil {
		b.Fatal(err)
	}
	time.Sleep(3 * time.Second) // what was written a moment ago is read at each call
	lanes := []lane{bareLane(b, root, "pool", false), bareLane(b, root, "ahead", true), stackLane(b, root), hostLane(b, root)}
	for range 3 {
		for _, l := range lanes {
			for range 3 {
				l.call()
			}
			l.rest()
		}
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for _, l := range lanes {
			for i := range l.series {
				began := time.Now()
				if !l.call() {
					break
				}
				name := l.name + when(i)
				took[name] = append(took[name], time.Since(began))
			}
			l.rest()
		}
	}
	for _, when := range []string{when(0), when(1), when(warmed)} {
		for _, p := range []int{50, 95} {
			alone := percentile(took["pool"+when], p)
			for _, l := range lanes {
				if len(took[l.name+when]) == 0 {
					continue // its series is shorter
				}
				name, v := l.name+when+"-p"+strconv.Itoa(p), percentile(took[l.name+when], p)
				if b.ReportMetric(micros(v), name+"-µs"); l.name != "pool" {
					b.ReportMetric(micros(v-alone), name+"-more-µs")
				}
			}
		}
		b.ReportMetric(float64(len(took["stack"+when])), "calls"+when)
	}
}

const (
	// series is how many calls one right behind the other find a program that waits. They
	// are over before the pool begins to replace the first of their programs.
	series = 16
	// warmed is the first call of a series that finds caches as a long series has them.
	warmed = 4
	// pause is when caches and processors have gone cold, and two programs are ready again.
	pause = 3500 * time.Millisecond
	// apart is how long after one program of several the next one is ready.
	apart = 350 * time.Millisecond
)

// rest has a pause behind calls of a lane, and as many programs ready again.
func (l lane) rest() { time.Sleep(max(pause, time.Duration(l.series+2)*apart)) }

// when tells the calls of a series apart: at rest, warming up, and the rest.
func when(i int) string {
	switch {
	case i == 0:
		return "-idle"
	case i < warmed:
		return "-warming"
	}
	return "-next"
}

// wide has a program wait for each call of a series.
func wide(readAhead bool) sandbox.PoolOptions {
	return sandbox.PoolOptions{PerKey: series, Total: series, Memory: 1 << 30, Ahead: readAhead}
}

func percentile(d []time.Duration, p int) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)*p/100]
}

func report(b *testing.B, d []time.Duration, name string) {
	b.Helper()
	for _, p := range []int{50, 95} {
		b.ReportMetric(micros(percentile(d, p)), name+"-p"+strconv.Itoa(p)+"-µs")
	}
}

func micros(d time.Duration) float64 { return float64(d.Microseconds()) }

// lane is one way to have a tool run; call tells whether its sandbox had waited.
type lane struct {
	name   string
	series int
	call   func() bool
}

const overArguments = `{"text":"hello","times":1,"loud":false}`

func bareLane(b *testing.B, root, name string, readAhead bool) lane {
	b.Helper()
	c, err := client(paths.Paths{Root: root})
	if err != nil {
		b.Fatal(err)
	}
	box, err := sandbox.Open(b.Context(), ahead.Options(c.Host.Paths, c.Host.Now))
	if err != nil {
		b.Skip(err)
	}
	pythons := pyenv.New(c.Host, box)
	in, err := pythons.Find(b.Context(), "3.9", false)
	if err != nil {
		b.Skip(err)
	}
	g, err := pythons.Prepare(b.Context(), in, Source(0))
	if err != nil {
		b.Fatal(err)
	}
	pool := sandbox.NewPool(box, wide(readAhead))
	b.Cleanup(pool.Close)
	job := g.Job(pyenv.Call{Args: []byte(overArguments)})
	return lane{name, series, func() bool {
		out, err := pool.Run(b.Context(), sandbox.Tool{Name: name, Release: "1"}, job)
		if err != nil || out.Exit != 0 || !bytes.Contains(out.Stdout, []byte("hello")) {
			b.Fatalf("%+v, %v", out, err)
		}
		return out.Warm
	}}
}

func stackLane(b *testing.B, root string) lane {
	b.Helper()
	c, err := client(paths.Paths{Root: root})
	if err != nil {
		b.Fatal(err)
	}
	w, err := c.Warm(b.Context(), wide(true))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.Close)
	session := consume.NewSession("bench")
	return lane{"stack", series, func() bool {
		ran, err := w.Run(b.Context(), spec.Ref{Name: Name(0)}, []byte(overArguments), consume.RunOptions{Session: session})
		if err != nil {
			b.Fatal(err)
		}
		return ran.Warm
	}}
}

func hostLane(b *testing.B, root string) lane {
	b.Helper()
	c, err := client(paths.Paths{Root: root})
	if err != nil {
		b.Fatal(err)
	}
	in, hostIn := io.Pipe()
	hostOut, out := io.Pipe()
	c.Host.Stdin, c.Host.Stdout, c.Host.Stderr = in, out, io.Discard
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- mcpserver.Serve(ctx, c, "", "test", nil) }()
	b.Cleanup(func() {
		_ = hostIn.Close()
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	answers := bufio.NewReaderSize(hostOut, 1<<20)
	tell := func(line string) {
		if _, err := io.WriteString(hostIn, line+"\n"); err != nil {
			b.Fatal(err)
		}
	}
	id := 0
	ask := func(method, params, want string) {
		id++
		tell(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
		mark := fmt.Appendf(nil, `"id":%d,`, id)
		for {
			line, err := answers.ReadSlice('\n')
			if err != nil {
				b.Fatal(err)
			}
			if bytes.Contains(line, mark) {
				if !bytes.Contains(line, []byte(want)) {
					b.Fatalf("%s", line)
				}
				return
			}
		}
	}
	ask("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`, Legacy), "serverInfo")
	tell(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	call := fmt.Sprintf(`{"name":%q,"arguments":%s}`, Name(0), overArguments)
	return lane{"call", 2, func() bool {
		ask("tools/call", call, `hello`)
		return true // the answer does not tell; a pause was long enough for two
	}}
}
