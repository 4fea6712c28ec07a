package mcptest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
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
// pool of sandboxes that runs the tool and nothing else, the same by the stack of
// checks and records, and a whole call of a host, from the line that it writes into
// the server to the line that it reads. Each lane calls after a pause, when caches
// and processors have gone cold, and at once again, while the second sandbox waits;
// a round in which something was started for its call counts for nothing.
//
//	go test -run '^$' -bench Over -benchtime 300x ./internal/mcpserver/mcptest
func BenchmarkOver(b *testing.B) {
	root := filepath.Join(b.TempDir(), "state")
	if err := Many(b.Context(), root, 10); err != nil {
		b.Fatal(err)
	}
	time.Sleep(3 * time.Second) // what was written a moment ago is read at each call
	lanes := []lane{bareLane(b, root), stackLane(b, root), hostLane(b, root)}
	for range 3 * len(lanes) {
		for _, l := range lanes {
			l.call()
		}
		time.Sleep(pause)
	}
	moments := []string{"idle", "next"}
	took := map[string][]time.Duration{}
	for b.Loop() {
		row := map[string]time.Duration{}
		warm := true
		for _, l := range lanes {
			for _, m := range moments {
				began := time.Now()
				warm = l.call() && warm
				row[l.name+"-"+m] = time.Since(began)
			}
			time.Sleep(pause)
		}
		if !warm {
			continue
		}
		for _, m := range moments {
			for _, l := range lanes {
				name := l.name + "-" + m
				took[name] = append(took[name], row[name])
				if l.name != lanes[0].name {
					took[name+"-over"] = append(took[name+"-over"], row[name]-row[lanes[0].name+"-"+m])
				}
			}
		}
	}
	for name, d := range took {
		report(b, d, name)
	}
	b.ReportMetric(float64(len(took["pool-idle"])), "rounds")
}

// pause is how long an interpreter takes to be ready for the next call, and more.
const pause = 500 * time.Millisecond

func report(b *testing.B, d []time.Duration, name string) {
	b.Helper()
	slices.Sort(d)
	for _, p := range []int{50, 95} {
		b.ReportMetric(float64(d[len(d)*p/100].Microseconds()), name+"-p"+strconv.Itoa(p)+"-µs")
	}
}

// lane is one way to have a tool run; call tells whether its sandbox had waited.
type lane struct {
	name string
	call func() bool
}

const overArguments = `{"text":"hello","times":1,"loud":false}`

func bareLane(b *testing.B, root string) lane {
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
	pool := sandbox.NewPool(box, sandbox.PoolOptions{})
	b.Cleanup(pool.Close)
	job := g.Job(pyenv.Call{Args: []byte(overArguments)})
	return lane{"pool", func() bool {
		out, err := pool.Run(b.Context(), sandbox.Tool{Name: "bare", Release: "1"}, job)
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
	w, err := c.Warm(b.Context(), sandbox.PoolOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.Close)
	session := consume.NewSession("bench")
	return lane{"stack", func() bool {
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
	return lane{"call", func() bool {
		ask("tools/call", call, `hello`)
		return true // the answer does not tell; a pause was long enough
	}}
}
