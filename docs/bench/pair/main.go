// Command pair runs two commands in turn (A B A B …) and prints the medians of
// processor time and wall time of the whole processes, and of the differences
// pair by pair, which hold where the machine's speed drifts; and the most memory
// that each had at any time.
//
//	go run ./docs/bench/pair -n 50 -a 'patch-git run hello' -b 'python3 -I hello.py' -stdin args.json
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 50, "counted runs of each command")
	a := flag.String("a", "", "command A, words separated by spaces")
	b := flag.String("b", "", "command B")
	stdin := flag.String("stdin", "", "a file that B reads from its standard input")
	flag.Parse()
	var input []byte
	if *stdin != "" {
		var err error
		if input, err = os.ReadFile(*stdin); err != nil {
			fatal(err)
		}
	}
	var cpu, wall [2][]time.Duration
	var dcpu, dwall []time.Duration
	var peak [2]int64
	for i := range *n + 2 { // two to warm up
		ca, wa, pa := run(strings.Fields(*a), nil)
		cb, wb, pb := run(strings.Fields(*b), input)
		peak[0], peak[1] = max(peak[0], pa), max(peak[1], pb)
		if i < 2 {
			continue
		}
		cpu[0], cpu[1] = append(cpu[0], ca), append(cpu[1], cb)
		wall[0], wall[1] = append(wall[0], wa), append(wall[1], wb)
		dcpu, dwall = append(dcpu, ca-cb), append(dwall, wa-wb)
	}
	fmt.Fprintf(os.Stdout, "A = %s\nB = %s\nn = %d pairs, medians\n", *a, *b, *n)
	fmt.Fprintf(os.Stdout, "%-6s %10s %10s %10s %8s\n", "", "A", "B", "A-B", "A/B")
	row("cpu", cpu, dcpu)
	row("wall", wall, dwall)
	if peak[0] > 0 && peak[1] > 0 {
		fmt.Fprintf(os.Stdout, "%-6s %8.1fMB %8.1fMB %+8.1fMB %8.2f\n", "peak", mb(peak[0]), mb(peak[1]), mb(peak[0]-peak[1]), float64(peak[0])/float64(peak[1]))
	}
}

func row(name string, of [2][]time.Duration, diff []time.Duration) {
	x, y := median(of[0]), median(of[1])
	fmt.Fprintf(os.Stdout, "%-6s %8.1fms %8.1fms %+8.1fms %8.2f\n", name, ms(x), ms(y), ms(median(diff)), float64(x)/float64(y))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func mb(kilobytes int64) float64 { return float64(kilobytes) / 1024 }

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}

func run(argv []string, input []byte) (cpu, wall time.Duration, peak int64) {
	cmd := exec.CommandContext(context.Background(), argv[0], argv[1:]...)
	cmd.Stdin = bytes.NewReader(input)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	if err := cmd.Run(); err != nil {
		fatal(fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out.Bytes()))
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), time.Since(start), peakOf(cmd.ProcessState)
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
