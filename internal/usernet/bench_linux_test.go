package usernet_test

import (
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// BenchmarkWorld plays the benchmarks of the world.
//
//	go test -run '^$' -bench World -benchtime 50x ./internal/usernet
func BenchmarkWorld(b *testing.B) {
	if os.Getenv(stageVariable) != "" {
		b.Skip("this is the world")
	}
	if b.N == 1 {
		return // the world counts for itself
	}
	args := []string{"-test.run=^$", "-test.bench=^BenchmarkInside"}
	for _, a := range os.Args[1:] {
		if len(a) > 15 && a[:15] == "-test.benchtime" {
			args = append(args, a)
		}
	}
	cmd := stage("world", args...)
	dir := b.TempDir()
	cmd.Env = append(cmd.Env, "USERNET_TEST_DIR="+dir)
	cmd.SysProcAttr = ownWorld(os.Getuid(), os.Getgid())
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkInsideRun runs the same tool without the network, with the host's
// own, and with the filtered one, in turns. It reports medians.
func BenchmarkInsideRun(b *testing.B) {
	inside(b)
	s, err := sandbox.Open(b.Context(), sandbox.Options{Now: time.Now, Driver: "namespaces"})
	if err != nil {
		b.Skip(err)
	}
	job := script(b, "print(json.dumps(1))", nil)
	kinds := []struct {
		name  string
		alter func(*sandbox.Job)
	}{
		{"none", func(j *sandbox.Job) { j.Network = false }},
		{"host", func(*sandbox.Job) {}},
		{"filtered", func(j *sandbox.Job) { j.Uplink = with(b) }},
	}
	took := make([][]time.Duration, len(kinds))
	for b.Loop() {
		for i, k := range kinds {
			j := job
			k.alter(&j)
			began := time.Now()
			if out, err := s.Run(b.Context(), j); err != nil || out.Exit != 0 {
				b.Fatalf("%s: %v %s", k.name, err, out.Stderr)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	for i, k := range kinds {
		slices.Sort(took[i])
		b.ReportMetric(float64(took[i][len(took[i])/2].Microseconds())/1000, k.name+"-ms")
	}
}

// BenchmarkInsideStream moves a large body each way: bare over the machine's
// loopback, and by a tool through the sandbox's network to a neighbour.
func BenchmarkInsideStream(b *testing.B) {
	inside(b)
	const size = 256 << 20
	source := `
out = []
for word in args:
    s = socket.create_connection(("8.8.8.8", 80)); s.recv(100)
    s.sendall(word.encode() + b"\n")
    began = time.monotonic(); n = 0
    if word == "sink":
        block = bytes(1 << 20)
        for _ in range(256): s.sendall(block)
        s.shutdown(socket.SHUT_WR)
        while s.recv(100): pass
    else:
        buf = bytearray(1 << 20)
        while n < 256 << 20: n += s.recv_into(buf)
    out.append(time.monotonic() - began)
print(json.dumps(out))
`
	words := []string{"sink", "send 268435456"}
	var loop, direct, filtered []float64
	for b.Loop() {
		began := time.Now()
		c, err := net.Dial("tcp", "127.0.0.1:8080")
		if err != nil {
			b.Fatal(err)
		}
		io.WriteString(c, words[1]+"\n")
		if _, err := io.CopyN(io.Discard, c, size); err != nil {
			b.Fatal(err)
		}
		c.Close()
		loop = append(loop, time.Since(began).Seconds())
		var d, f []float64
		bare(b, source, words, &d)
		confined(b, with(b), source, words, &f)
		direct, filtered = append(direct, d...), append(filtered, f...)
	}
	rate := func(list []float64, way int) float64 {
		var of []float64
		for i := way; i < len(list); i += 2 {
			of = append(of, list[i])
		}
		slices.Sort(of)
		return size / of[len(of)/2] / (1 << 20)
	}
	slices.Sort(loop)
	b.ReportMetric(size/loop[len(loop)/2]/(1<<20), "loopback-MiB/s")
	b.ReportMetric(rate(direct, 0), "direct-up-MiB/s")
	b.ReportMetric(rate(direct, 1), "direct-down-MiB/s")
	b.ReportMetric(rate(filtered, 0), "filtered-up-MiB/s")
	b.ReportMetric(rate(filtered, 1), "filtered-down-MiB/s")
}
