package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var builtDir string // what is to be removed in the end

// tests are those of the package, and what they leave to be cleared away.
type tests struct{ *testing.M }

func (t tests) Run() int {
	code := t.M.Run()
	if err := os.RemoveAll(builtDir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// makeBuiltDir makes the folder of what is built, which outlives the test that
// asks first.
var makeBuiltDir = sync.OnceValue(func() (err error) {
	builtDir, err = os.MkdirTemp("", "patch-git")
	return err
})

// lookAtSources looks at every source file. A kept result of tests is held against the
// files that they looked at themselves: what `go build` reads for them doesn't count, so
// that the transcripts would be said to pass on a program that is another by now.
var lookAtSources = sync.OnceValue(func() error {
	return filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "node_modules", "docs"}, d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		_, err = os.Stat(path)
		return err
	})
})

// build builds the program into a file in a folder of that name, and returns
// where it lies and what was said. It is of the same packages as the tests, which
// were compiled just now: with another CGO_ENABLED all of them would be compiled
// once more. `make test-start` asks for that of a release. It knows no commit, which a
// clean clone would give it.
func build(folder string, flags ...string) (path, said string, err error) {
	if err := cmp.Or(makeBuiltDir(), lookAtSources()); err != nil {
		return "", "", err
	}
	path = filepath.Join(builtDir, folder, "patch-git")
	args := append([]string{"build", "-buildvcs=false"}, flags...)
	out, err := exec.Command("go", append(args, "-o", path, ".")...).CombinedOutput()
	if err != nil {
		return "", "", fmt.Errorf("building: %w\n%.2000s", err, out)
	}
	return path, string(out), nil
}

// builtProgram is the program, built once for all tests, and what the linker
// told about which function needs which.
var builtProgram = sync.OnceValues(func() (built struct{ path, deps string }, err error) {
	built.path, built.deps, err = build("plain", "-ldflags=-dumpdep")
	return built, err
})

// testedProgram is the folder of the program that the transcripts start: main,
// after what the tests put in place of the machine's. It is not the test binary,
// which brings a Sigstore, a forge and an index of its own to every start, and
// takes twice as long until main.
var testedProgram = sync.OnceValues(func() (string, error) {
	if err := makeBuiltDir(); err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, file := range []string{"testdata/seam/start.go", "seam_test.go", "session_unix_test.go", "session_other_test.go"} {
		as := "built_" + strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".go"), "_test") + ".go"
		replace[filepath.Join(here, as)] = filepath.Join(here, file)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(builtDir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	path, _, err := build("tested", "-ldflags=-s -w", "-overlay="+file)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(path)
	return dir, os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
})

// haveProgram puts the program that transcripts start before all others that are
// called patch-git.
func haveProgram(tb testing.TB) {
	tb.Helper()
	if _, err := testedProgram(); err != nil {
		tb.Fatal(err)
	}
}
