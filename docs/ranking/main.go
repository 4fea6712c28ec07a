// Command ranking holds the search of this project against two that anybody can
// have: SQLite's FTS5, tuned, and bleve as it comes. It asks all of them the
// requests of the same sets, and writes the tables of docs/search.md and those of
// docs/benchmarks.md about search between their marks.
//
//	go run .            # measure and print
//	go run . -write     # write the figures into the documents
//	go run . -check     # fail where docs/search.md says something else of FTS5 or patch-git
//	go run . -times     # also catalogues of 10,000 and 100,000 tools
//
// The sets are other people's and not part of the project: PATCH_GIT_RETRIEVAL_DATA
// names the folder, ../shared/data/retrieval beside the project unless set. The
// project's own set is always measured.
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
	"slices"

	"github.com/patch-cat/patch-git/index/indextest"
)

type options struct {
	data                string
	write, check, times bool
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", os.Getenv("PATCH_GIT_RETRIEVAL_DATA"), "the folder of sets")
	flag.BoolVar(&o.write, "write", false, "write the figures into the documents")
	flag.BoolVar(&o.check, "check", false, "fail where docs/search.md has other figures")
	flag.BoolVar(&o.times, "times", false, "measure catalogues of 10,000 and 100,000 tools")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ranking:", err)
		os.Exit(1)
	}
}

// root is the project, from the folder of this program.
const root = "../.."

func run(ctx context.Context, o options) error {
	dirs := []string{filepath.Join(root, "index/indextest/testdata/own")}
	given, err := sets(o.data)
	if err != nil {
		return err
	}
	if len(given) == 0 && o.check {
		// The figures cannot be compared with what is not there; a machine
		// without the data must still be able to pass.
		fmt.Fprintln(os.Stdout, "ranking: no sets were found, so nothing was compared; PATCH_GIT_RETRIEVAL_DATA names their folder")
		return nil
	}
	if len(given) == 0 {
		fmt.Fprintln(os.Stdout, "ranking: no sets were found but the project's own; PATCH_GIT_RETRIEVAL_DATA names their folder")
	}
	temp, err := os.MkdirTemp("", "ranking-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	var r report
	for _, dir := range append(given, dirs...) {
		s, err := indextest.Read(dir)
		if err != nil {
			return err
		}
		if err := r.measure(ctx, s, temp); err != nil {
			return err
		}
	}
	if o.times {
		for _, n := range []int{10_000, 100_000} {
			if err := r.scale(ctx, n, temp); err != nil {
				return err
			}
		}
	}
	return r.publish(o, len(given) > 0)
}

// sets are the folders of a folder that hold a set.
func sets(dir string) ([]string, error) {
	if dir == "" {
		dir = filepath.Join(root, "../shared/data/retrieval")
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(path, "queries.jsonl")); err == nil {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out, err
}
