// Command eval measures the rules of package quarantine on a folder of texts and
// Python files that people and attackers wrote, and on the project's own probes,
// and writes the figures of docs/quarantine.md between their marks.
//
//	go run ./docs/eval            # measure and print
//	go run ./docs/eval -write     # write the figures into docs/quarantine.md
//	go run ./docs/eval -check     # fail where the document says something else
//	go run ./docs/eval -compare   # also run GuardDog and Bandit on the same files
//
// The data are other people's and not part of the project:
// PATCH_GIT_EVAL_DATA names the folder, ../shared/data/quarantine unless set.
// Python is parsed by the interpreter of the tools in the sandbox, as
// `patch-git check` does it; -direct asks a python3 without the sandbox, which is
// faster and only for data that one trusts so far.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
)

// document is where the figures are published.
const document = "docs/quarantine.md"

func main() {
	var o options
	flag.StringVar(&o.data, "data", os.Getenv("PATCH_GIT_EVAL_DATA"), "the folder of data")
	flag.BoolVar(&o.write, "write", false, "write the figures into "+document)
	flag.BoolVar(&o.check, "check", false, "fail where the figures of "+document+" are others")
	flag.BoolVar(&o.direct, "direct", false, "parse with python3 outside of the sandbox")
	flag.BoolVar(&o.verbose, "v", false, "print what benign rows were found to have, and every miss with its text")
	flag.BoolVar(&o.anchors, "compare", false, "install GuardDog and Bandit and run them on the same files")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

type options struct {
	data                                   string
	write, check, direct, verbose, anchors bool
}

func run(ctx context.Context, o options) error {
	if o.data == "" {
		o.data = filepath.FromSlash("../shared/data/quarantine")
	}
	if _, err := os.Stat(o.data); errors.Is(err, fs.ErrNotExist) {
		if o.check {
			// The figures cannot be compared with what is not there; a machine
			// without the data must still be able to pass.
			fmt.Fprintf(os.Stdout, "eval: no data at %s, so nothing was measured and nothing compared; set PATCH_GIT_EVAL_DATA\n", o.data)
			return nil
		}
		return fmt.Errorf("there is no data at %s; PATCH_GIT_EVAL_DATA names the folder", o.data)
	}
	e, err := newEvaluation(ctx, o)
	if err != nil {
		return err
	}
	for _, part := range []func(context.Context) error{e.texts, e.documents, e.evasion, e.behaviour, e.ownTexts, e.benignCode} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	if o.anchors {
		if err := e.compare(ctx); err != nil {
			return err
		}
	}
	e.targets()
	return e.publish()
}
