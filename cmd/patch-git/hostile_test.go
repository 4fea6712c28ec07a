package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// TestHostileTools: `check` ends by itself with a verdict, whatever it is given:
// tools of this repository, broken in every way that breaks parsers. A few of
// them in `go test`; `make test-hostile` plays thousands. Each number gives the
// same file again.
func TestHostileTools(t *testing.T) {
	haveProgram(t)
	many := 40
	if n, err := strconv.Atoi(os.Getenv("PATCH_GIT_HOSTILE_TOOLS")); err == nil {
		many = n
	} else if testing.Short() {
		many = 5
	}
	paths, err := filepath.Glob("../../tools/*/*/*/tool.py")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tools: %v", err)
	}
	var tools [][]byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, data)
	}
	home := t.TempDir()
	// The untouched tools pass, so that a refusal below is one of what was done.
	for i, data := range tools[:min(3, len(tools))] {
		if v := checkHostile(t, home, fmt.Sprint("whole", i), data, false); v.code != 0 {
			t.Fatalf("%s is refused: exit code %d\n%s%s", paths[i], v.code, v.stdout, v.stderr)
		}
	}
	codes, slowest := map[int]int{}, time.Duration(0)
	var lock sync.Mutex
	t.Run("files", func(t *testing.T) {
		for i := range many {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				data, how := breakTool(uint64(i), tools)
				asked := i%2 == 0
				v := checkHostile(t, home, fmt.Sprint(i), data, asked)
				v.holds(t, how, asked)
				lock.Lock()
				defer lock.Unlock()
				codes[v.code]++
				slowest = max(slowest, v.took)
			})
		}
	})
	t.Logf("%d broken tools: exit codes %v, the slowest took %s", many, codes, slowest.Round(time.Millisecond))
	if many >= 40 && (codes[3] == 0 || codes[0] == many) {
		t.Errorf("exit codes %v: nothing was broken", codes)
	}
}

// verdict is what one `check` said.
type verdict struct {
	code           int
	stdout, stderr []byte
	took           time.Duration
}

func checkHostile(t *testing.T, home, name string, data []byte, asJSON bool) verdict {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "tool.py")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"check", path}
	if asJSON {
		args = append(args, "--json")
	}
	cmd := exec.CommandContext(t.Context(), "patch-git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATCH_GIT_HOME="+home)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	err := cmd.Run()
	v := verdict{stdout: stdout.Bytes(), stderr: stderr.Bytes(), took: time.Since(begin)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		v.code = exit.ExitCode()
	case err != nil:
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// holds tells whether a verdict is one: an exit code for a verdict, no trace of
// a crash, an answer that a program can read and a terminal can bear, in time.
func (v verdict) holds(t *testing.T, how string, asJSON bool) {
	t.Helper()
	const most = 60 * time.Second // on a loaded machine; the parser's own limit is 10
	if !slices.Contains([]int{0, 3, 7}, v.code) || v.took > most {
		t.Errorf("%s: exit code %d after %s\n%.2000s%.2000s", how, v.code, v.took, v.stdout, v.stderr)
	}
	for _, stream := range [][]byte{v.stdout, v.stderr} {
		for _, trace := range []string{"panic: ", "goroutine ", "Traceback (most", "runtime error"} {
			if bytes.Contains(stream, []byte(trace)) {
				t.Errorf("%s: the program crashed inside:\n%.4000s", how, stream)
			}
		}
		if asJSON {
			continue
		}
		for line := range strings.SplitSeq(string(stream), "\n") {
			if sanitize.ForTerminal(line) != line {
				t.Errorf("%s: a terminal gets %+q", how, line)
			}
		}
	}
	// A file that is too large to be read at all is an error and no verdict.
	if asJSON && !json.Valid(v.stdout) && (v.code == 0 || !json.Valid(v.stderr)) {
		t.Errorf("%s: the answer is no JSON: %.300q %.300q", how, v.stdout, v.stderr)
	}
}
