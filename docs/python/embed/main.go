// Command embed makes the archive of the interpreter that `make build-full`
// builds into the program, for one platform, and the line of facts beside it:
//
//	go run ./docs/python/embed -goos linux -goarch amd64 -o internal/standalone/embedded
//
// The interpreter is one of python-build-standalone, as the Go module
// go-embed-python carries it; the module is fetched by the go command and held
// against the sum below, and is no dependency of this program. Bytecode is made
// by the same release of the interpreter for this machine.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/internal/standalone/repack"
	"github.com/patch-cat/patch-git/spec"
)

// What is embedded. To refresh it: a newer version of the module, its sum as
// `go mod download -json` prints it, and the version and date in its name.
const (
	module  = "github.com/kluctl/go-embed-python@v0.0.0-3.14.6-20260610-1"
	sum     = "h1:oGUS7++Wm3LgxUfD6AmJgKbKQD2wdQFO9PzyJv6T+E4="
	version = "3.14.6"
	date    = "20260610"
)

func main() {
	goos := flag.String("goos", runtime.GOOS, "the system")
	goarch := flag.String("goarch", runtime.GOARCH, "the processor")
	out := flag.String("o", "internal/standalone/embedded", "the folder for python.tar.gz and facts.txt")
	flag.Parse()
	if err := run(context.Background(), *goos, *goarch, *out); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, goos, goarch, out string) error {
	build, ok := standalone.Find(goos, goarch, "3.14")
	if !ok {
		return fmt.Errorf("there is no interpreter for %s/%s", goos, goarch)
	}
	dir, err := fetch(ctx)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "patch-git-embed-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	data := func(goos, goarch string) string { return filepath.Join(dir, "python/internal/data", goos+"-"+goarch) }
	target, own := filepath.Join(work, "target"), filepath.Join(work, "own")
	if err := errors.Join(repack.Module(data(goos, goarch), target), repack.Module(data(runtime.GOOS, runtime.GOARCH), own)); err != nil {
		return err
	}
	modules, err := repack.Compile(ctx, filepath.Join(own, "bin", "python3.14"), target)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := repack.Pack(&archive, target, gzip.BestCompression); err != nil {
		return err
	}
	facts := fmt.Sprintf("%s %s %s/%s %s %s\n", version, date, goos, goarch, build.Triple, spec.DigestOf(archive.Bytes()).Hex())
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "python.tar.gz"), archive.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s%d modules, %d bytes\n", facts, modules, archive.Len())
	return os.WriteFile(filepath.Join(out, "facts.txt"), []byte(facts), 0o644)
}

// fetch has the go command bring the module and returns where it lies.
func fetch(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w: %s", module, err, out)
	}
	var got struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &got); err != nil {
		return "", err
	}
	if got.Sum != sum {
		return "", fmt.Errorf("%s has the sum %s, not %s", module, got.Sum, sum)
	}
	return got.Dir, nil
}
