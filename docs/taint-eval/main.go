// Command taint-eval plays traces of an agent that obeys every order it reads
// against package taint, and writes the figures of docs/taint.md.
//
//	go run ./docs/taint-eval            # measure and print
//	go run ./docs/taint-eval -write     # write the figures into docs/taint.md
//	go run ./docs/taint-eval -check     # fail where a target of docs/taint.md is missed
//
// The traces are made from other people's benchmarks and not part of the project:
// PATCH_GIT_TAINT_DATA names a file of them, or a folder of *.jsonl files,
// ../shared/data/taint unless set. docs/taint.md says how a trace is written.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// document is where the figures are published.
const document = "docs/taint.md"

func main() {
	var o options
	flag.StringVar(&o.data, "data", os.Getenv("PATCH_GIT_TAINT_DATA"), "a file of traces, or a folder of them")
	flag.BoolVar(&o.write, "write", false, "write the figures into "+document)
	flag.BoolVar(&o.check, "check", false, "fail where a target is missed")
	flag.BoolVar(&o.verbose, "v", false, "print every attack that passed and every benign call that was held")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "taint-eval:", err)
		os.Exit(1)
	}
}

type options struct {
	data                  string
	write, check, verbose bool
}

func run(o options) error {
	if o.data == "" {
		o.data = filepath.FromSlash("../shared/data/taint")
	}
	if _, err := os.Stat(o.data); errors.Is(err, fs.ErrNotExist) {
		// Figures cannot be measured from what is not there; a machine without
		// the traces must still be able to pass.
		fmt.Fprintf(os.Stdout, "taint-eval: no traces at %q, so nothing was measured; PATCH_GIT_TAINT_DATA names them\n", o.data)
		return nil
	}
	s, err := load(o.data)
	if err != nil {
		return err
	}
	table, missed := s.report(o.verbose, os.Stdout)
	fmt.Fprint(os.Stdout, table)
	if o.write {
		if err := publish(filepath.FromSlash(document), table); err != nil {
			return err
		}
	}
	if o.check && len(missed) > 0 {
		return fmt.Errorf("missed: %s", strings.Join(missed, "; "))
	}
	return nil
}

// publish puts the figures between their marks.
func publish(path, table string) error {
	const begin, end = "<!-- figures -->\n", "<!-- end of figures -->"
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(b), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no marks for figures", path)
	}
	return os.WriteFile(path, []byte(head+begin+table+end+tail), 0o644)
}
