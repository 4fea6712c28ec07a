// Command mcp holds the MCP server of this project beside servers made of
// mark3labs/mcp-go and of the TypeScript SDK: the same driver, the same tools, in
// turns, on one machine. It prints the tables of docs/benchmarks.md about the
// server, or writes them there between their marks.
//
//	go run . -patch-git ../../../bin/patch-git            # measure and print
//	go run . -patch-git ../../../bin/patch-git -write     # write the tables
//
// The others answer a call in their own process; patch-git verifies, confines and
// records each one. What it adds to the sandbox is measured against a pool of
// sandboxes that does the same job without any of that, in turns with it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

type options struct {
	program, clients, dir string
	sizes                 []int
	rounds, calls         int
	write                 bool
}

func main() {
	var o options
	var sizes string
	flag.StringVar(&o.program, "patch-git", "../../../bin/patch-git", "the program")
	flag.StringVar(&o.clients, "clients", "../../../internal/mcpserver/mcptest/testdata", "where make test-mcp installed node and the TypeScript SDK")
	flag.StringVar(&o.dir, "dir", "", "a folder for the toolboxes, kept for the next time; a passing one unless set")
	flag.StringVar(&sizes, "tools", "10,1000,10000", "sizes of toolboxes")
	flag.IntVar(&o.rounds, "rounds", 7, "starts of each server")
	flag.IntVar(&o.calls, "calls", 300, "calls of one tool")
	flag.BoolVar(&o.write, "write", false, "write the tables into docs/benchmarks.md")
	flag.Parse()
	for s := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mcp:", err)
			os.Exit(2)
		}
		o.sizes = append(o.sizes, n)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcp:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	for _, p := range []*string{&o.program, &o.clients, &o.dir} {
		if *p == "" {
			continue
		}
		abs, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = abs
	}
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "patch-git-mcp-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.dir = dir
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	f, err := prepare(ctx, o)
	if err != nil {
		return err
	}
	var out strings.Builder
	if err := listing(ctx, f, o, &out); err != nil {
		return err
	}
	if err := calling(ctx, f, o, &out); err != nil {
		return err
	}
	if !o.write {
		_, err := fmt.Print(out.String())
		return err
	}
	return replace("../../benchmarks.md", out.String())
}

// The tables stand between these lines.
const (
	begin = "<!-- mcp: begin; go run . -write in docs/bench/mcp -->\n"
	end   = "<!-- mcp: end -->"
)

func replace(path, text string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no marks", path)
	}
	return os.WriteFile(path, []byte(before+begin+text+end+after), 0o644) //nolint:gosec // a document
}

// number writes 10000 as 10,000.
func number(n int) string {
	s := strconv.Itoa(n)
	if len(s) > 3 {
		s = s[:len(s)-3] + "," + s[len(s)-3:]
	}
	return s
}
